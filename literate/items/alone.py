"""The tests of the blocks that run in a process of their own."""

from literate.items.base import Item
from literate.pages.block import Block
from literate.rules.compare import same_output
from literate.running.space import BlockError
from literate.slices.slicer import scripts


class TritonItem(Item[Block]):
    """A block on Triton's interpreter, as the script that a reader copies.

    Triton chooses between interpreter and GPU when it is loaded, once in a process: here the block
    chooses, and no other test has loaded it before or finds it afterwards.
    """

    def check(self) -> None:
        step = self.step
        ran = self.run.module.alone(step, scripts(self.run.page)[step.line], self.config.rootpath)
        if ran.returncode:
            last = ran.stderr.rstrip().rpartition("\n")[2]
            raise BlockError(step.line, RuntimeError(last or f"ended with {ran.returncode}"))
        if not same_output(step.output.text if step.output else "", ran.stdout):
            self.differs(step, ran.stdout)

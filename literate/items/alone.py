"""The tests of the blocks that run in a process of their own."""

import os
import subprocess
import sys

from literate.compare import same_output
from literate.items.base import Item
from literate.page import Block
from literate.slicer import scripts
from literate.space import BlockError


class TritonItem(Item[Block]):
    """A block on Triton's interpreter, as the script that a reader copies.

    Triton chooses between interpreter and GPU when it is loaded, once in a process: here the block
    chooses, and no other test has loaded it before or finds it afterwards.
    """

    def check(self) -> None:
        step = self.step
        script = scripts(self.run.page)[step.line]
        root = os.pathsep.join([str(self.config.rootpath), *filter(None, sys.path)])
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, "PYTHONPATH": root},
            cwd=self.run.module.space.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            last = ran.stderr.rstrip().rpartition("\n")[2]
            raise BlockError(step.line, RuntimeError(last or f"ended with {ran.returncode}"))
        if not same_output(step.output.text if step.output else "", ran.stdout):
            self.differs(step, ran.stdout)

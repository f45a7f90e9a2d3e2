"""A block of Python on a page, what it prints, and of which kinds it may be."""

from dataclasses import dataclass

EXERCISE = {"exercise", "check", "solution", "mistake"}
SHOWN = {"notest", "source"}  # what is shown and never run
APART = {"gpu", "triton"}  # what changes nothing in the module of its page
KINDS = {"fresh", "raises"} | APART | SHOWN | EXERCISE


@dataclass(frozen=True)
class Output:
    """What a page says that a block prints."""

    line: int  # of its first line of text; lines count from 1
    text: str
    start: int  # where the text stands in the page, as offsets
    end: int
    indent: str  # what stands before each of its lines


@dataclass(frozen=True)
class Block:
    """A block of Python."""

    line: int  # of its first line of code
    code: str
    kinds: frozenset[str]
    title: str
    of: str  # what a .source block shows a piece of
    start: int  # where the code stands in the page, and where its fence ends, as offsets
    end: int
    after: int
    indent: str
    output: Output | None = None

    @property
    def stays(self) -> bool:
        """Whether those below stand on it, on every machine."""
        return not self.kinds & (APART | EXERCISE | SHOWN)

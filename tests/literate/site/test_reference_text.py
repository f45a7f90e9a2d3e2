"""The text of an entry of the reference, to the letter."""

from pathlib import Path

import pytest

from literate.site import reference
from literate.site.reference import interface

CODE = '''"""A module."""

LIMIT = 3


@dataclass
class Cache:
    """What is kept.

    And more.
    """

    size: int = 0
    "The size."

    def add(self, x: int) -> int:
        """Add one."""
        return x + 1

    def bare(self) -> None:
        return None

    def _own(self) -> None:
        """Nobody's business."""

    class Inner:
        """Within."""

        def deep(self) -> None:
            """Deeper."""
'''
CACHE = '''@dataclass
class Cache:
    """What is kept.

    And more.
    """'''
ADD = '''    def add(self, x: int) -> int:
        """Add one."""'''
INNER = '''    class Inner:
        """Within."""'''
DEEP = '''        def deep(self) -> None:
            """Deeper."""'''


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of one file."""
    monkeypatch.setattr(reference, "ROOT", tmp_path)
    (tmp_path / "package").mkdir()
    (tmp_path / "package/parts.py").write_text(CODE, "utf-8")


def test_heads_with_docstrings_stand_apart_by_an_empty_line() -> None:
    """All that are public and have one, those within the class too."""
    assert interface("package.parts.Cache") == "\n\n".join([CACHE, ADD, INNER, DEEP])


@pytest.mark.parametrize(("most", "heads"), [(1, [CACHE]), (2, [CACHE, ADD])])
def test_as_many_heads_as_are_asked_for(most: int, heads: list[str]) -> None:
    assert interface("package.parts.Cache", most) == "\n\n".join(heads)

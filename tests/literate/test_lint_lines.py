"""Where the linter finds what is wrong in a block."""

from pathlib import Path

import pytest

from literate import lint
from literate.pages.page import Page


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("x = 1\nprint(x)\n", ""),
        ("x=1\nprint(x)\n", "blocks/page.md/line4.py"),
        ("print(y)\n", "pages/page.md.py:4:7"),
        ("import os\n", "pages/page.md.py:4:8"),
        ("def f(:\n", "pages/page.md.py:4:7"),
    ],
)
def test_lint_finds_the_line(
    block: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(f"# Page\n\n```python\n{block}```\n", "utf-8")
    status = lint.main(["page.md"])
    said = "".join(capfd.readouterr())
    assert (status != 0) == bool(says)
    assert says in said


def test_lint_leaves_out_what_never_runs(tmp_path: Path) -> None:
    lint.extract(Page(Path("page.md"), "```python {.notest}\nx=\n```\n"), tmp_path)
    assert list(tmp_path.iterdir()) == []

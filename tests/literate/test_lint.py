"""Ruff on the Python of the pages: which files are written for it, and what it says of them."""

from pathlib import Path

import pytest

from literate import lint
from literate.pages.page import Page

PAGE = """# Page

```python
import torch

x = torch.ones(2)
```

Words.

```python {.notest}
this is not Python
```

```python {.source of="attention.masks.Mask"}
class Mask: ...
```

```python
print(x)
```
"""
RAGGED = "# Page\n\n```python\nx = [1,2]\n```\n"
UNUSED = "# Page\n\nWords.\n\n```python\nimport os\n```\n"


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a book without a page."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.py"))


def test_a_page_becomes_one_file_at_the_same_lines(book: Path) -> None:
    """But what is shown and never run, and what is spliced from elsewhere."""
    lint.extract(Page(Path("docs/page.md"), PAGE), book / "out")
    lines = (book / "out/pages/docs/page.md.py").read_text("utf-8").split("\n")
    code = {number: line for number, line in enumerate(lines, 1) if line}
    assert code == {4: "import torch", 6: "x = torch.ones(2)", 20: "print(x)"}
    assert lines[-1] == ""


def test_each_block_becomes_a_file_of_its_own(book: Path) -> None:
    lint.extract(Page(Path("docs/page.md"), PAGE), book / "out")
    blocks = book / "out/blocks/docs/page.md"
    assert files(blocks) == ["line20.py", "line4.py"]
    assert (blocks / "line4.py").read_text("utf-8") == "import torch\n\nx = torch.ones(2)\n"
    assert (blocks / "line20.py").read_text("utf-8") == "print(x)\n"


def test_pages_share_folders_and_stand_in_others(book: Path) -> None:
    for name in ("docs/a.md", "docs/b.md", "docs/part/c.md", "docs/a.md"):
        lint.extract(Page(Path(name), RAGGED), book / "out")
    assert files(book / "out/pages") == ["docs/a.md.py", "docs/b.md.py", "docs/part/c.md.py"]


def test_a_page_without_python_has_no_file(book: Path) -> None:
    lint.extract(Page(Path("docs/page.md"), "# Words\n"), book / "out")
    assert files(book / "out") == []


def test_by_itself_it_reads_the_readme_and_all_of_docs(
    capfd: pytest.CaptureFixture[str],
) -> None:
    put("README.md", PAGE)
    put("docs/index.md", PAGE)
    put("docs/part/deep.md", PAGE)
    put("docs/part/words.txt", RAGGED)
    put("OTHER.md", RAGGED)
    assert lint.main([]) == 0
    pages = ["README.md.py", "docs/index.md.py", "docs/part/deep.md.py"]
    assert files(Path("build/lint/pages")) == pages
    assert capfd.readouterr().out == ""


def test_a_fault_is_said_at_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    put("docs/page.md", UNUSED)
    assert lint.main(["docs/page.md"]) == 1
    said = capfd.readouterr().out
    assert "`os` imported but unused" in said
    assert "build/lint/pages/docs/page.md.py:6:8" in said


def test_a_layout_is_said_with_how_it_should_be(capfd: pytest.CaptureFixture[str]) -> None:
    put("docs/page.md", RAGGED)
    assert lint.main(["docs/page.md"]) == 1
    said = capfd.readouterr().out
    assert "build/lint/blocks/docs/page.md/line4.py" in said
    assert "-x = [1,2]\n+x = [1, 2]\n" in said


def test_what_a_page_may_and_a_module_may_not() -> None:
    """A late import, a bare expression, and a stub that its solution defines again."""
    put(
        "docs/page.md",
        "```python\nx = 1\nx\n```\n\n```python\nimport os\n\nos.getcwd()\n```\n\n"
        "```python {.exercise}\ndef f():\n    return 1\n```\n\n"
        "```python {.check}\nassert f() == 2\n```\n\n"
        "```python {.solution}\ndef f():\n    return 2\n```\n",
    )
    assert lint.main(["docs/page.md"]) == 0


def test_what_an_earlier_run_wrote_is_gone() -> None:
    put("docs/old.md", RAGGED)
    put("docs/page.md", PAGE)
    assert lint.main(["docs/old.md"]) == 1
    assert lint.main(["docs/page.md"]) == 0
    assert files(Path("build/lint/pages")) == ["docs/page.md.py"]


def test_where_no_page_has_python_nothing_is_wrong() -> None:
    put("README.md", "# Words\n")
    assert lint.main([]) == 0

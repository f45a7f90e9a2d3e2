"""The strict build: a fault in a page stops it, with the page and the line."""

from pathlib import Path

import pytest

from literate import __main__ as literate
from literate import lint, site
from literate.page import Page

CONFIG = """site_name: One page
strict: true
theme: {name: material, font: false}
validation:
  links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}
plugins:
  autorefs: {}
  mkdocstrings:
    handlers: {python: {paths: [%s], options: {heading_level: 2}}}
markdown_extensions: [md_in_html, tables, pymdownx.superfences, literate.extensions.numbers]
"""
PAGE = """# Page

A [link](#part), a [name][attention.masks.Causal] and 0.25<!--= 1 / 4 --> of it,
which is true<!--= 1 < 2 -->.

## Part

::: attention.masks.Causal
"""


@pytest.fixture
def build(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Build a site of one page; the exit status, what was said, and the folder."""

    def build(text: str) -> tuple[int, str, Path]:
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs/index.md").write_text(text, "utf-8")
        root = Path(__file__).parents[2]
        (tmp_path / "mkdocs.yml").write_text(CONFIG % root, "utf-8")
        monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
        monkeypatch.chdir(tmp_path)
        status = literate.main(["build", "--site-dir", str(tmp_path / "site")])
        printed = capsys.readouterr()
        return status, printed.out + printed.err, tmp_path / "site"

    return build


def test_a_right_page_builds(build) -> None:
    status, said, folder = build(PAGE)
    assert (status, said) == (0, "")
    html = (folder / "index.html").read_text("utf-8")
    number = '<data aria-description="checked: 1 / 4" class="checked" data-expression="1 / 4"'
    assert number in html
    assert "which is true." in html
    assert "<!--=" not in html
    assert "keep[i, j]" in html


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("(#part)", "(#prat)", 3, "a link '#prat', but there is no such anchor"),
        ("(#part)", "(part.md)", 3, "a link 'part.md', but the target is not found"),
        ("(#part)", "(/part/)", 3, "an absolute link '/part/'"),
        ("[attention.masks.Causal]", "[attention.masks.Casual]", 3, "'attention.masks.Casual'"),
        (":: attention.masks.Causal", ":: attention.masks.Casual", 8, "Could not collect"),
        (":: attention.masks.Causal", ":: attension.masks.Causal", 8, "Could not collect"),
    ],
)
def test_a_dead_name_stops_the_build(build, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    status, said, _ = build(PAGE.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


def test_a_fault_without_a_known_place_is_still_said(tmp_path: Path) -> None:
    assert site.locate(tmp_path, "none.md", "x") == ""


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert literate.main(["biuld"]) == 2
    assert "expected one of build, serve, lint" in capsys.readouterr().err


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

"""What a build says and leaves, to the letter, and where it finds the words of a fault."""

import gzip
import logging
from pathlib import Path

import pytest

from literate import __main__ as literate
from literate.extensions.fault import Fault
from literate.site import build as site

CONFIG = """site_name: One page
strict: true
theme: {name: null, custom_dir: theme}
hooks: [hook.py]
"""
HOOK = """def on_startup(command, dirty):
    print(f"{command}, dirty: {dirty}")


def on_shutdown():
    print("the end")
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a site of one page is built from; it is the one that is worked in."""
    for folder in ("docs", "theme/assets/javascripts/lunr"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/index.md").write_text("# Page\n\nWords.\n", "utf-8")
    (tmp_path / "theme/main.html").write_text("{{ page.content }}", "utf-8")
    (tmp_path / "theme/assets/javascripts/lunr/da.js").write_text("1\n", "utf-8")
    (tmp_path / "theme/assets/javascripts/all.js").write_text("1\n", "utf-8")
    (tmp_path / "mkdocs.yml").write_text(CONFIG, "utf-8")
    (tmp_path / "hook.py").write_text(HOOK, "utf-8")
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")  # so that it is as before in the end
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def logger(monkeypatch: pytest.MonkeyPatch) -> logging.Logger:
    """The logger of MkDocs without handlers, at a level that lets all through."""
    logger = logging.getLogger("mkdocs")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "level", logger.level)
    logger.setLevel(logging.INFO)
    return logger


def test_a_build_says_no_more_than_plugins_do(
    book: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """They hear of its begin and its end; what is no warning is not said, whoever asked for it."""
    assert literate.main(["build"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("build, dirty: False\nthe end\n", "")
    assert logger.handlers == []


def test_a_build_leaves_out_the_search_in_other_languages(book: Path) -> None:
    assert literate.main(["build"]) == 0
    assert [path.name for path in book.glob("site/assets/javascripts/*")] == ["all.js"]


@pytest.mark.parametrize(("given", "second"), [(None, 0), ("86400", 86400)])
def test_a_compressed_sitemap_has_the_same_day_each_day(
    given: str | None, second: int, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of all, or the one that the environment gives."""
    if given:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    assert literate.main(["build"]) == 0
    data = (book / "site/sitemap.xml.gz").read_bytes()
    assert int.from_bytes(data[4:8], "little") == second  # as the format has it
    assert gzip.decompress(data) == (book / "site/sitemap.xml").read_bytes()


def test_a_strict_build_says_its_warning_and_why_it_ends(
    book: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    (book / "docs/index.md").write_text("# Page\n\n[Words](none.md)\n", "utf-8")
    assert literate.main(["build"]) == 1
    said = capsys.readouterr()
    assert said.out == "build, dirty: False\n"
    assert said.err == (
        "docs/index.md:3: WARNING: Doc file 'index.md' contains a link 'none.md', but the target"
        " is not found among documentation files.\n"
        "Aborted with 1 warnings in strict mode!\n"
    )
    assert logger.handlers == []


def test_a_site_that_is_set_up_wrong_says_so(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (book / "mkdocs.yml").unlink()
    assert literate.main(["build"]) == 1
    assert capsys.readouterr().err == "Config file 'mkdocs.yml' does not exist.\n"


def test_a_page_of_another_name_is_an_error(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "docs/more.mkd").write_text("# More\n", "utf-8")
    assert literate.main(["build"]) == 1
    said = "docs/more.mkd:1: the tests run only a page whose name ends in .md: rename it\n"
    assert capsys.readouterr().err == said


def warning(message: str) -> logging.LogRecord:
    return logging.LogRecord("mkdocs", logging.WARNING, "", 1, message, (), None)


def test_a_link_is_looked_for_on_the_page_that_is_named(book: Path) -> None:
    """Not on one before it that has the same; what names neither is said as it came."""
    (book / "docs/a.md").write_text("[A](none.md)\n", "utf-8")
    (book / "docs/b.md").write_text("# B\n\n[A](none.md)\n", "utf-8")
    located = site.Located(book / "docs")
    message = "Doc file 'b.md' contains a link 'none.md'"
    assert located.format(warning(message)) == f"docs/b.md:3: WARNING: {message}"
    assert located.format(warning("So it is.")) == "WARNING: So it is."


def test_while_it_is_served_a_link_has_its_line_too(
    book: Path, logger: logging.Logger, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    (book / "docs/index.md").write_text("# Page\n\n[Words](none.md)\n", "utf-8")
    message = "Doc file 'index.md' contains a link 'none.md'"
    monkeypatch.setattr(site, "serve_site", lambda *_, **__: logger.warning(message))
    assert literate.main(["serve"]) == 0
    assert capsys.readouterr().err == f"docs/index.md:3: WARNING: {message}\n"


@pytest.mark.parametrize(
    ("text", "fault", "place"),
    [
        ("So $x$ is.\n", Fault("", "So"), "docs/a.md:1"),
        ("\nSo $x$ is.\n", Fault("", "$x$"), "docs/a.md:2"),
        ("So $x$ is,\nand $x$.\n", Fault("", "$x$", 2), "docs/a.md:2"),
        ("So $x$ is.\n", Fault("", "$y$"), "docs/a.md"),
        # A page that the tests refuse is searched as it is, also where a fence stays open.
        ("# Ä\n\n```python\nx = 1 # so\n", Fault("", "so"), "docs/a.md:4"),
    ],
)
def test_the_words_of_a_fault_are_found(
    text: str, fault: Fault, place: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(text, "utf-8")
    assert site.find(tmp_path / "docs", "a.md", fault) == place

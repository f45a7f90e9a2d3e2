"""`python -m literate COMMAND`: each is found, says its name, and takes what it says it takes."""

import logging
import re
from importlib import import_module
from pathlib import Path

import pytest

from literate import __main__ as literate
from literate.extensions.fault import Fault
from literate.site import build as site
from literate.site import export


@pytest.mark.parametrize("name", literate.COMMANDS)
def test_a_command_says_how_it_is_called(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        literate.main([name, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: python -m literate {name} [-h]")


@pytest.mark.parametrize("name", ["lint", "verify", "words"])
def test_a_command_of_pages_says_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        literate.main([name, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: python -m literate {name} [-h] [PAGE ...]\n")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["bibliography", "x"], "unrecognized arguments: x"),
        (["count", "x"], "unrecognized arguments: x"),
        (["lint", "none.md"], "no page none.md"),
        (["lint", "docs"], "no page docs"),
        (["mutate", "none.py"], "no file none.py"),
        (["verify", "none.md"], "no page or folder none.md"),
        (["words", "README.md", "none.md"], "no page none.md"),
        (["words", "docs"], "no page docs"),
        (["words", "../*"], "no page ../*"),
    ],
)
def test_what_is_not_there_is_named(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("literate.words.CSPELL", Path("README.md"))  # any file that is there
    with pytest.raises(SystemExit, match="2"):
        literate.main(given)
    assert capsys.readouterr().err.endswith(f"python -m literate {given[0]}: error: {said}\n")


def test_a_page_that_is_broken_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text("# Page\n\n```python\n", "utf-8")
    assert literate.main(["lint", "page.md"]) == 1
    assert capsys.readouterr().err == "page.md:3: this fence is never closed\n"


def test_a_site_that_was_not_built_is_not_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert literate.main(["export", "--site-dir", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{tmp_path} holds no site: run `make site`\n"


@pytest.mark.parametrize("given", [[], ["biuld"]])
def test_no_command_names_those_that_are_told_of(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert literate.main(given) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m literate: expected one of bibliography, ")
    root = Path(__file__).parents[2]
    told = [root / "Makefile", *root.glob("*.md"), *root.glob("docs/about/*.md")]
    texts = "".join(path.read_text("utf-8") for path in told)
    named = said.partition("one of ")[2].strip().split(", ")
    assert sorted(set(re.findall(r"-m literate (\w+)", texts))) == sorted(named)
    for where in map(literate.COMMANDS.get, named):
        module, name = where.split(":")
        assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize(("module", "name"), [(export, "export"), (site, "build")])
def test_where_they_read_and_write(
    module, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In `site`, unless they are told another folder."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/index.md").write_text("# Words\n", "utf-8")
    monkeypatch.setattr(export.social, "picture", lambda *given: b"")
    for folder in ("site", "other"):
        Path(folder, "assets").mkdir(parents=True)
        Path(folder, "index.html").touch()
    Path("theme").mkdir()
    Path("theme/main.html").write_text("{{ page.content }}", "utf-8")
    config = "site_name: Words\ntheme: {name: null, custom_dir: theme}\nnav: [index.md]\n"
    Path("mkdocs.yml").write_text(config, "utf-8")
    for given, folder in (([], "site"), (["--site-dir", "other"], "other")):
        assert literate.main([name, *given]) == 0
        assert Path(folder, {"export": "index.md", "build": "sitemap.xml"}[name]).exists()


def test_a_page_is_served_while_it_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it is made of is watched; a fault is said, with its place, and ends nothing else."""
    logger, given = logging.getLogger("mkdocs"), []
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "level", logger.level)

    def serve(file: str, **settings: object) -> None:
        given.append((file, settings))
        logger.info("An address")
        logger.warning("Doc file 'about/counts.md' contains a link 'no-such'")

    monkeypatch.setattr(site, "serve_site", serve)
    assert literate.main(["serve"]) == 0
    watched = {"watch": ["attention", "literate", "mkdocs.yml"], "strict": False}
    assert given == [("mkdocs.yml", watched)]
    assert "INFO: An address" in capsys.readouterr().err

    def broken(*_: object, **__: object) -> None:
        raise Fault("wrong", "words")

    monkeypatch.setattr(site, "serve_site", broken)
    assert literate.main(["serve"]) == 1

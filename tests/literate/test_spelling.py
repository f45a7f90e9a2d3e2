"""Prose is spelled, by a program of its own; code, formulas, citations and addresses are not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from literate import words

ROOT = Path(__file__).parents[2]
PAGE = """A sentense of colour, color and `dtipe`, $softmux$, [a linkk](https://a.example/adress).

```python
x = 1  # inn code
```

Vaswamy et al., *Atention* (2017), and a number 0.5<!--= valu -->, normalized.
"""
CODE = '''"""A docstrng."""
valeu = "a strng"  # a coment
'''


@pytest.fixture
def spell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The words that are found wrong in a file, with their lines."""
    monkeypatch.chdir(ROOT)
    # The program reads nothing outside of the project; another process may spell beside this one.
    own = Path(f"build/spelling-{os.getpid()}")
    monkeypatch.setattr(words, "FOLDER", own / "words")
    path = own / "spelled"

    def spell(text: str, suffix: str) -> tuple[int, list[str]]:
        target = path.with_suffix(suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        code = words.main([str(target)])
        target.unlink()
        said = capsys.readouterr()
        assert said.err == ""
        return code, said.out.replace(f"{own}/", "").splitlines()

    yield spell
    shutil.rmtree(own, ignore_errors=True)


def test_a_word_that_is_meant_for_another_is_found(spell) -> None:
    """Attention is causal; what else it might be, no dictionary refuses."""
    code, (found,) = spell("Casual attention.\n", ".md")
    assert code == 1
    assert "(Casual)" in found


def test_wrong_and_american_words_of_a_page_are_found(spell) -> None:
    code, found = spell(PAGE, ".md")
    assert code == 1
    assert [line.partition(" (")[2].partition(")")[0] for line in found] == [
        "sentense",
        "color",
        "linkk",
        "normalized",
    ]
    assert found[0].startswith("spelled.md:1:3 - Unknown word (sentense)")
    assert found[3].startswith("spelled.md:7:")
    assert len(found) == 4


def test_docstrings_and_comments_are_read_and_strings_are_not(spell) -> None:
    code, found = spell(CODE, ".py")
    assert code == 1
    assert [line.partition(" - ")[0] for line in found] == [
        "spelled.py:1:6",
        "spelled.py:2:24",
    ]


def test_right_words_pass(spell) -> None:
    assert spell("Each query attends to the keys of its neighbours.\n", ".md") == (0, [])


def test_files_of_one_folder_are_spelled_together(spell, capsys) -> None:
    own = words.FOLDER.parent / "pages"
    own.mkdir(parents=True)
    for name in ("one.md", "two.md"):
        (own / name).write_text("A sentense.\n", "utf-8")
    assert words.main([f"{own}/*.md"]) == 1
    assert [line.partition(" (")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"{own}/{name}:1:3 - Unknown word" for name in ("one.md", "two.md")
    ]


def test_no_file_to_spell_is_an_error(spell, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        words.main(["README.md", "no/*.md", "nothing.py"])
    assert capsys.readouterr().err.endswith("python -m literate words: error: no page no/*.md\n")


def test_what_the_program_says_is_passed_on(spell, capsys, monkeypatch) -> None:
    monkeypatch.setattr(words, "CSPELL", Path("node_modules/cspell/package.json"))
    assert words.main(["README.md"]) == 1
    assert "package.json" in capsys.readouterr().err


def test_what_was_spelled_before_is_not_spelled_again(spell) -> None:
    assert spell("A sentense.\n", ".md")[0] == 1
    assert spell("# A sentence.\n", ".py") == (0, [])


def test_each_file_with_words_is_among_those_that_are_spelled() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    files = {name for name in listed.stdout.splitlines() if name.endswith((".md", ".py"))}
    every = {str(path.relative_to(ROOT)) for glob in (*words.PAGES, *words.PYTHON)
             for path in ROOT.glob(glob)}  # fmt: skip
    assert files - every == {"literate/counts.md"}  # which becomes docs/about/counts.md


def test_without_the_program_it_says_what_sets_it_up(monkeypatch, capsys) -> None:
    monkeypatch.setattr(words, "CSPELL", Path("nowhere/cspell"))
    assert words.main([]) == 1
    said = capsys.readouterr().err
    assert said == "nowhere/cspell is missing: run `make .venv/.judges`\n"

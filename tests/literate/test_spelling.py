"""Prose is spelled, by a program of its own; code, formulas, citations and addresses are not."""

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
    monkeypatch.setattr(words, "FOLDER", Path("build/words-test"))
    path = Path("build/spelled")

    def spell(text: str, suffix: str) -> tuple[int, list[str]]:
        target = path.with_suffix(suffix)
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, "utf-8")
        code = words.main([str(target)])
        target.unlink()
        return code, capsys.readouterr().out.splitlines()

    return spell


def test_wrong_and_american_words_of_a_page_are_found(spell) -> None:
    code, found = spell(PAGE, ".md")
    assert code == 1
    assert [line.partition(" (")[2].partition(")")[0] for line in found] == [
        "sentense",
        "color",
        "linkk",
        "normalized",
    ]
    assert found[0].startswith("build/spelled.md:1:3 ")
    assert found[3].startswith("build/spelled.md:7:")


def test_docstrings_and_comments_are_read_and_strings_are_not(spell) -> None:
    code, found = spell(CODE, ".py")
    assert code == 1
    assert [line.partition(" - ")[0] for line in found] == [
        "build/spelled.py:1:6",
        "build/spelled.py:2:24",
    ]


def test_right_words_pass(spell) -> None:
    assert spell("Each query attends to the keys of its neighbours.\n", ".md") == (0, [])

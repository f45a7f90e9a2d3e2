"""What is spelled: the words of pages, docstrings and comments, each in its place."""

from pathlib import Path

import pytest

from literate import words

ROOT = Path(__file__).parents[2]
PAGE = """Some words, `code`, $softmax$, $$
a_b
$$ [a link](https://a.example/), and 0.5<!--= x -->. { .lede }

```python
x = 1  # inside
```

Vaswani et al., *Attention* (2017), <b>here</b> and https://b.example/c, too.
::: attention.masks
"""
CODE = '''"""A docstring
of two lines."""  # beside it
value = "a string"  # a comment

class A:
    """Of a class."""

    def f(self):
        """Of `a` method.

        >>> f(hidden)
        """
        return "hidden"
'''


def test_what_is_to_be_spelled_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for glob in (*words.PAGES, *words.PYTHON):
        assert words.prose(next(Path().glob(glob))).strip()


@pytest.mark.parametrize(
    ("suffix", "text", "said"),
    [
        (".md", PAGE, ["1 Some words, , ,", "3 [a link , and .", "9 , here and too."]),
        (
            ".py",
            CODE,
            [
                '1 """A docstring',
                '2 of two lines.""" # beside it',
                "3 # a comment",
                '6 """Of a class."""',
            ]
            + ['9 """Of method.', '12 """'],
        ),
    ],
)
def test_words_stay_where_they_are(tmp_path: Path, suffix: str, text: str, said: list[str]) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(text, "utf-8")
    found = words.prose(path)
    lines = [f"{n} {line}" for n, line in enumerate(found.split("\n"), 1) if line.strip()]
    assert [" ".join(line.split()) for line in lines] == said
    for line, was in zip(found.split("\n"), text.split("\n"), strict=False):
        assert all(a in (" ", b) for a, b in zip(line, was, strict=False))
        assert len(line) <= len(was)


def test_a_list_of_words_that_is_in_order_and_needed() -> None:
    listed = (ROOT / "words.txt").read_text("utf-8").splitlines()[1:]
    assert listed == sorted(set(listed), key=str.lower)
    said = ""
    paths = {path for glob in (*words.PAGES, *words.PYTHON) for path in ROOT.glob(glob)}
    for path in paths:
        said += words.prose(path).lower()
    for word in listed:
        assert word.lower() in said, word


def test_files_of_other_folders_are_not_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for name in ("page.md", "../page.md"):
        Path(name).write_text("Words.\n", "utf-8")
    assert words.files("*.md") == {Path("page.md")}
    assert words.files("../*.md") == set()


def test_all_pages_and_all_code_are_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(words, "CSPELL", ROOT / "README.md")  # any file that is there
    monkeypatch.setattr(words, "files", lambda glob: asked.append(glob) or set())
    with pytest.raises(SystemExit):
        words.main([])
    assert asked == [*words.PAGES, *words.PYTHON]


def test_a_missing_cspell_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(words, "CSPELL", Path("missing"))
    assert words.main([]) == 1
    assert "missing is missing: run `make .venv/.judges`" in capsys.readouterr().err

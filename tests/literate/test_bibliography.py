"""The list of what is cited, made of a small book."""

from pathlib import Path

import pytest

from literate import bibliography

WORKS = """
[[work]]
authors = ["Bahdanau", "Cho", "Bengio"]
title = "Neural Translation: By Aligning"
year = 2014
arxiv = "1409.0473"

[[work]]
authors = ["Dao", "et al."]
title = "Attention in n² Steps"
year = 2022
doi = "10.1/x"

[[work]]
authors = ["Nvidia"]
title = "A Manual"
year = 2023
url = "https://docs.example/a/b"

[[work]]
authors = ["Nobody"]
title = "Never Cited"
year = 2020
isbn = "9780262035613"
"""
CHAPTER = """# The chapter { data-chapter=1 }

Bahdanau, Cho and Bengio, *Neural
Translation* (2014), and Dao et al., *Attention in $n^2$ Steps* (2022).
Another year: Nvidia, *A Manual* (2022). Another title: Nvidia, *A Guide* (2023).

1<!-- source: Nvidia 2023, figure 2 -->.
"""
MODULE = '"""Source: Bahdanau et al., *Neural Translation: By Aligning* (2014)."""\n'
PAGE = """- Bahdanau, Cho and Bengio, *Neural Translation: By Aligning* (2014). [arXiv 1409.0473](https://arxiv.org/abs/1409.0473). [The chapter](../part/one.md), `attention.core`, `attention`
- Dao et al., *Attention in $n^2$ Steps* (2022). [doi 10.1/x](https://doi.org/10.1/x). [The chapter](../part/one.md), [two](../two.md)
- Nvidia, *A Manual* (2023). [docs.example](https://docs.example/a/b). [The chapter](../part/one.md)
- Nobody, *Never Cited* (2020). [isbn 9780262035613](https://openlibrary.org/isbn/9780262035613). 
"""  # noqa: E501, W291


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "docs/about/sources.toml": WORKS,
        "docs/about/sources.md": "Nobody, *Never Cited* (2020).\n",
        "docs/part/one.md": CHAPTER,
        "docs/two.md": "Dao et al., *Attention in $n^2$ Steps* (2022).\n",
        "attention/core.py": MODULE,
        "attention/__init__.py": MODULE,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")


def test_each_work_stands_there_once_with_its_places() -> None:
    expected = PAGE.replace("`attention.core`, `attention`", "`attention`, `attention.core`")
    assert bibliography.main([]) == 0
    found, head, lede, *_ = bibliography.PAGE.read_text("utf-8").split("\n\n")
    assert found.startswith("---\nsearch: {boost: 0.1}")
    assert head == "# Sources"
    assert lede.endswith("\n{ .lede }")
    assert bibliography.PAGE.read_text("utf-8").endswith(f"{lede}\n\n{expected}")


def test_a_citation_has_its_line() -> None:
    said = [(str(m.path), m.line, m.authors, m.year) for m in bibliography.mentions()]
    assert said[:3] == [
        ("docs/part/one.md", 3, "Bahdanau, Cho and Bengio", 2014),
        ("docs/part/one.md", 4, "Dao et al.", 2022),
        ("docs/part/one.md", 5, "Nvidia", 2022),
    ]
    assert said[4] == ("docs/part/one.md", 7, "Nvidia", 2023)


def test_a_citation_on_the_second_line_below_an_empty_one() -> None:
    Path("docs/a.md").write_text("\nDao et al., *Attention in $n^2$ Steps* (2022).\n", "utf-8")
    assert next(bibliography.mentions()).line == 2


def test_authors_and_those_who_are_not_named() -> None:
    work = bibliography.Work(("Dao", "Fu", "et al."), "A Title", 2022, "arxiv", "1")
    assert work.writers == "Dao, Fu et al."


def test_no_arguments() -> None:
    with pytest.raises(SystemExit, match="2"):
        bibliography.main(["x"])
    assert "Never" in bibliography.PAGE.read_text("utf-8")

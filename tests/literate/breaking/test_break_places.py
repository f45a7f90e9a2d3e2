"""Which digits of a page `literate break` changes, where they stand, and what each becomes."""

from pathlib import Path

import pytest
from helpers import page

from literate.breaking.places import ROUNDED as LONG
from literate.breaking.places import Place, changed, digits, figures_of, places

TEXT = """
It is 1.5<!--= x -->, about 90<!--= y -->.

```python
print(x)
```

```text {.output}
0.1239 of 8
```

| a | 7 |
| --- | --- |
| 0.35 | words |
| 20 | 9% |
<!--= z -->

It was 4.5<!-- source: a book -->.

```python {.gpu}
print(3)
```

```text {.output}
3
```

```python {.exercise}
f = 1
```

```python {.check}
assert f == 2, f"it is {f}"
```

```text {.output}
AssertionError: it is 1
```

```python {.solution}
f = 2
```
"""


def short(found: Place) -> tuple[str, int, str, str]:
    return found.kind, found.line, found.old, found.new


def test_the_digits_of_a_page() -> None:
    """Each with its kind, its line, itself and what it becomes; not those of a block on a GPU."""
    assert [short(place) for place in places(page(TEXT), "page.md", {})] == [
        *(("output", 9, *of) for of in ("01", "12", "23", "34", "97", "89")),
        ("output", 37, "1", "2"),
        ("number", 2, "1", "2"),
        ("number", 2, "5", "7"),
        ("number", 2, "9", "8"),
        ("number", 2, "0", "1"),
        ("table", 14, "0", "1"),
        ("table", 14, "3", "4"),
        ("table", 14, "5", "7"),
        ("table", 15, "2", "3"),
        ("table", 15, "0", "1"),
        ("table", 15, "9", "8"),
        ("sourced", 18, "4", "5"),
        ("sourced", 18, "5", "7"),
    ]


def test_each_digit_stands_where_it_is_said_to() -> None:
    found = list(places(page(TEXT), "page.md", {}))
    assert {place.file for place in found} == {"page.md"}
    assert len({place.at for place in found}) == len(found)
    for place in found:
        assert TEXT[place.at] == place.old
        assert TEXT[: place.at].count("\n") + 1 == place.line


def test_who_must_notice() -> None:
    """A block its output, a stub what its check says, a check and a table theirs; else nobody."""
    read = page(TEXT)
    prints, _, stub, _, _ = read.blocks
    x, y = read.checks
    owners = {place.line: place.owner for place in places(read, "page.md", {}) if place.line != 2}
    assert owners == {
        9: (prints.line, prints.start),
        37: (stub.line, stub.start),
        14: (16, 0),
        15: (16, 0),
        18: None,
    }
    numbers = [place.owner for place in places(read, "page.md", {}) if place.kind == "number"]
    assert numbers == [(2, x.start)] * 2 + [(2, y.start)] * 2


def drawn(text: str, name: str = "x.svg") -> list[tuple[str, int, str, str]]:
    """Of the figure of a block: its file, where each digit stands, itself and what it becomes."""
    block = page("\n\n```python\nprint(x)\n```\n").blocks[0]
    found = list(places(page(""), "page.md", {name: (text, block)}))
    owner = (4, block.start)
    assert {(place.kind, place.line, place.owner) for place in found} <= {("figure", 4, owner)}
    return [(place.file, place.at, place.old, place.new) for place in found]


def test_the_digits_of_a_figure_are_those_of_its_labels() -> None:
    assert drawn("<text x='1'>20</text>3<b>of 4</b>") == [
        ("x.svg", 12, "2", "3"),
        ("x.svg", 13, "0", "1"),
        ("x.svg", 21, "3", "4"),
        ("x.svg", 28, "4", "5"),
    ]
    assert drawn("<b>5</b>", "t.html") == [("t.html", 3, "5", "6")]
    assert drawn("5") == []


@pytest.mark.parametrize(
    "unseen",
    [
        "<style>\n.a>b{width:2px}<b>2</b></style>",
        "<metadata a='1'><b>2</b></metadata>",
        "<!-- 1 <b>2</b> -->",
        "<?xml <b>2</b>?>",
        "<!DOCTYPE svg 1>",
    ],
)
def test_what_nobody_sees_of_a_figure_is_left_alone(unseen: str) -> None:
    """Styles and remarks; a label behind them is found where it stands."""
    assert drawn(f"<svg>{unseen}<b>7</b></svg>") == [("x.svg", 8 + len(unseen), "7", "8")]


def test_the_number_of_a_character_is_none() -> None:
    assert drawn("<b>x&#x27;&#39;5&lt;6</b>") == [("x.svg", 15, "5", "6"), ("x.svg", 20, "6", "7")]


def test_the_last_digit_of_a_long_decimal_may_round_in_a_table_alone() -> None:
    """What a table says is compared as an output is; what is drawn, exactly."""
    text = "<b>0.125</b>"
    assert [new for *_, new in drawn(text, "t.html")] == ["1", "2", "3", "7"]
    assert [new for *_, new in drawn(text, "x.svg")] == ["1", "2", "3", "6"]


def test_what_stands_around_a_digit() -> None:
    """Thirty characters before it, and from itself on thirty; ends of lines are shown as ⏎."""
    long = "abcdefghijklmnopqrstuvwxyz\nABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = f"{long}5{long}"
    [place] = digits("x", text, 0, len(text), "output", LONG, None)
    assert place.words == f"xyz⏎{long[27:]}5abcdefghijklmnopqrstuvwxyz⏎AB"
    [place] = digits("x", "\n5" + long, 0, 3, "output", LONG, (1, 2))
    around = "⏎5abcdefghijklmnopqrstuvwxyz⏎AB"
    assert place == Place("x", 1, "5", "6", "output", 2, around, (1, 2))


def test_a_file_with_other_digits() -> None:
    text = "10 of 29.\n"
    found = [*digits("x", text, 0, len(text), "output", LONG, None)]
    assert changed(text, found) == "21 of 38.\n"
    assert changed(text, []) == text
    with pytest.raises(AssertionError, match="old='1'"):
        changed("moved by an edit: 10 of 29.\n", found)


def test_the_figures_of_a_page_are_those_that_are_committed(tmp_path: Path) -> None:
    first, second = page("```python\n1\n```\n\n```python\n2\n```\n").blocks
    folder = tmp_path / "figures/page"
    folder.mkdir(parents=True)
    (folder / "x.svg").write_text("<b>5 µs</b>", "utf-8")
    saved = {"x.svg": second, "y.svg": first}
    assert figures_of(tmp_path / "page.md", saved) == {"x.svg": ("<b>5 µs</b>", second)}

"""Exactly where blocks, outputs and prose stand on a page, and what a fault there says in full."""

from pathlib import Path

import pytest
from helpers import page

from literate.pages.page import Page, PageError

NESTED = """# Page

> ```python {.raises .fresh}
> 1 / 0
> x = 2
> ```
>
> ```text {.output}
> ZeroDivisionError: division by zero
> ```

1. Outer

    - Inner

        ```python title="Deep"
        if True:
            print(3)
        ```

        ```text {.output}
        3
        ```

Words.
"""


def fault(text: str) -> str:
    """The one sentence with which a page is refused."""
    with pytest.raises(PageError) as raised:
        page(text)
    return str(raised.value)


def test_a_block_has_its_lines_in_a_quote_and_in_a_list() -> None:
    quoted, listed = page(NESTED).blocks
    assert (quoted.line, quoted.code, quoted.indent) == (4, "1 / 0\nx = 2\n", "> ")
    assert (listed.line, listed.code) == (17, "if True:\n    print(3)\n")
    assert (listed.title, listed.indent) == ("Deep", "        ")
    assert quoted.output
    assert (quoted.output.line, quoted.output.indent) == (9, "> ")
    assert listed.output
    assert (listed.output.line, listed.output.indent) == (22, "        ")


def test_the_offsets_of_a_block_cut_it_out_of_the_page() -> None:
    """From `start` to `end` stands the code with its indent, up to `after` the closing fence."""
    quoted, listed = page(NESTED).blocks
    assert NESTED[quoted.start : quoted.end] == "> 1 / 0\n> x = 2\n"
    assert NESTED[quoted.end : quoted.after] == "> ```\n"
    assert NESTED[listed.start : listed.end] == "        if True:\n            print(3)\n"
    assert NESTED[listed.end : listed.after] == "        ```\n"


def test_the_offsets_of_an_output_cut_it_out_of_the_page() -> None:
    said = [NESTED[b.output.start : b.output.end] for b in page(NESTED).blocks if b.output]
    assert said == ["> ZeroDivisionError: division by zero\n", "        3\n"]


def test_prose_keeps_every_character_in_its_place() -> None:
    found = page(NESTED)
    words = {line + 1: text for line, text in enumerate(found.prose.split("\n")) if text.strip()}
    assert words == {1: "# Page", 7: ">", 12: "1. Outer", 14: "    - Inner", 25: "Words."}
    assert [len(line) for line in found.prose.split("\n")] == [
        len(line) for line in NESTED.split("\n")
    ]


def test_a_line_is_all_of_it_but_its_end() -> None:
    found = page("# Title\n\nFrom here to X\nX is  \nlast")
    assert [found.line(n) for n in range(5)] == ["# Title", "", "From here to X", "X is  ", "last"]


def test_a_file_is_named_by_its_path_if_nothing_else_is_asked(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_bytes(b"\xe9")
    with pytest.raises(PageError) as raised:
        Page.read(tmp_path / "page.md")
    assert str(raised.value) == f"{tmp_path / 'page.md'}:1: the file is not UTF-8"


@pytest.mark.parametrize("above", [0, 1, 2])
def test_a_wrong_character_is_found_below_empty_lines(above: int) -> None:
    text = "\n" * above + "\r\n"
    line = above + 1
    assert fault(text) == f"page.md:{line}: the file has a carriage return: save it with LF"


def test_a_hidden_fence_is_found_in_a_last_line_without_an_end() -> None:
    said = "page.md:2: this fence is not seen: put a blank line above it"
    assert fault("!!! note\n    ```python") == said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Words\n\n```", 3),  # the fence that opens is the last line
        ("Words\n\n```\n", 3),
        ("```python\n1\n```X", 1),  # more than a fence stands in the last line
        ("```python\n1\n``` X\n", 1),
        ("> ```python\n> 1\n", 1),
        ("````python\n1\n```\n", 1),
    ],
)
def test_a_fence_that_nothing_closes_is_named_where_it_opens(text: str, line: int) -> None:
    assert fault(text) == f"page.md:{line}: this fence is never closed"


def test_braces_alone_are_no_language() -> None:
    said = "'{.raises}' would be shown and never run: write ```python"
    assert fault("```{.raises}\n1\n```\n") == f"page.md:1: {said}"


@pytest.mark.parametrize("language", ["bash", "yaml"])
def test_in_another_language_the_nearest_of_all_kinds_is_meant(language: str) -> None:
    for wrong, meant in (("outptu", "output"), ("notst", "notest")):
        said = f"a {language} block cannot be .{wrong}: did you mean .{meant}?"
        assert fault(f"```{language} {{.{wrong}}}\n1\n```\n") == f"page.md:1: {said}"


def test_a_block_may_be_of_two_kinds() -> None:
    (block,) = page("```python {.raises .fresh}\n1\n```\n").blocks
    assert block.kinds == {"raises", "fresh"}


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        (".solution .fresh", "solution"),
        (".raises .mistake", "mistake"),
        (".solution .exercise", "exercise"),  # the first in the alphabet
    ],
)
def test_a_part_of_an_exercise_is_nothing_else(kinds: str, named: str) -> None:
    said = f"page.md:1: a .{named} cannot be anything else"
    assert fault(f"```python {{{kinds}}}\n1\n```\n") == said


@pytest.mark.parametrize("kind", ["notest", "source", "exercise", "solution"])
def test_what_is_not_compared_has_no_output(kind: str) -> None:
    of = ' of="attention.masks.Mask"' if kind == "source" else ""
    text = f"```python {{.{kind}{of}}}\n1\n```\n\n```text {{.output}}\n1\n```\n"
    assert fault(text) == f"page.md:5: the output of a .{kind} block would not be compared"


@pytest.mark.parametrize("kind", ["check", "mistake", "raises", "gpu", "triton", "fresh"])
def test_what_is_compared_may_have_an_output(kind: str) -> None:
    text = f"```python {{.{kind}}}\n1\n```\n\n```text {{.output}}\n1\n```\n"
    (block,) = page(text).blocks
    assert block.output
    assert (block.output.line, block.output.text) == (6, "1\n")

"""What becomes of each thing of a page in plain Markdown, to the letter."""

import pytest
from helpers import HERE, page, plain

from literate.site.plain import parts


@pytest.mark.parametrize(
    ("html", "marked"),
    [
        ("<strong>so</strong>", "**so**"),
        ("<b>so</b>", "**so**"),
        ("<code>so</code>", "`so`"),
        ("<em>so</em>", "so"),
        ("<br>so &lt; it", "so < it"),
    ],
)
def test_a_tag_of_a_caption_becomes_a_mark(html: str, marked: str) -> None:
    assert plain(f"<figcaption>It is {html}.</figcaption>\n") == f"*It is {marked}.*"


def test_a_comment_on_a_line_of_its_own_takes_the_line_with_it() -> None:
    assert plain("One\n<!-- a remark -->\ntwo.\n") == "One\ntwo."
    assert plain("One\n  <!-- a remark\nof two lines -->\ntwo.\n") == "One\ntwo."


def test_a_comment_behind_words_leaves_the_end_of_their_line() -> None:
    assert plain("One <!-- a remark -->\ntwo.\n") == "One\ntwo."
    assert plain("1<!-- a remark -->\n2\n") == "1\n2"


def test_a_comment_within_a_line_leaves_the_words_around_it() -> None:
    assert plain("One<!-- a remark --> and two.\n") == "One and two."


def test_a_comment_at_the_beginning_is_gone() -> None:
    assert plain("<!-- a remark -->\nWords") == "Words"


def test_a_comment_may_hold_code() -> None:
    assert plain("One\n<!-- `a` and ``b`` -->\ntwo.\n") == "One\ntwo."


def test_only_empty_lines_around_the_prose_go() -> None:
    assert plain("\n\nX is what we call\n\n\n\nMAX\n\n\n") == "X is what we call\n\nMAX"


def test_only_empty_lines_below_shown_code_go() -> None:
    assert plain("```bash\nX=1\necho X\n\n```\n") == "```bash\nX=1\necho X\n```"


def test_a_box_without_a_title_is_a_quotation() -> None:
    assert plain("!!! note\n\n    Words\n\n    and more\n\nAfter\n") == (
        "> Words\n>\n> and more\n\nAfter"
    )


def test_a_box_keeps_its_first_and_last_letter() -> None:
    assert plain('!!! note "Which"\n\n    X or MAX\n\nAfter\n') == (
        "> **Which**\n>\n> X or MAX\n\nAfter"
    )


def test_an_entry_that_no_file_defines_is_its_name() -> None:
    assert plain("Words\n\n::: attention.nowhere.Nothing\n\nAfter\n") == (
        "Words\n\n`attention.nowhere.Nothing`\n\nAfter"
    )


def test_blocks_and_prose_come_in_order_without_the_head() -> None:
    text = (
        "---\ntitle: x\n---\n\nBefore\n\n```python\n1\n```\n\n```text {.output}\n1\n```\n\nAfter\n"
    )
    found = [(part.text, bool(part.block)) for part in parts(page(text), HERE)]
    assert found == [("Before", False), ("1\n", True), ("After", False)]


@pytest.mark.parametrize("name", ["attention." + "nowhere" * 50, ".", "..", "...", "attention."])
def test_a_name_of_no_file_stays_a_name(name: str) -> None:
    assert plain(f"Words\n\n::: {name}\n\nAfter\n") == f"Words\n\n`{name}`\n\nAfter"

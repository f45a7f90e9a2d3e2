"""Notation that nothing understood is refused, in text and in HTML that Markdown does not read."""

import re

import pytest
from notation import convert

from literate.extensions.fault import Fault
from literate.extensions.raw import EMPTY, LITERAL

MEANT = "close it, put `markdown` in the tag around it, or write \\ before it"


@pytest.mark.parametrize(
    ("text", "mark", "words"),
    [
        ("One line.\nOf $5 and more.", "$", "Of $5 and more."),
        ("An X of $5.", "$", "An X of $5."),
        ("An ![image.", "![", "An ![image."),
        ("A link](", "](", "A link]("),
        ("So **bold.", "**", "So **bold."),
        ("!!! note: with a colon", "!!!", "!!! note: with a colon"),
        ("??? note: with a colon", "???", "??? note: with a colon"),
        ("A note[^1].", "[^", "A note[^1]."),
        ("Words { .lede", "{ .", "Words { .lede"),
        ("Words {#id", "{#", "Words {#id"),
        ("- ```x", "`", "```x"),
        ("<figcaption>Below `least`.</figcaption>", "`", "Below `least`."),
        ("An `open code.", "`", "An `open code."),
        ("- ~~~x", "~~~", "~~~x"),
        ("*This* $ here", "$", "$ here"),
        ("| a | b |\n| - | - |\n| $|x|$ | 1 |", "$", "$|"),
        ('<p title="$x">Text.</p>', "$", "$x"),
        ('<p aria-label="so **x">Text.</p>', "**", "so **x"),
        ('<p><img alt="$y"></p>', "$", "$y"),
        ("<div>A $ in a box.</div>", "$", "A $ in a box."),
        ("<div><p>Before</p> after $.</div>", "$", "after $."),
        ("<div><code>$x</code> and $y.</div>", "$", "and $y."),
        ("<div><pre><b>$x</b></pre><i>$y</i></div>", "$", "$y"),
    ],
)
def test_a_mark_that_stands_as_it_was_written(text: str, mark: str, words: str) -> None:
    with pytest.raises(Fault) as raised:
        convert(f"# Title\n\n{text}\n")
    assert str(raised.value).startswith(f"'{mark}' is shown as it stands: {MEANT}")
    assert raised.value.words == words


@pytest.mark.parametrize("tag", sorted(LITERAL))
def test_what_is_shown_as_it_stands_may_hold_anything(tag: str) -> None:
    convert(f"<div><{tag}><b title='$x'>$5 **</b></{tag}></div>\n")
    with pytest.raises(Fault):
        convert(f"<div><{tag}>$5</{tag}><b>$6</b></div>\n")


@pytest.mark.parametrize("name", ["maths", "arithmatex", "a maths"])
def test_a_formula_may_hold_anything(name: str) -> None:
    convert(f'<div><span class="{name}"><b>$5</b></span></div>\n')
    with pytest.raises(Fault, match=re.escape("'$' is shown")):
        convert(f'<div><span class="{name}"><b>$5</b></span><span class="other">$6</span></div>\n')


@pytest.mark.parametrize("tag", sorted(EMPTY))
def test_an_element_without_an_end_opens_nothing(tag: str) -> None:
    convert(f"<div><svg><{tag}><text>$5</text><{tag}>$6</svg></div>\n")
    with pytest.raises(Fault):
        convert(f"<div><svg><{tag}>$5</svg><b>$6</b></div>\n")


def test_an_escaped_mark_is_a_character() -> None:
    assert "costs $5" in convert("It costs \\$5.\n")
    assert "&#36;5" in convert("<div>It costs &#36;5.</div>\n")

"""Broken notation stops the build, with the page and the line."""

import pytest

NOTATION = """# Page { data-chapter=1 }

A formula $x$, and one of their own:

$$
\\frac{x}{2}
$$

## Step { .step }

!!! predict "Which?"

    - ( ) This: no.
    - (x) That: it is.

<figure class="attn" markdown>

| | a | b |
| --- | --- | --- |
| a | 0.30 | 0.70 |
| b | 0.20 | 0.80 |

</figure>
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("$x$", "$x^2^3$", 3, "this formula is not TeX: Double superscript"),
        (r"{x}{2}", r"{x}{2", 6, "this formula is not TeX: Unexpected end of input"),
        (" { data-chapter=1 }", "", 9, "a numbered heading needs a chapter"),
        ("(x)", "( )", 11, "one of them with (x)"),
        ("0.70", "0.60", 16, "the weights of a sum to 0.9000, not to 1"),
    ],
)
def test_broken_notation_stops_the_build(build, old: str, new: str, line: int, says: str) -> None:
    assert NOTATION.count(old) == 1
    status, said, _ = build(NOTATION.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


RAW = """# Page

<figure markdown>
![An image](https://a.example/x.svg)
<figcaption>Drawn.</figcaption>
</figure>

So it is $x$, of `$5`.

LINE

The end of it.
"""
HELD = "<figure>\n\n![A](x.svg)\n\n</figure>"


@pytest.mark.parametrize(
    ("line", "more", "mark"),
    [
        ("So $ x $ is.", 0, "$"),
        ("So $x_1 is large.", 0, "$"),
        ("So $$a = b$$ holds.", 0, "$"),
        ("So *we* have\n$$\na = b\n$$\nhere.", 1, "$"),
        ("It costs $5 or \\$6.", 0, "$"),
        ("| a | b |\n| --- | --- |\n| $|x|$ | $y$ |", 2, "$"),
        ("<div>\nSo $x$ and **b**.\n</div>", 1, "$"),
        ("<div>\nSo it is.\n\nSo **b**.\n</div>", 3, "**"),
        ("<figure markdown>\n<div>So **b**.</div>\n</figure>", 1, "**"),
        (HELD, 2, "!["),
        ("A claim[^1].\n\n[^1]: Its note.", 0, "[^"),
        ("## Title {.step", 0, "{."),
        ("## Title {: .step", 0, "{:"),
        ("So ** bold ** it is.", 0, "**"),
        ('!!! predict: "Which?"\n\n    Text.', 0, "!!!"),
        ('??? note: "Which?"\n\n    Text.', 0, "???"),
        ("A [broken link](a b c.", 0, "]("),
        ("![So $x_2$](https://a.example/x.svg)", 0, "\\("),
        ('<img alt="So $x_2$" src="https://a.example/x.svg">', 0, "\\("),
        ('[A](https://a.example "So **b**")', 0, "**"),
        ("A list\n\n- of $a\n- and b", 2, "$"),
    ],
)
def test_notation_that_nothing_understood(build, line: str, more: int, mark: str) -> None:
    status, said, _ = build(RAW.replace("LINE", line))
    assert status == 1
    assert f"docs/index.md:{10 + more}: '{mark}' is shown as it stands" in said


@pytest.mark.parametrize(
    "line",
    [
        "It costs \\$5, \\*\\*so\\*\\*, `**` and [a link](https://a.example/$x).",
        "So $x$, $y$-axis.\n\n$$\na = b\n$$\n",
        "<p>It costs &#36;5.</p>\n\n<!-- It was $5. -->",
        "<div>By <code>x**2</code>.</div>",
        "- a\n\n    $$\n    x = 1\n    $$",
        "So **$x$** and *$a_b$*, what?",
    ],
)
def test_notation_that_is_understood(build, line: str) -> None:
    status, said, folder = build(RAW.replace("LINE", line))
    assert (status, said) == (0, "")
    assert ("costs $5, **so**" in (folder / "index.html").read_text("utf-8")) == ("so" in line)


def test_a_check_that_stays_a_comment(build) -> None:
    text = "0.5<!--= 1 / 2 -->\n\n<figure>\nSo 0.5<!--= 1 / 2 -->.\n</figure>\n"
    status, said, _ = build(f"# Page\n\n{text}")
    assert status == 1
    assert "docs/index.md:6: this check stays a comment: `markdown` is missing in the tag" in said


def test_right_notation_builds(build) -> None:
    assert build(NOTATION)[:2] == (0, "")

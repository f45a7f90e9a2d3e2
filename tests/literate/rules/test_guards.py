"""Numbers of the prose, of docstrings and of comments that nothing checks."""

from pathlib import Path

import pytest
from helpers import failures, page

from literate.pages.page import Page
from literate.rules.guards import named, unchecked

UNCHECKED = [
    "It is 8/3 of it.",
    "It is 8/3.",
    "![From 1/2 to 1](figures/x.svg)",
    "It is 8/3<!-- a remark -->.",
    "It is 0.25.",
    "It is −0.25 here.",
    "A share of 25%, a share.",
    '!!! predict "Which of 149?"\n\n    - (x) One.',
    "A share of 25 % more.",
    "It is 1.5× faster.",
    "It is 2× faster.",
    "# A title with 0.25",
    "- 0.25 in a list",
    "> 0.25 in a quote",
    "!!! note\n\n    0.25 in a note",
    "| a |\n| - |\n| 0.25 |",
    "<figure><figcaption>A share of 0.25.</figcaption></figure>",
    "![A bar of 0.25](figures/x.svg)",
    "From 0.25 to 1<!--= 1 -->.",
    "0.25 <!--= 1 < 2 -->",
    "**0.25** of it",
    "12,288.5 of it",
    "(0.25)",
    "0.25, 0.50",
    "between 0.25–0.5",
    "0.25<!-- a remark -->",
    "$0.25 x$",
    "$$\n99.9\\%\n$$",
    "costs $5 and saves 99.9 % of $7",
    ".9999 of it",
    "_0.9999_ and __0.9999__",
    "1.5e5 of them",
    "1e-5 of them",
    "0,9999 of it",
    "0.5...0.9",
    "1/0.9999",
    "scale:0.7",
    "99&nbsp;% of it",
    "3&times; faster",
    "3x faster",
    "faster by ×5",
    "10-fold",
    "99 per cent",
    "½ of it",
    "A notable 0.9999",
    "a stable 99.9 %",
    "In chapter 1, 0.9999 was the weight",
    "In figure 2, 99.5% of them",
    "version 2.11 and 40% faster",
    "Every weight < 0.9999 is dropped, and every weight > 3 stays",
    '<img alt="A bar of 0.9999" src="x.svg">',
    '[a link](u "99.9 %")',
    "It prints `0.9999`.",
    "`foo\nbar` 0.9999 `baz`",
    "0.9999<!-- source: --> and <!-- source: a book -->",
    "```python\nx = 1  # gives 0.9999\n```",
    '```python title="A share of 99.9 %"\nx = 1\n```',
    "| a |\n| - |\n| 0.25 |\n\n<!-- a remark -->",
    "| a |\n| - |\n| 0.25 |\n\nText.\n\n<!-- source: a book -->",
    "It is 0.25.\n\n<!-- source: a book -->",
    "<figcaption>All of 149 keys.</figcaption>",
    "![A curve up to 1,490](figures/page/x.svg)",
    '!!! predict "Which?"\n\n    - ( ) 1490: no, 149.\n    - (x) 7: yes.',
    '!!! predict "Which?"\n\n    - ( ) 7: no.\n    - (x) About 149: yes.',
    "Six by six are 36.",
    "Of 12,288 numbers.",
    "## 36 scores",
    "- 36 scores",
    "| a | b |\n| - | - |\n| scores | 36 |",
    "It was in the 2048 of them.",
    "```python\nx = 1  # gives 36\n```",
    '```python title="All 36 scores"\nx = 1\n```',
    "36 scores<!--= 1 < 2 -->",
    "36 scores\n\n```python\nx = 0.36, 136, 'v1.36'\n```",
    "It is 3 times faster.",
    "It is 3 times as fast.",
    "It is 0.5*0.25 here.",
    "a 2.5**0.25**",
    "The figure 0.25 is a share.",
    "a page 0.99 of it",
    "faster by a factor of 3",
    "a 149-dimensional vector, 149k tokens",
    "35ms, 149MB",
    "the 149th key",
    "It takes 10¹³ steps.",
    "Only **5** % of them",
    "It is **3**× faster.",
    "5 ‰ of them",
    "⅝ of it",
    "A 25-percent share",
    "(x,0.9999)",
    "For example 149 keys.",
    "It converges at step 149.",
    "The figure 0.9999 is a share.",
    "CUDA 99 ms",
    "Step 12 % of it",
    "It has _149_ keys.",
    "It has a width of\n149. It is the largest.",
    "$w\\approx0.9999$",
    "$x-0.9999$",
    "$5\\,\\%$",
    "$12\\times$",
    "The sum $a +\nb$ has 149 terms, and $c$ has one.",
    "The context is long (2048).",
    "*149 steps* (each of one key)",
    "the words 149 are kept",
    "```python\nprint(27.1234)\n```\n\n```text {.output}\n27.1234\n```\n\n`37.1234`",
    "```python\nprint(0.7311)\n```\n\n```text {.output}\n0.7311\n```\n\n`-0.7311`",
    "```sh\npython run.py  # a loss of 0.9999\n```",
    '```sh title="99.9 % of them"\nls\n```',
    '```python\ndef f(a):\n    """Gives 0.9999 of it."""\n```',
    '```python\n"""149 keys."""\n```',
    "```python\ny = 1  # 1\nz = 2  # 149 keys\n```\n\nThere are 49 keys.",
    '<img alt="A bar of 149" src="a.svg">',
    "{36, 49} of them",
    "[149](page.md) keys",
    "---\ntitle: 0.9999 of it\n---",
    "---\n0.9999 of it\n\n---",
    "PyTorch 12 times as fast",
    "step 12-fold",
    "CUDA 12 per second",
    "version 12 GiB",
    "one table 48 deep, its table 96, a step 13",
    "in 2017 tokens, of 2024 rows",
    "in 2010 pairs",
    "It takes 9 million of them.",
    "9 thousand and 3 billions",
    "It is 5 times cheaper.",
    "3 times ours",
    "It is larger by the factor 5.",
    "It takes 4² steps.",
    "It takes 2 ⁻³ of them.",
    "With 8k keys it is slow.",
    "At step 40 it is done, after steps 5 to 12.",
    "a width-48 head",
    "```python\nx = 2000\n```\n\n2000k queries",
]
PARDONED = [
    "It is $a^2/12$ and `8/3`.",
    "The file a/3/4.md and 2/3/4.",
    "It is 0.25<!--= 1 / 4 -->.",
    "It is 0.25<!-- source: Brown et al. (2020), table 2.1 -->.",
    "Set `dropout=0.25`.",
    "```python\nprint(1 / 3)\n```\n\n```text {.output}\n0.3333\n```\n\nIt prints `0.3333`.",
    "```python\nx = 1  # as in section 3.1\n```",
    "exercise 2.1, PyTorch 2.11, CUDA 12.4, eq. 3.4, arXiv 1706.03762",
    "[doi 10.1145/5666.5673](https://example.org/)",
    "Llama-3.1 and GPT-3.5",
    "Sections 3.1, 3.2 and 4.1",
    "| a |\n| - |\n| 0.25 |\n\n<!-- source: a book -->",
    "| a |\n| - |\n| 0.25 |\n<!-- source: a book -->",
    "In section 3.1, equations 5.1 and 6.2, table 2.1, § 4.2.",
    "Python 3.11 and version 2.13.",
    "[a link](https://example.org/v1.5/)",
    "https://example.org/0.25",
    '<img alt="" width="0.25">',
    "section 3.2.1 of 2017",
    "section 3.2 of Vaswani et al., section 12 of it",
    "6 words, in 2017, since 36<!--= 6 * 6 --> is 36",
    "```python\nx = 6 * 6\nprint(x)\n```\n\n```text {.output}\n36\n```\n\n36 scores, twice 36",
    "With 36 it is 18<!--= 36 / 2 -->.",
    "```python\nx = 36.0, 12_288\n```\n\n36 scores, 12,288 numbers",
    "| n | a |\n| - | - |\n| 36 | 1 |\n\n<!-- source: a book -->\n\nUp to 36.",
    "# A title { data-chapter=36 }\n\n36. an item, `36` by `36`, pages 21 to 25, issue 834",
    "A, *Of 36 Heads* (2017), issues [36](https://example.org/issues/36)",
    '!!! predict "Is it enough?"\n\n    - ( ) 36: no.\n    - (x) No: it is not.',
    "<!-- 0.25 -->",
    "```text\n0.25\n```",
    "CC BY 4.0",
    "```python\nx = 1_490\n```\n\n<figcaption>All of 1,490 keys.</figcaption>",
    "```python\nx = 10, 11\n```\n\n"
    "<figcaption>In rows 10 and 11, 9 keys of 2017-10-12, [all](x.md#12).</figcaption>",
    "10. An item\n11. Another, which goes on\n    here",
    "$\\approx 5$ and $x^{2}$ and $a +\nb + 10$",
    "A, *Of 36 Heads* (2017), request 1016",
    "```python\nx = 36\n```\n\na 36-bit number, the 36th of them",
    "---\ntitle: A page\nsearch: {boost: 1.1}\n---",
    "```sh\npip install torch==2.13.0\n```",
    '!!! predict "Which of them?"\n\n    - ( ) 1490: no.\n    - (x) One of 7: yes.',
    "```python\nx = 2000\n```\n\n2000 keys and 2000 GB",
    "tables 12 and 13 of it, in section 12 of 2017",
    "FlashAttention-32, GPT-35, 6 kings, the factors 2 and 3, factor by factor",
]


@pytest.mark.parametrize("text", UNCHECKED)
def test_an_unchecked_number_is_found(text: str) -> None:
    assert list(unchecked(Page(Path("page.md"), text + "\n")))


@pytest.mark.parametrize("text", PARDONED)
def test_a_pardoned_number_is_not(text: str) -> None:
    assert not list(unchecked(Page(Path("page.md"), text + "\n")))


def test_an_unchecked_number_stands_at_its_line() -> None:
    text = (
        "---\ntitle: 0.9 of it\n---\n\nIt is 0.8.\n\n"
        '```sh title="0.7"\n0.6\nrun  # 0.5\n```\n\n'
        '```python title="0.4"\nx = 1\n\n\ndef f():\n    """Gives\n    0.3."""  # 0.2\n```\n'
    )
    found = [(2, "0.9"), (5, "0.8"), (7, "0.7"), (8, "0.6"), (9, "0.5"), (12, "0.4")]
    found += [(18, "0.3"), (18, "0.2")]
    assert sorted(unchecked(page(text))) == sorted(found)


def test_a_fraction_is_one_of_the_code_or_of_a_check() -> None:
    code = "\n\n```python\nx = -7 / 6\n```\n"
    assert not [*unchecked(page(f"It is −7/6 of it.{code}"))]
    assert not [*unchecked(page("It is 8/3, of it<!--= x == 8 / 3 -->.\n"))]
    assert [*unchecked(page(f"It is\n7/9 of it.{code}"))] == [(2, "7/9")]


def test_both_sides_of_a_product_are_found() -> None:
    assert list(unchecked(page("It is 0.5*0.25 here.\n"))) == [(1, "0.5"), (1, "0.25")]


def test_remarks_are_cut_out_of_code_and_nothing_else() -> None:
    code = '14\n9\n36  # 77\n"""78\n79\n"""; 81\n25  # 80\n64'
    assert named(page(f"```python\n{code}\n```\n")) == {"14", "9", "36", "81", "25", "64"}


@pytest.mark.parametrize(
    "code",
    [
        'def f(x): "It is 3.7 times faster"',
        'class A:\n    """It is\n    3.7 times faster."""',
        '("It is 3.7 times faster")',
        'é = 1; "It is 3.7 times faster"',
        "é = 1  # 3.7 times faster",
        "1 +  # 3.7 times faster",
    ],
)
def test_numbers_of_docstrings_and_comments_are_found(code: str) -> None:
    (found,) = unchecked(page(f"```python\n{code}\n```\n"))
    assert found == (2 + code.count("\n", 0, code.index("3.7")), "3.7")


def test_numbers_of_other_strings_are_code() -> None:
    code = 'a = "3.7 times faster"\n"3.7 times faster".upper()\n"" if a else "3.7 times faster"'
    assert list(unchecked(page(f"```python\n{code}\n```\n"))) == []


def test_an_unchecked_number_fails_at_its_line(run) -> None:
    result, _ = run("# Page\n\nText.\n\nIt is 0.25.\n")
    assert "page.md:5: nothing checks 0.25: write 0.25<!--= expression -->" in failures(result)[0]

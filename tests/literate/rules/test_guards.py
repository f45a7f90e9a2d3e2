"""Numbers of the prose that nothing checks, and checks that disappear."""

import json
from pathlib import Path

import pytest
from helpers import counts, failures, page

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


RECORDED = """# Page

```python
x = 1 / 3
assert x < 1
```

A third is 0.333<!--= x -->, so<!--= x < 1 -->.
"""


@pytest.fixture
def recorded(run, pytester: pytest.Pytester):
    """A page with a record, and a way to run another text against it."""
    pytester.makeini("[pytest]\nrecords = docs/.records\n")
    (pytester.path / "docs").mkdir()

    def against(text: str, *arguments: str):
        return run(text, *arguments, name="docs/page.md")[0]

    assert "the page has 1 blocks, its record 0" in failures(against(RECORDED))[0]
    assert counts(against(RECORDED, "--update-docs")) == (4, 0, 0)
    assert counts(against(RECORDED)) == (4, 0, 0)
    return against


def test_a_check_of_a_constant_fails_at_its_line(run) -> None:
    for text in (
        "It is 0.25<!--= 0.25 -->.",
        "So<!--= True -->.",
        "It is −2<!--= -2 -->.",
        "So<!--= len([1]) == len([1]) -->.",
        "So<!--= 0 < len([1]) == len([1]) -->.",
        "So<!--= len([1]) > 0 or len([1]) <= 0 -->.",
        "It is 0.26<!--= 26 / 100 -->.",
        "It is 0.26<!--= float('0.26') -->.",
        "It is 0.26<!--= float('0.26') * 3 / 3 -->.",
        "It is 2,600<!--= 2_600 * 1 -->.",
        "It is 0.26<!--= 0.2599 + 0 -->.",
        "It is 0.26<!--= float('0.2601') -->.",
        "It is 0.26<!--= 0.2599 * 1 -->.",
        "It is 0.26<!--= eval('0.26') -->.",
        "It is 26<!--= sum(i for i in [26]) -->.",
        "So<!--= 1 < 2 -->.",
        "So<!--= all([1]) -->.",
        "So<!--= bool(len([1]) == 2 or True) -->.",
        "So<!--= len([1]) == 1 + 0 and True -->.",
        "So<!--= not (len([1]) == 1 + 1 and False) -->.",
        "| a | b |\n| - | - |\n| 0.25 | 0.5 |\n\n<!--= [[0.25, 0.5]] -->",
    ):
        result, _ = run(f"# Page\n\n{text}\n")
        assert f"page.md:{7 if '|' in text else 3}: " in failures(result)[0]
        assert "checks nothing: write what the page computes" in failures(result)[0]


def test_a_decimal_is_not_typed_again_beside_what_is_computed(run) -> None:
    table = "| a | b |\n| - | - |\n| 0.25 | 0.75 |\n\n<!--= {} -->"
    block = "```python\nimport torch\n\nx = torch.tensor([[0.25, 0.75]])\n```"
    for text in (
        "It is 0.25<!--= torch.tensor(0.25) -->.",
        "It is 0.25<!--= x[0, 0] * 0 + 0.25 -->.",
        "It is 0.25<!--= [0.25, x][0] -->.",
        "It is 26<!--= torch.tensor(26) -->.",
        table.format("torch.tensor([[0.25, 0.75]])"),
        table.format("[[x[0, 0], 0.75]]"),
    ):
        failed = failures(run(f"# Page\n\n{block}\n\n{text}\n")[0])
        assert any("checks nothing: write what the page computes" in one for one in failed), text
    for text in (
        "It is 0.25<!--= x[0, 0] -->.",
        "It is 0.75<!--= 0.5 + x[0, 0] -->.",
        "It is 26<!--= (x[0] @ torch.ones(2)) * 26 -->.",
        "It is 0.8<!--= torch.tensor(4) / 5 -->.",
        table.format("x"),
        table.format("torch.tensor([[1, 3]]) / 4"),
    ):
        assert not failures(run(f"# Page\n\n{block}\n\n{text}\n")[0]), text


def test_what_compares_something_with_itself_checks_nothing(run) -> None:
    start = "```python\nimport torch\n\nx, ge = torch.ones(2), len\n```"
    for claim in (
        "x.equal(x)", "torch.allclose(x + 1, x + 1)", "(x + 1).ge(x + 1)",
        "torch.isclose(x, x).all()", "torch.equal(input=x, other=x)", "bool((x == x).all())",
        "all(x.eq(x))", "torch.all(x == x).item()", "all(i > 0 for i in [1, 2])",
        "x.equal(other=x)", "(lambda y: y > 1)(2)", "x.le(x).all()",
        "torch.testing.assert_close(actual=x, expected=x)",
        "torch.allclose(x, x + 1, atol=1)", "x.sum() > 1 and x.sum() == x.sum()",
        "x.sum() in [x.sum()]", "bool(x.isclose(x + 1, 0, 2).all())",
    ):  # fmt: skip
        said = f"So<!--= {claim} -->."
        result, _ = run(f"# Page\n\n{start}\n\n{said}\n")
        assert any("checks nothing: write" in failure for failure in failures(result))
    for claim in (
        "x.equal(x + 0)", "not torch.allclose(x, x + 3, atol=1)",
        "torch.equal(input=x, other=x + 0)",
        "x.equal(other=x + 0)", "all(x.eq(x + 0))", "eval('x').sum() == 2",
        "any([x.sum() == 2, x is None])", "ge(x) == 2 > 1", "ge([x]) == True",
        "'y' not in locals()", "'x' in dir()", "vars()['x'].sum() == 2",
        "open('/dev/null').read() == ''", "__import__('math').pi > 3",
    ):  # fmt: skip
        assert not failures(run(f"# Page\n\n{start}\n\nSo<!--= {claim} -->.\n")[0]), claim
    assert not any("nothing" in one for one in failures(run(f"{start}\n\nSo<!--= ge(x) -->.\n")[0]))


def test_a_check_of_more_than_a_constant_is_one(run) -> None:
    for text in (
        "It is 2.4<!--= 12 / 5 -->.",  # not the digits that are shown
        "It is 2<!--= 2 * 1 -->.",  # one digit
        "It is 26<!--= x * 26 -->.",  # of the page
        "It is 26<!--= __import__('math').gcd(26, 52) -->.",  # of elsewhere
        "It is 24<!--= 24.3 - 0.5 -->.",
        "So<!--= (x < 2) == (2 > x) -->.",
        "So<!--= 2 + 2 == 4 -->.",
        "So<!--= 'y' not in globals() -->.",
        "So<!--= not torch.equal(t, t) -->.",  # as of NaN
        "So<!--= torch.equal(t - t, t * torch.nan) is False -->.",
        "So<!--= t.isnan() -->.",
    ):
        start = "import torch\n\nx, t = 1, torch.tensor(torch.nan)"
        result, _ = run(f"# Page\n\n```python\n{start}\n```\n\n{text}\n")
        assert not failures(result)


def test_a_shape_in_a_remark_is_held(run) -> None:
    block = "import torch\n\n\ndef f(x):\n    y = x.T  # {}\n    return y\n\n\nf(torch.ones(2, 3))"
    for remark, fits in (
        ("(3, 2)", True),
        ("one a column, (3, 2)", True),
        ("(2, 3)", False),
        ("(3,)", False),
        ("(D, T)", True),
        ("in 1 of 2", True),
        ("(3 rows, 2)", True),
        ("(7 more)", True),
        ("(3, 2,)", True),
        ("(3, 2 each)", True),
    ):
        result, _ = run(f"# Page\n\n```python\n{block.format(remark)}\n```\n")
        assert bool(failures(result)) != fits
        if not fits:
            assert "page.md:8: " in failures(result)[0]
            assert (
                f"the remark says that y has the shape {remark.rstrip(')').rstrip(',')},)"
                in failures(result)[0]
            )
    for remark in ("(2 rows, 3)", "(2, 3 columns)"):
        result, _ = run(f"# Page\n\n```python\n{block.format(remark)}\n```\n")
        assert "the remark says that y has the shape (2, 3,)" in failures(result)[0]
    for block, line in (
        ("if not x:\n    pass\nelse:\n    x = torch.ones(2, 3)  # (2, 4)", 6),
        ("try:\n    pass\nfinally:\n    x = torch.ones(2, 3)  # (2, 4)", 6),
        ("y = 1\nx = torch.ones(2, 3)  # (2, 4)", 4),
    ):
        result, _ = run(f"# Page\n\n```python\nimport torch\nx = 1\n{block}\n```\n")
        assert f"page.md:{line + 3}: " in failures(result)[0]
    for code in ("torch.ones(2, 3).sum()  # of (4, 5)", "x = 1\ny = x  # no shape"):
        held = f"import torch\n{code}\nx = torch.ones(3)  # (3,)"
        result, _ = run(f"# Page\n\n```python\n{held}\n```\n")
        assert not failures(result)
    for left, fits in (("a, b", True), ("a, (b, c)", False)):
        code = f"import torch\n\n{left} = torch.ones(2, 2, 3)  # (2, 3)"
        result, _ = run(f"# Page\n\n```python\n{code}\n```\n")
        assert bool(failures(result)) != fits


def test_a_stale_value_is_noticed(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    good = path.read_text("utf-8")
    for stale in ("0.3331", "0.33334"):
        path.write_text(good.replace("0.3333333", stale), "utf-8")
        says = f"page.md:8: x is 0.3333333, but in the record of the page x is {stale}"
        assert says in failures(recorded(RECORDED))[0]
    # Other code came so far from the old value, and the machine of today comes a little farther.
    path.write_text(good.replace("0.3333333", "0.33334,\n   1e-06"), "utf-8")
    assert counts(recorded(RECORDED)) == (4, 0, 0)


def test_a_dropped_check_is_noticed(recorded) -> None:
    for dropped, kind in (
        (RECORDED.replace("<!--= x < 1 -->", ""), "0 claims, its record 1"),
        (RECORDED.replace("0.333<!--= x -->", "some"), "0 numbers, its record 1"),
        (RECORDED.replace("```python", "```text"), "0 blocks, its record 1"),
        (RECORDED.replace("assert x < 1", "x < 1"), "0 assertions, its record 1"),
    ):
        assert any(
            f"page.md:1: the page has {kind}" in text for text in failures(recorded(dropped))
        )


def test_a_record_is_written_once(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    before = path.read_text("utf-8")
    assert '"x",\n   0.3333333' in before
    recorded(RECORDED, "--update-docs")
    assert path.read_text("utf-8") == before
    # Another processor's rounding does not change the record; another value does.
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-8"), "--update-docs")
    assert path.read_text("utf-8") == before
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-5"), "--update-docs")
    assert '"x",\n   0.3333433' in path.read_text("utf-8")


def test_a_record_keeps_how_far_other_code_came(recorded, pytester: pytest.Pytester) -> None:
    """Rounded up to one digit; the widest of all runs; gone with the value that it belongs to."""
    path = pytester.path / "docs/.records/page.json"

    def numbers() -> list[list[object]]:
        return json.loads(path.read_text("utf-8"))["numbers"]

    recorded(RECORDED, "--update-docs")
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-8"), "--update-spread")
    assert numbers() == [["x", 0.3333333]]
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 2.1e-6"), "--update-spread")
    assert numbers() == [["x", 0.3333333, 3e-06]]
    recorded(RECORDED.replace("1 / 3", "1 / 3 - 1e-6"), "--update-spread")
    recorded(RECORDED, "--update-docs")
    assert numbers() == [["x", 0.3333333, 3e-06]]
    assert counts(recorded(RECORDED)) == (4, 0, 0)
    # A number that is written before it moves its place, and not what is known of it.
    moved = RECORDED.replace("0.333<!--= x -->", "0.667<!--= 2 * x --> and 0.333<!--= x -->")
    recorded(moved, "--update-docs")
    assert numbers() == [["2 * x", 0.6666667], ["x", 0.3333333, 3e-06]]
    # What a run of other code finds is kept, however far.
    recorded(moved.replace("1 / 3", "1 / 3 + 1.9e-5"), "--update-spread")
    assert numbers() == [["2 * x", 0.6666667, 4e-05], ["x", 0.3333333, 2e-05]]
    recorded(RECORDED, "--update-docs")
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-4"), "--update-docs")
    assert numbers() == [["x", 0.3334333]]


def test_a_part_of_a_page_makes_no_record(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    before = path.read_text("utf-8")
    recorded(RECORDED.replace("1 / 3", "1 / 4"), "--update-docs", "-k", "record")
    assert path.read_text("utf-8") == before

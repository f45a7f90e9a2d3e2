"""Checks of a page that cannot fail are refused, and those that can are not."""

from helpers import failures


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

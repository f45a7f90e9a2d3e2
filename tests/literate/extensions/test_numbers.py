"""Formulas are set, and numbers and formulas open to what computes them."""

import pytest
from notation import convert, plain

from literate.extensions.fault import Fault


def test_a_formula_is_rendered_with_its_hues() -> None:
    html = convert(r"So $\alpha_j = \mathbf{q} \cdot \mathbf{K}$." + "\n")
    assert "<math" in html
    for name in ("weight", "query", "key"):
        assert f'class="enclosing {name}"' in html
    assert "$" not in plain(html).replace(r"\alpha", "")


def test_a_displayed_formula_can_be_reached_by_keyboard() -> None:
    html = convert("$$\nx = 1\n$$\n")
    assert '<div class="maths maths--display"' in html
    assert 'tabindex="0"' in html


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        (r"\frac{1}{2", "expected '}' at end of input"),
        (r"\foo", r"Undefined control sequence: \\foo"),
        (r"x^2^3", "Double superscript"),
        (r"\alpha_{", "Expected '}'"),
    ],
)
def test_a_formula_that_is_not_tex_says_so(tex: str, says: str) -> None:
    with pytest.raises(Fault, match=says) as raised:
        convert(f"Text.\n\n${tex}$\n")
    assert raised.value.words == tex


def test_a_number_opens_to_its_expression_and_a_claim_disappears() -> None:
    html = convert("It is 0.25<!--= 1 / 4 -->, which is less<!--= 1 < 4 -->.\n")
    assert 'data-expression="1 / 4"' in html
    assert ">0.25</data>" in html
    assert plain(html) == "It is 0.25 , which is less."


def test_a_formula_on_its_own_lines_opens_to_what_computes_it() -> None:
    html = convert(
        '$$\na < b\n$$\n\n<!--= formula(a=1, b=x["<"]) -->\n\nAnd $a$<!--= formula(a=2) == 2 -->.\n'
    )
    assert html.count("data-expression") == 1
    assert 'data-expression="formula(a=1, b=x[&quot;&lt;&quot;])"' in html
    assert 'aria-label="computed"' in html
    assert "computed" not in plain(html)
    assert "<!--" not in html


def test_a_number_opens_to_its_source() -> None:
    html = convert("It has 12,288<!-- source: Brown et al. (2020), table 2.1 --> numbers.\n")
    assert 'aria-description="source: Brown et al. (2020), table 2.1"' in html
    assert ">12,288</data>" in html


def test_a_number_in_a_description_of_an_image_is_text() -> None:
    html = convert("![A bar of 0.25<!--= 1 / 4 -->](x.svg)\n")
    assert 'alt="A bar of 0.25"' in html

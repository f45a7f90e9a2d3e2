"""What of a figure is compared as a number."""

import pytest

from literate.running.figures import same_figure, tidy

PLACES = [
    *("d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry"),
    *("width", "height", "points", "transform", "viewBox"),
]
WEIGHTS = ["opacity", "fill-opacity", "stroke-width", "font-size", "style", "z"]


@pytest.mark.parametrize("name", PLACES)
def test_a_place_is_the_same_within_a_twentieth_of_a_point(name: str) -> None:
    assert same_figure(f'<g {name}="1.50"/>', f'<g {name}="1.55"/>')
    assert same_figure(f'<g {name}="1.50"/>', f'<g {name}="1.45"/>')
    assert not same_figure(f'<g {name}="1.50"/>', f'<g {name}="1.56"/>')
    assert tidy(f'<g {name}="1.23456"/>') == f'<g {name}="1.23"/>\n'


@pytest.mark.parametrize("name", WEIGHTS)
def test_what_may_show_a_weight_is_the_same_within_a_thousandth(name: str) -> None:
    assert same_figure(f'<g {name}="0.4800"/>', f'<g {name}="0.4810"/>')
    assert not same_figure(f'<g {name}="0.4800"/>', f'<g {name}="0.4811"/>')
    assert tidy(f'<g {name}="0.123456"/>') == f'<g {name}="0.1235"/>\n'


def test_a_scale_is_no_place() -> None:
    assert same_figure('<g transform="scale(0.300)"/>', '<g transform="scale(0.301)"/>')
    assert not same_figure('<g transform="scale(0.30)"/>', '<g transform="scale(0.34)"/>')


@pytest.mark.parametrize("name", ["alt", "title", "aria-label"])
def test_what_a_tag_says_is_the_same_only_if_it_is_equal(name: str) -> None:
    assert not same_figure(f'<g {name}="0.1234"/>', f'<g {name}="0.1235"/>')


def test_numbers_are_cut_to_their_digits_and_never_filled_up() -> None:
    assert tidy('<g x="1.5" y="2.25" r="2.256"/>') == '<g x="1.5" y="2.25" r="2.26"/>\n'
    assert tidy('<g opacity="0.1234"/>') == '<g opacity="0.1234"/>\n'
    assert tidy('<g opacity="0.12346"/>') == '<g opacity="0.1235"/>\n'


def test_numbers_outside_of_attributes_are_the_same_only_if_they_are_equal() -> None:
    assert not same_figure("<h1>a</h1>", "<h2>a</h2>")
    assert not same_figure("<text>1.50</text>", "<text>1.51</text>")

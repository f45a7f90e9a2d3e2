"""What of a figure is compared as a number, and which words of a page show a figure."""

from pathlib import Path

import pytest
import torch

from literate.figures import Shown, same_figure, shown, tidy, uncompared
from literate.page import Page

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


def seen(text: str) -> list[Shown]:
    return list(shown(Page(Path("page.md"), text), "page"))


@pytest.mark.parametrize("ending", ["svg", "html", "png", "jpg", "jpeg", "gif", "webp", "pdf"])
def test_a_link_to_a_picture_shows_it(ending: str) -> None:
    assert seen(f"[A](x.{ending})\n") == [Shown(1, f"x.{ending}", "")]
    assert not seen(f"[A](https://a.example/x.{ending})\n")
    assert not seen("[A](x.txt)\n")


def test_a_figure_stands_at_its_line() -> None:
    """Below lines that are empty, that are a remark, or that are code."""
    address = "figures/page/a.svg"
    figure = f"![A]({address})\n"
    assert seen("\n" + figure) == [Shown(2, address, "a.svg")]
    assert seen("<!-- a remark\nof two lines -->\n\n" + figure) == [Shown(4, address, "a.svg")]
    assert seen("Here is `some\ncode` in a line.\n\n" + figure) == [Shown(4, address, "a.svg")]


def test_a_picture_that_names_its_source_need_not_be_compared() -> None:
    assert seen("![A](x.jpg)<!-- source: a book --> ![B](y.jpg)\n") == [Shown(1, "y.jpg", "")]
    assert seen("![A](x.jpg)<!-- source: -->\n") == [Shown(1, "x.jpg", "")]


def test_what_was_not_compared_is_said() -> None:
    page = Page(Path("page.md"), "![A](figures/page/a.svg)\n\n![B](figures/b.svg)\n")
    elsewhere = (
        "figures/b.svg is compared with nothing: "
        "a page shows what its own blocks save, in figures/page/"
    )
    assert list(uncompared(page, "page", set())) == [(1, "no block saves a.svg"), (3, elsewhere)]
    assert list(uncompared(page, "page", {"a.svg"})) == [(3, elsewhere)]


def test_a_figure_that_waits_for_a_gpu_is_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = '```python{}\ndraw("a.svg")\n```\n\n![A](figures/page/a.svg)\n'
    here = Page(Path("page.md"), draws.format(""))
    there = Page(Path("page.md"), draws.format(" {.gpu}"))
    missing = [(5, "no block saves a.svg")]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert list(uncompared(here, "page", set())) == missing
    assert not list(uncompared(there, "page", set()))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert list(uncompared(there, "page", set())) == missing

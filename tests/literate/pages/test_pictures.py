"""Which words of a page show a picture, and which of them no block saved."""

import pytest
import torch
from helpers import page

from literate.pages.pictures import Shown, shown, uncompared


def seen(text: str) -> list[Shown]:
    return list(shown(page(text), "page"))


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


def test_a_picture_whose_address_stands_elsewhere() -> None:
    assert seen("\n![A][b]\n") == [Shown(2, "![A][b]", "")]
    assert seen("![A] []\n") == [Shown(1, "![A] []", "")]
    assert seen('<p style="background:url(a.png)">\n') == [Shown(1, "url(a.png)", "")]


def test_a_picture_that_names_its_source_need_not_be_compared() -> None:
    assert seen("![A](x.jpg)<!-- source: a book --> ![B](y.jpg)\n") == [Shown(1, "y.jpg", "")]
    assert seen("![A](x.jpg)<!-- source: -->\n") == [Shown(1, "x.jpg", "")]


def test_what_was_not_compared_is_said() -> None:
    found = page("![A](figures/page/a.svg)\n\n![B](figures/b.svg)\n")
    elsewhere = (
        "figures/b.svg is compared with nothing: "
        "a page shows what its own blocks save, in figures/page/"
    )
    assert list(uncompared(found, "page", set())) == [(1, "no block saves a.svg"), (3, elsewhere)]
    assert list(uncompared(found, "page", {"a.svg"})) == [(3, elsewhere)]


def test_a_figure_that_waits_for_a_gpu_is_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = '```python{}\ndraw("a.svg")\n```\n\n![A](figures/page/a.svg)\n'
    here = page(draws.format(""))
    there = page(draws.format(" {.gpu}"))
    missing = [(5, "no block saves a.svg")]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert list(uncompared(here, "page", set())) == missing
    assert not list(uncompared(there, "page", set()))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert list(uncompared(there, "page", set())) == missing

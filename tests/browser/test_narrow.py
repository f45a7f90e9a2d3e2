"""A phone: what is wider than its column scrolls there, and one sees that there is more."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}
# What scrolls sideways, and of it what has no shaded edge. Views are out: their cells have colours.
SIDEWAYS = """() => [...document.querySelectorAll(".md-content *")].filter(node =>
  node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX)
  && !node.closest(".attn"))"""
PLAIN = f"""() => ({SIDEWAYS})().filter(node =>
  !getComputedStyle(node).backgroundImage.includes("gradient")
).map(node => node.outerHTML.slice(0, 120))"""
# Cells of more than three lines whose column is narrower than fourteen digits.
THIN = """() => [...document.querySelectorAll(".md-content table:not([class]) td")].filter(cell => {
    const style = getComputedStyle(cell), range = document.createRange()
    range.selectNodeContents(cell)
    const lines = range.getBoundingClientRect().height / parseFloat(style.lineHeight)
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = style.font
    const room = cell.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    return lines > 3.5 && room < 14 * pen.measureText("0").width
  }).map(cell => cell.textContent)"""
# The smallest letters of each drawing, as they show.
LETTERS = """() => Promise.all([...document.querySelectorAll("figure > p > img")].map(async img => {
    const drawing = await (await fetch(img.src)).text()
    const sizes = [...drawing.matchAll(/font-size: ([\\d.]+)px/g)].map(size => +size[1])
    const [, width] = drawing.match(/viewBox="0 0 ([\\d.]+)/)
    return [img.src, Math.min(...sizes) * img.getBoundingClientRect().width / width]
  }))"""
ABOVE = f"""() => ({SIDEWAYS})().flatMap(node => [...node.querySelectorAll("table")]).filter(
  table => getComputedStyle(table).backgroundColor !== "rgba(0, 0, 0, 0)").length"""


@pytest.mark.parametrize(
    ("address", "scripts"),
    [("speed/benchmarks/", True), ("speed/benchmarks/", False), ("reference/backends/", False)],
)
def test_what_scrolls_sideways_shades_its_edge(
    opened: Callable[..., Page], address: str, scripts: bool
) -> None:
    page = opened(address, viewport=PHONE, java_script_enabled=scripts)
    assert page.evaluate(f"({SIDEWAYS})().length") > 1
    assert page.evaluate(PLAIN) == []
    assert page.evaluate(ABOVE) == 0


def test_the_number_of_a_chapter_stands_inside_its_column(opened: Callable[..., Page]) -> None:
    """What hangs out of it is cut off on paper. Two digits, a dot and a space: 1.6 em."""
    room = """item => parseFloat(getComputedStyle(item).marginLeft)
      / parseFloat(getComputedStyle(item, "::marker").fontSize)"""
    assert opened("", viewport=PHONE).locator(".map ol li").first.evaluate(room) >= 1.6


@pytest.mark.parametrize(
    "address",
    [
        "about/conventions/",
        "speed/benchmarks/",
        "foundations/cross-attention/",
        "foundations/errata/",
    ],
)
def test_a_table_of_words_is_wider_than_a_word(opened: Callable[..., Page], address: str) -> None:
    assert opened(address, viewport=PHONE).evaluate(THIN) == []


@pytest.mark.parametrize(
    "address", ["speed/a-gpu-kernel/", "speed/what-attention-costs/", "foundations/the-block/"]
)
def test_the_letters_of_a_drawing_can_be_read(opened: Callable[..., Page], address: str) -> None:
    found = opened(address, viewport=PHONE).evaluate(LETTERS)
    assert found
    assert [drawing for drawing, size in found if size < 10] == []


@pytest.mark.parametrize("width", [390, 1440])
def test_the_first_links_of_the_book_are_not_broken(
    opened: Callable[..., Page], width: int
) -> None:
    links = opened("", viewport={"width": width, "height": 844}).locator(".lede + p a")
    assert links.evaluate_all("nodes => nodes.map(node => node.getClientRects().length)") == [1] * 3

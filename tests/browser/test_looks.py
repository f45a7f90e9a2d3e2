"""What stands beside or over something else, on any screen, on paper and in a search."""

from collections.abc import Callable

import pytest
from explorer import Explorer
from playwright.sync_api import Page

NUMBERS = """() => [...document.querySelectorAll(".highlighttable")].filter(
  node => node.offsetParent).map(node => {
    const last = part => [...node.querySelectorAll(part)].at(-1).getBoundingClientRect()
    const first = part => node.querySelector(part).getBoundingClientRect()
    const numbers = ".linenos .normal", code = node.querySelector(".code code")
    const lines = code.textContent.trimEnd().split("\\n").length
    const step = (last(numbers).top - first(numbers).top) / (lines - 1)
    const box = code.getBoundingClientRect(), style = getComputedStyle(code)
    const room = name => parseFloat(style[name])
    const pitch = (box.height - room("paddingTop") - room("paddingBottom")) / lines
    return [Math.abs(lines * (step - pitch)),
      Math.abs(first(numbers).top - box.top - room("paddingTop"))]
  })"""
OVERLAP = """() => [...document.querySelectorAll(".example__copy")].filter(button => {
    const over = button.getBoundingClientRect()
    const texts = document.createTreeWalker(
      button.closest(".highlight").querySelector("code"), NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      if ([...range.getClientRects()].some(at => at.right > over.left && at.left < over.right
        && at.bottom > over.top && at.top < over.bottom)) return true
    }
    return false
  }).length"""


@pytest.mark.parametrize("width", [390, 1440])
def test_a_line_of_source_code_has_its_number_beside_it(
    opened: Callable[..., Page], width: int
) -> None:
    page = opened("reference/functional/", viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    found = page.evaluate(NUMBERS)
    assert found
    assert max(apart for both in found for apart in both) < 3  # a line is 20 high


@pytest.mark.parametrize("width", [720, 900, 1100])
def test_where_a_number_comes_from_is_not_cut_off(opened: Callable[..., Page], width: int) -> None:
    page = opened("foundations/multi-head-attention/", viewport={"width": width, "height": 700})
    numbers = page.locator(":is(.checked, .sourced):visible")
    assert numbers.count() > 10
    for number in numbers.all():
        number.focus()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_was_sought_is_marked_where_one_lands(opened: Callable[..., Page]) -> None:
    page = opened("foundations/softmax/?h=temperature")
    page.locator("mark", has_text="temperature").first.wait_for(state="attached")


def test_who_seeks_nothing_is_sent_no_index(opened: Callable[..., Page]) -> None:
    asked = (
        "performance.getEntriesByType('resource').filter(({ name }) => /index.json$/.test(name))"
    )
    for sought, count in (("", 0), ("temperature", 1)):
        page = opened(f"foundations/softmax/?h={sought}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate(f"{asked}.length") == count


def test_where_a_number_comes_from_lies_over_the_header(opened: Callable[..., Page]) -> None:
    page = opened("foundations/one-context-vector/", viewport={"width": 1440, "height": 900})
    number = page.locator("p > .checked:visible").nth(5)
    number.evaluate("node => scrollBy(0, node.getBoundingClientRect().top - 60)")
    box = number.bounding_box()
    assert box
    above = {"x": box["x"], "y": box["y"] - 24, "width": 40, "height": 16}
    before = page.screenshot(clip=above)
    number.hover()
    assert page.screenshot(clip=above) != before


@pytest.mark.parametrize("address", ["reference/backends/", "reference/laws-of-modules/"])
def test_on_a_desk_no_output_scrolls_sideways(opened: Callable[..., Page], address: str) -> None:
    wide = "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth + 1).length"
    page = opened(address, viewport={"width": 1440, "height": 900})
    assert page.locator(".output pre > code").evaluate_all(wide) == 0


def test_figures_turn_dark_without_a_script(opened: Callable[..., Page]) -> None:
    for scheme, turned in (("dark", True), ("light", False)):
        page = opened("foundations/softmax/", java_script_enabled=False, color_scheme=scheme)
        look = page.locator("figure img").first.evaluate("node => getComputedStyle(node).filter")
        assert ("invert" in look) == turned


def test_a_button_lies_over_no_code(opened: Callable[..., Page]) -> None:
    page = opened("reference/masks/", viewport={"width": 390, "height": 844})
    assert page.locator(".example__copy").count() > 5
    assert page.evaluate(OVERLAP) == 0


def test_on_paper_a_citation_stays_and_source_code_does_not(opened: Callable[..., Page]) -> None:
    page = opened("reference/masks/")
    page.emulate_media(media="print")
    assert page.locator(".doc details:has(.highlighttable):visible").count() == 0
    assert page.locator(".doc details:visible").count() > 0


def test_on_paper_each_head_has_its_table_and_its_name(opened: Callable[..., Page]) -> None:
    page = opened("")
    page.emulate_media(media="print")
    assert page.locator(".attn__head:visible").all_inner_texts() == ["Head 4"]
    names = "nodes => nodes.map(node => getComputedStyle(node, '::before').content.at(-2))"
    assert page.locator(".attn__matrix:visible").evaluate_all(names) == ["4", "2", "8"]


def test_a_button_that_can_do_no_more_hands_on_the_focus(explorer: Explorer) -> None:
    page = explorer.page
    for name, other in (("add", "remove"), ("remove", "add")):
        button = page.locator(f"[data-at={name}]")
        while button.is_enabled():
            button.press("Enter")
        assert page.evaluate("document.activeElement.dataset.at") == other


@pytest.mark.parametrize("scripts", [True, False])
def test_a_folded_reference_opens_for_who_is_sent_into_it(
    opened: Callable[..., Page], scripts: bool
) -> None:
    page, into = "foundations/scaling/", "#attention.functional.dot_product_attention"
    names = ".reference .doc-heading"
    assert not opened(page, java_script_enabled=scripts).locator(names).is_visible()
    opened(page + into, java_script_enabled=scripts).locator(names).wait_for()


def test_a_folded_reference_is_open_on_paper_and_beside_the_prose(
    opened: Callable[..., Page],
) -> None:
    page = opened("foundations/scaling/", viewport={"width": 2200, "height": 900})
    name, label = (page.locator(f".reference {part}") for part in (".doc-heading", "> summary"))
    assert name.is_visible()
    assert not label.is_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    assert label.is_visible()
    assert not name.is_visible()
    page.emulate_media(media="print")
    assert name.is_visible()


def test_what_is_read_is_marked_and_moves_no_line(opened: Callable[..., Page]) -> None:
    page = opened("foundations/attention-as-a-graph/", viewport={"width": 1440, "height": 900})
    links = page.locator(".md-sidebar--secondary a.md-nav__link")
    heights = "nodes => nodes.map(node => node.clientHeight)"
    before = links.evaluate_all(heights)
    assert max(before) > min(before)  # some have two lines
    links.nth(1).click()
    page.wait_for_function(
        "document.querySelectorAll('.md-sidebar--secondary a')[1].matches('.md-nav__link--active')"
    )
    assert links.evaluate_all(heights) == before
    assert "px 0px 0px" in links.nth(1).evaluate("node => getComputedStyle(node).boxShadow")
    # Nor has the title of a chapter that is read more lines than another.
    names = page.locator(".md-sidebar--primary a.md-nav__link")
    assert len({*names.evaluate_all(heights)} - {0}) == 1


@pytest.mark.parametrize(
    ("address", "first"),
    [("", "h1"), ("foundations/masks/", ".md-sidebar--primary a.md-nav__link")],
)
def test_all_begins_at_the_same_line(opened: Callable[..., Page], address: str, first: str) -> None:
    page = opened(address, viewport={"width": 1440, "height": 900})
    left = "node => node.getBoundingClientRect().left"
    names = [".md-logo .mark", first, ".md-copyright"]
    assert len({page.locator(name).first.evaluate(left) for name in names}) == 1

"""Everything that a pointer can do, by keyboard, and one sees where one is."""

from collections.abc import Callable

import pytest
from conftest import WIDE
from playwright.sync_api import Page

CHAPTER = "foundations/one-context-vector/"
PHONE = {"width": 390, "height": 844}
# The focus, and what is wrong with how it shows. What is drawn may be the label of an unseen input.
FOCUS = """async () => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  const focus = document.activeElement
  const fault = node => {
    const box = node.getClientRects()[0], style = getComputedStyle(node)
    if (!box?.width || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      return "cannot be seen"
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "has no outline"
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return node.contains(top) || top?.contains(node) ? "" : "is covered or outside"
  }
  if (focus === document.body) return [false, ""] // on the way round
  const again = window.reached?.has(focus)
  ;(window.reached ??= new Set()).add(focus)
  const faults = [focus, ...focus.labels ?? [], focus.nextElementSibling].filter(Boolean).map(fault)
  return [again, faults.includes("") ? "" : `${focus.outerHTML.slice(0, 90)}: ${faults}`]
}"""
# What takes the focus and had none; of radio buttons one stands for all.
MISSED = """() => [
  ...document.querySelectorAll("a[href], button, input, summary, [tabindex]")
].filter(node =>
  node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true }) && !reached.has(node)
  && !(node.type === "radio" && [...reached].some(one => one.name === node.name))
).map(node => node.outerHTML.slice(0, 120))"""


def walk(page: Page, key: str = "Tab") -> list[str]:
    """Where the focus does not show while the key moves it once round the page."""
    faults = []
    page.evaluate("window.reached = undefined")
    for _ in range(1000):
        page.keyboard.press(key)
        again, fault = page.evaluate(FOCUS)
        if again:
            return faults
        if fault:
            faults.append(fault)
    raise AssertionError("the focus never comes round")


@pytest.mark.parametrize(
    ("address", "viewport", "key"),
    [
        ("", WIDE, "Tab"),
        (CHAPTER, WIDE, "Tab"),
        (CHAPTER, WIDE, "Shift+Tab"),
        (CHAPTER, PHONE, "Tab"),
        (CHAPTER, PHONE, "Shift+Tab"),
        ("reference/functional/", PHONE, "Tab"),
    ],
)
def test_every_control_is_reached_and_seen(
    opened: Callable[..., Page], address: str, viewport: dict[str, int], key: str
) -> None:
    page = opened(address, viewport=viewport, reduced_motion="reduce")
    assert walk(page, key) == []
    assert page.evaluate("reached.size") > 10
    assert page.evaluate(MISSED) == []


def test_the_drawer(opened: Callable[..., Page]) -> None:
    page = opened(CHAPTER, viewport=PHONE, reduced_motion="reduce")
    button = page.get_by_role("button", name="Contents")
    assert button.get_attribute("aria-expanded") == "false"
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator("button[for=__drawer]").get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.textContent.trim()") == "One context vector"
    assert walk(page) == []
    links = page.locator(".md-sidebar--primary a[href]:visible").count()
    assert page.evaluate("reached.size") == links > 30
    assert page.evaluate("[...reached].every(link => link.closest('.md-sidebar--primary'))")
    page.keyboard.press("Escape")
    assert button.evaluate("button => button === document.activeElement")
    assert button.get_attribute("aria-expanded") == "false"
    assert not page.evaluate("document.querySelector('.md-content').inert")
    assert page.locator(".md-sidebar--primary a[href]:visible").count() == 0


def test_the_drawer_leads_into_the_page(opened: Callable[..., Page]) -> None:
    page = opened(CHAPTER, viewport=PHONE, reduced_motion="reduce")
    page.get_by_role("button", name="Contents").press("Enter")
    page.locator(".md-sidebar--primary").get_by_role("link", name="Score every word").press("Enter")
    page.locator(".md-sidebar--primary").wait_for(state="hidden")
    heading = page.locator("h2#score-every-word")
    top = heading.evaluate("heading => heading.getBoundingClientRect().top")
    assert 40 < top < 120  # below the header
    assert not page.evaluate("document.querySelector('.md-content').inert")


@pytest.mark.parametrize("viewport", [PHONE, WIDE])
def test_the_search(opened: Callable[..., Page], viewport: dict[str, int]) -> None:
    page = opened("", viewport=viewport, reduced_motion="reduce")
    if viewport is PHONE:
        page.get_by_role("button", name="Search").press("Enter")
    else:
        page.keyboard.press("/")
    page.locator(".md-search__input:focus").wait_for()
    page.keyboard.type("scaling")
    page.locator(".md-search-result__link").first.wait_for()
    page.get_by_role("status").get_by_text("Found on").wait_for()  # it is heard
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('.md-search-result__link')")
    assert page.evaluate(FOCUS)[1] == ""
    page.keyboard.press("Enter")
    page.wait_for_url("**/scaling/**")


def test_a_token_is_chosen_by_the_arrow_keys(opened: Callable[..., Page]) -> None:
    page = opened("")
    said = page.locator(".attn__say p:visible")
    before = said.inner_text()
    page.locator(".attn__token input:checked").focus()
    page.keyboard.press("ArrowRight")
    assert said.inner_text() != before


def test_the_colours_follow_the_arrow_keys(opened: Callable[..., Page]) -> None:
    page = opened("", color_scheme="light")
    page.locator(".md-option:checked").focus()
    scheme = "document.body.dataset.mdColorScheme"
    for expected in ("default", "slate", "default"):  # light, dark, the system's
        page.keyboard.press("ArrowRight")
        assert page.evaluate(scheme) == expected
        assert page.evaluate(FOCUS)[1] == ""


def test_a_number_of_an_option_is_told_when_it_is_chosen(opened: Callable[..., Page]) -> None:
    """Before, its expression would give the answer away."""
    page = opened("foundations/why-attention/", viewport=WIDE)
    option = page.locator(".choice:has(label :is(.checked, .sourced))").first
    number, radio = option.locator("label :is(.checked, .sourced)").first, option.locator("input")
    radio.focus()
    page.keyboard.press("Tab")
    assert not number.evaluate("node => node === document.activeElement")
    assert number.get_attribute("aria-description") is None
    radio.focus()
    page.keyboard.press(" ")
    assert radio.is_checked()
    page.keyboard.press("Tab")
    assert number.evaluate("node => node === document.activeElement")
    assert number.get_attribute("aria-description")


def test_whoever_leaves_the_search_stands_where_it_begins(opened: Callable[..., Page]) -> None:
    page = opened(CHAPTER, viewport=PHONE)
    page.locator("button[for=__search]").click()
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.matches('button[for=__search]')")

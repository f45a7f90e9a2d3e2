"""The book without a script, without motion, and without anything kept."""

from collections.abc import Callable, Iterator

import pytest
from conftest import WIDE, Visit
from pages import PAGES, address
from playwright.sync_api import Browser, BrowserContext, Page

CHAPTER = "foundations/one-context-vector/"
MOVES = """() => [...document.querySelectorAll("*")].filter(node =>
  ["", "::before", "::after"].some(part => {
    const { transitionDuration, animationName } = getComputedStyle(node, part || null)
    return /[1-9]/.test(transitionDuration) || !/^(none)?$/.test(animationName)
  })).map(node => node.outerHTML.slice(0, 80))"""
# What a browser answers where a reader has refused all cookies.
REFUSE = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("refused", "SecurityError") } })"""
SEEN, FOLDED = ".katex, .attn__arcs, .checked", ":is(details, .answer)"
SMALL = """() => [...document.querySelectorAll(".md-content :is(img, svg.attention-graph)")].filter(
  node => node.getBoundingClientRect().width < 100 || node.naturalWidth === 0
).map(node => node.outerHTML.slice(0, 80))"""


@pytest.fixture
def plain(opened: Callable[..., Page]) -> Callable[[str], Page]:
    """Opens a page in a browser that runs no script of it."""
    return lambda address: opened(address, java_script_enabled=False)


@pytest.fixture(scope="module")
def scriptless(browser: Browser) -> Iterator[BrowserContext]:
    """One reader of all pages, who keeps what they share: 0.55 s a page instead of 0.8."""
    context = browser.new_context(viewport=WIDE, java_script_enabled=False)
    yield context
    context.close()


@pytest.mark.parametrize("page", PAGES)
def test_without_a_script_a_page_is_whole(
    visit: Callable[..., Visit], scriptless: BrowserContext, page: str
) -> None:
    seen = visit(address(page), scriptless).page
    assert seen.locator(":is(.cell__copy, .formats__copy):visible").count() == 0
    assert seen.locator(f".md-content :is({SEEN}):not(:visible, {FOLDED} *)").count() == 0
    assert seen.evaluate(SMALL) == []
    seen.close()


def test_without_a_script_a_token_is_chosen(plain: Callable[[str], Page]) -> None:
    page = plain("")
    said = page.locator(".attn__say p:visible")
    for token in ("can't", "find"):
        page.locator(".attn__token", has_text=token).click()
        assert said.inner_text().startswith(token)
    page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("the")


def test_without_a_script_a_prediction_answers(plain: Callable[[str], Page]) -> None:
    page = plain(CHAPTER)
    answer = page.locator(".choice .answer").first
    assert not answer.is_visible()
    page.locator(".choice label").first.click()
    assert answer.is_visible()


def test_without_a_script_a_solution_unfolds(plain: Callable[[str], Page]) -> None:
    page = plain(CHAPTER)
    solution = page.locator("details.success").first
    code = solution.locator("pre").first
    assert not code.is_visible()
    solution.locator("summary").first.click()
    assert code.is_visible()


def test_without_a_script_a_checked_number_opens(plain: Callable[[str], Page]) -> None:
    number = plain(CHAPTER).locator(".md-content p > .checked").first
    shown = "node => getComputedStyle(node, '::after').content"
    assert number.evaluate(shown) == "none"
    number.focus()
    assert number.get_attribute("data-expression") in number.evaluate(shown).replace("\\", "")


def test_without_a_script_a_formula_is_read(plain: Callable[[str], Page]) -> None:
    formula = plain("foundations/softmax/").locator(".katex").first
    assert formula.bounding_box()["width"] > 10  # type: ignore
    assert formula.locator("math").count() == 1


def test_a_browser_that_keeps_nothing_is_no_error(
    visit: Callable[..., Visit], browser: Browser
) -> None:
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    context.add_init_script(REFUSE)
    found = visit("", context)
    found.page.locator(".md-option:checked").focus()
    for expected in ("default", "slate"):
        found.page.keyboard.press("ArrowRight")
        assert found.page.evaluate("document.body.dataset.mdColorScheme") == expected
    found.page.get_by_role("textbox", name="Search").fill("softmax")
    found.page.locator(".md-search-result__link").first.wait_for()
    assert found.messages == []
    context.close()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_who_wants_no_motion(visit: Callable[..., Visit], motion: str) -> None:
    found = visit(CHAPTER, reduced_motion=motion, viewport={"width": 390, "height": 844})
    assert bool(found.page.evaluate(MOVES)) == (motion != "reduce")
    found.page.get_by_role("button", name="Contents").click()
    assert found.page.evaluate("document.getAnimations().length > 0") == (motion != "reduce")
    found.page.context.close()

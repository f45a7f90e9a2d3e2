"""What a reader waits for: what is sent, and whether the page moves while it comes."""

import pytest
from playwright.sync_api import Browser, Page
from server import Server

CHAPTER, REFERENCE = "foundations/one-context-vector/", "reference/functional/"
FIRST, NEXT = 300_000, 60_000  # bytes over the wire, compressed, with their headers
FORMULAS = 10_000  # more, once: the first page that has formulas brings their fonts, of 32 kB
MOVED = 0.01
SHIFT = """window.shifted = 0
new PerformanceObserver(list => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) shifted += shift.value
}).observe({ type: "layout-shift", buffered: true })"""


def sent(server: Server, page: Page, address: str) -> int:
    """The bytes of a visit, once nothing more comes."""
    before = len(server.sent)
    page.goto(server.address + address, wait_until="networkidle")
    return sum(size for _, size in server.sent[before:])


@pytest.mark.parametrize(
    ("address", "most_next"), [("", NEXT + FORMULAS), (CHAPTER, NEXT), (REFERENCE, NEXT)]
)
def test_what_is_sent_is_little(
    browser: Browser, server: Server, address: str, most_next: int
) -> None:
    page = browser.new_page()
    first = sent(server, page, address)
    following = page.locator(".md-footer__link--next").evaluate("link => link.href")
    then = sent(server, page, following.removeprefix(server.address))
    page.close()
    assert 50_000 < first <= FIRST
    assert 5_000 < then <= most_next


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", ["", CHAPTER, REFERENCE])
def test_a_page_stays_where_it_is(
    browser: Browser, server: Server, address: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.add_init_script(SHIFT)
    page.goto(server.address + address, wait_until="networkidle")
    page.wait_for_timeout(300)
    shifted = page.evaluate("shifted")
    page.close()
    assert shifted <= MOVED

"""What a reader waits for: what is sent, and whether the page moves while it comes."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from server import Server

CHAPTER, REFERENCE = "foundations/one-context-vector/", "reference/functional/"
FIRST, NEXT = 300_000, 60_000  # bytes over the wire, compressed, with their headers
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


@pytest.mark.parametrize("address", ["", CHAPTER, REFERENCE])
def test_what_is_sent_is_little(browser: Browser, server: Server, address: str) -> None:
    page = browser.new_page()
    first = sent(server, page, address)
    following = page.locator(".md-footer__link--next").evaluate("link => link.href")
    then = sent(server, page, following.removeprefix(server.address))
    page.close()
    assert 50_000 < first <= FIRST
    assert 5_000 < then <= NEXT


@pytest.fixture(params=[0, 1.5], ids=["fonts at once", "late fonts"])
def patient(server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server over a good line, and over one that brings the fonts last."""
    server.fonts_wait = request.param
    yield server
    server.fonts_wait = 0


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_stays_where_it_is(browser: Browser, patient: Server, width: int) -> None:
    """Four pages side by side: most of the time is waiting."""
    pages = {}
    for address in ("", CHAPTER, "foundations/why-attention/", REFERENCE):
        page = pages[address] = browser.new_page(viewport={"width": width, "height": 900})
        page.add_init_script(SHIFT)
        page.goto(patient.address + address, wait_until="commit")
    for page in pages.values():
        page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    moved = {address: page.evaluate("shifted") for address, page in pages.items()}
    for page in pages.values():
        page.close()
    assert {address: by for address, by in moved.items() if by > MOVED} == {}


# The faces that stand in have the letters' mean width, so that nobody gets another page.
@pytest.mark.parametrize("address", ["", CHAPTER, REFERENCE])
def test_without_its_fonts_a_page_has_its_length(
    browser: Browser, server: Server, address: str
) -> None:
    lengths = []
    for blocked in (False, True):
        page = browser.new_page(viewport={"width": 390, "height": 900})
        if blocked:
            page.route("**/*.woff2", lambda route: route.abort())
        page.goto(server.address + address, wait_until="networkidle")
        page.goto(server.address + address, wait_until="networkidle")  # by now they are kept
        lengths.append(page.evaluate("document.documentElement.scrollHeight"))
        page.close()
    assert lengths[1] == pytest.approx(lengths[0], rel=0.01)


def test_late_fonts_are_for_the_next_page(browser: Browser, server: Server) -> None:
    page, faces = browser.new_page(), []
    inspector = page.context.new_cdp_session(page)
    for wait, address in [(1.5, ""), (0, CHAPTER)]:
        server.fonts_wait = wait
        page.goto(server.address + address, wait_until="networkidle")
        inspector.send("DOM.enable")
        inspector.send("CSS.enable")
        root = inspector.send("DOM.getDocument")["root"]["nodeId"]
        found = inspector.send("DOM.querySelector", {"nodeId": root, "selector": ".lede"})
        faces += [inspector.send("CSS.getPlatformFontsForNode", found)["fonts"]]
    page.close()
    assert [{face["isCustomFont"] for face in fonts} for fonts in faces] == [{False}, {True}]

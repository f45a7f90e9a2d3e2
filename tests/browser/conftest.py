"""One Chromium and one server a worker, and pages that remember what they asked for and said."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe import UNFOLD
from explorer import Explorer
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright
from server import Server, serve

from literate.printing.chromium import browser as installed

WIDE = {"width": 1280, "height": 900}
WIDTHS = {"phone": (390, 844), "zoomed": (640, 450)}  # zoomed: 1280 × 900 at 200 %


@dataclass
class Visit:
    """An open page, what it asked of other hosts, and its warnings and errors."""

    page: Page
    elsewhere: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def chromium(playwright: Playwright) -> str | None:
    """What CHROME names or is installed, or what `playwright install chromium` brought."""
    brought = playwright.chromium.executable_path
    return installed() or (brought if Path(brought).exists() else None)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chrome(playwright: Playwright) -> str:
    """The program."""
    path = chromium(playwright)
    if path is None:
        without = pytest.fail if os.environ.get("BROWSER_REQUIRED") else pytest.skip
        without("no Chromium found: install it, or name its program in CHROME")
    return path


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chrome: str) -> Iterator[Browser]:
    # A machine without a GPU draws as well without a process for it, and a tenth faster.
    browser = playwright.chromium.launch(executable_path=chrome, args=["--disable-gpu"])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server(chrome: str, built: Path) -> Iterator[Server]:
    with serve(built) as server:
        yield server


@pytest.fixture(scope="session")
def visit(browser: Browser, server: Server) -> Callable[..., Visit]:
    """Opens a page, as a reader who was never here; options as `browser.new_context` has them."""

    def open_page(address: str, context: BrowserContext | None = None, **options: object) -> Visit:
        context = context or browser.new_context(**{"viewport": WIDE, **options})  # type: ignore
        page = context.new_page()
        page.set_default_timeout(10_000)
        found = Visit(page)

        def asked(url: str) -> None:
            if not url.startswith((server.address, "data:")):
                found.elsewhere.append(url)

        def said(kind: str, text: str) -> None:
            if kind in {"warning", "error"}:
                found.messages.append(text)

        page.on("request", lambda request: asked(request.url))
        page.on("console", lambda message: said(message.type, message.text))
        page.on("pageerror", lambda error: said("error", str(error)))
        page.goto(server.address + address)
        return found

    return open_page


@pytest.fixture
def opened(visit: Callable[..., Visit]) -> Iterator[Callable[..., Page]]:
    """The same, closed after the test."""
    pages = []

    def open_page(address: str, **options: object) -> Page:
        pages.append(visit(address, **options).page)
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[BrowserContext]:
    """One reader of many pages, who keeps what they share."""
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture(scope="module")
def seen(
    request: pytest.FixtureRequest, reader: BrowserContext, visit: Callable[..., Visit]
) -> Iterator[Visit]:
    """An address, opened once for all that is asked of it."""
    found = visit(request.param, reader)
    found.page.evaluate(UNFOLD)
    yield found
    found.page.close()


@pytest.fixture
def looked(request: pytest.FixtureRequest, seen: Visit) -> Visit:
    """The same, as one looks at it."""
    width, height = WIDTHS.get(request.param, WIDE.values())
    seen.page.set_viewport_size({"width": width, "height": height})
    seen.page.emulate_media(color_scheme="dark" if request.param == "dark" else "light")
    return seen


@pytest.fixture
def explorer(opened: Callable[..., Page]) -> Explorer:
    return Explorer(opened("explorer/"))

"""Every page, opened once: for everybody, at every width, and without anything from elsewhere."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe import COLOURS, RULES, UNFOLD, violations
from conftest import WIDE, Visit
from pages import PAGES, address
from playwright.sync_api import Browser, BrowserContext

WIDTHS = {"phone": (390, 844), "zoomed": (640, 450)}  # zoomed: 1280 × 900 at 200 %
WIDER = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth"


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[BrowserContext]:
    """One reader of all pages, who keeps what they share."""
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture(scope="module", params=[*map(address, PAGES), "404.html"], ids=lambda a: a or "/")
def seen(
    request: pytest.FixtureRequest, reader: BrowserContext, visit: Callable[..., Visit]
) -> Iterator[Visit]:
    found = visit(request.param, reader)
    found.page.evaluate(UNFOLD)
    yield found
    found.page.close()


@pytest.fixture(params=["light", "dark", "phone", "zoomed"])
def looked(request: pytest.FixtureRequest, seen: Visit) -> Visit:
    width, height = WIDTHS.get(request.param, (1280, 900))
    seen.page.set_viewport_size({"width": width, "height": height})
    seen.page.emulate_media(color_scheme="dark" if request.param == "dark" else "light")
    return seen


@pytest.mark.parametrize(
    ("looked", "rules"),
    [("light", RULES), ("dark", COLOURS), ("phone", RULES)],
    indirect=["looked"],
)
def test_axe_finds_nothing(looked: Visit, rules: list[str]) -> None:
    assert violations(looked.page, rules) == []


@pytest.mark.parametrize("looked", ["phone", "zoomed"], indirect=True)
def test_nothing_reaches_past_the_window(looked: Visit) -> None:
    assert looked.page.evaluate(WIDER) <= 0


def test_nobody_else_is_asked_and_nothing_is_reported(seen: Visit) -> None:
    """What the policy of the site forbids is reported as well."""
    assert seen.elsewhere == []
    assert seen.messages == []


def test_the_pages_are_those_of_the_site(built: Path) -> None:
    listed = re.findall(
        r"<loc>https://book\.example/(.*)</loc>", (built / "sitemap.xml").read_text()
    )
    assert sorted(listed) == sorted(map(address, PAGES))

"""The policy of a published page, and that what must fetch and copy still can."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Visit
from pages import PAGES, shown
from playwright.sync_api import Page

CHAPTER = "foundations/one-context-vector/"
POLICY = "document.querySelector('meta[http-equiv=Content-Security-Policy]').content"


def test_no_page_may_run_what_is_not_a_file_of_the_site(opened: Callable[..., Page]) -> None:
    rules = dict(rule.split(None, 1) for rule in opened("").evaluate(POLICY).split("; "))
    assert rules["default-src"] == "'self'"
    assert not {"script-src", "script-src-elem", "connect-src"} & set(rules)
    assert "unsafe-eval" not in str(rules)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_the_policy(built: Path, page: str) -> None:
    assert shown(built, page).count('<meta http-equiv="Content-Security-Policy"') == 1


def test_a_script_in_a_page_is_refused_and_reported(visit: Callable[..., Visit]) -> None:
    found = visit("")
    found.page.evaluate("""() => {
      const script = document.createElement("script")
      script.text = "window.ran = true"
      document.body.append(script)
    }""")
    assert found.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in message for message in found.messages)
    found.page.context.close()


@pytest.mark.parametrize(
    ("button", "begins"),
    [(".cell__script", "import torch"), (".formats__copy", "# "), (".cell__copy", "import torch")],
)
def test_what_copies_copies(visit: Callable[..., Visit], button: str, begins: str) -> None:
    found = visit(CHAPTER, permissions=["clipboard-read", "clipboard-write"])
    found.page.locator(button).first.click()
    found.page.locator(button, has_text="Copied").wait_for()
    found.page.get_by_role("status").get_by_text("Copied", exact=True).wait_for()  # it is heard
    text = found.page.evaluate("navigator.clipboard.readText()")
    assert begins in text
    assert "<html" not in text
    assert found.messages == []
    found.page.context.close()


@pytest.mark.parametrize("way", ["delete Navigator.prototype.clipboard", "delete ClipboardItem"])
@pytest.mark.parametrize(
    ("button", "file"), [(".cell__script", "block-01.py"), (".formats__copy", "index.md")]
)
def test_who_cannot_copy_gets_the_file(
    opened: Callable[..., Page], way: str, button: str, file: str
) -> None:
    """A browser has no clipboard where the site comes over plain http."""
    page = opened(CHAPTER)
    page.evaluate(f"void {way}")
    page.locator(button).first.click()
    page.wait_for_url(f"**/{CHAPTER}{file}")


def test_who_cannot_copy_gets_a_block_selected(opened: Callable[..., Page]) -> None:
    page = opened(CHAPTER)
    page.evaluate("void delete Navigator.prototype.clipboard")
    page.locator(".cell__copy").first.click()
    page.locator(".cell__copy", has_text="Selected").wait_for()
    code = page.locator(".cell code").first.text_content()
    assert page.evaluate("getSelection().toString()").strip() == (code or "").strip()


def test_the_search_finds(visit: Callable[..., Visit]) -> None:
    """It runs in a worker, from a file of the site."""
    found = visit("")
    found.page.get_by_role("textbox", name="Search").fill("softmax")
    found.page.locator(".md-search-result__link").first.wait_for()
    assert found.messages == []
    found.page.context.close()


def test_a_reader_s_colours_are_kept(opened: Callable[..., Page]) -> None:
    page = opened("", color_scheme="light")
    scheme = "document.body.dataset.mdColorScheme"
    for _ in ("light", "dark"):
        page.locator("[data-md-component=palette] label:visible").click()
    assert page.evaluate(scheme) == "slate"
    page.locator(".md-footer__link--next").click()
    page.wait_for_url("**/why-attention/")
    assert page.evaluate(scheme) == "slate"


def test_an_explorer_in_a_folder_says_what_it_needs(
    built: Path, opened: Callable[..., Page]
) -> None:
    page = opened("explorer/")
    needs = page.locator(".explorer", has_text="make serve")
    page.locator(".explorer__tool").wait_for()
    assert needs.count() == 0
    page.goto((built / "explorer/index.html").as_uri())
    assert needs.is_visible()


def test_a_book_in_a_folder_has_its_buttons(built: Path, opened: Callable[..., Page]) -> None:
    """A browser refuses modules there, so no script is one."""
    page = opened("")
    page.goto((built / CHAPTER / "index.html").as_uri())
    page.locator("button[for=__drawer]").wait_for(state="attached")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_book_in_a_folder_says_what_its_search_needs(
    built: Path, opened: Callable[..., Page], width: int
) -> None:
    page = opened("", viewport={"width": width, "height": 800})
    hint = page.locator(".md-header", has_text="Search needs make serve")
    page.locator("button[for=__search]").wait_for(state="attached")
    assert hint.count() == 0
    page.goto((built / CHAPTER / "index.html").as_uri())
    hint.locator("code").wait_for()
    assert not page.get_by_role("textbox", name="Search").is_visible()

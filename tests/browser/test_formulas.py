"""Each sign of a formula is in the font that it asks for: none is borrowed from another."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from fontTools.ttLib import TTFont
from pages import DOCS, PAGES, address, shown
from playwright.sync_api import Page

VENDOR = DOCS / "assets/vendor"
FACE = re.compile(r"@font-face\{(?P<rules>[^}]*)\}")
# Of each text of a formula: the family, weight and style that it asks for first, and its signs.
ASKED = """() => [...document.querySelectorAll(".katex-html")].flatMap(formula => {
  const texts = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT), found = []
  while (texts.nextNode()) {
    const style = getComputedStyle(texts.currentNode.parentElement)
    const family = style.fontFamily.split(",")[0].replaceAll('"', "")
    found.push([[family, style.fontWeight, style.fontStyle].join(" "), texts.currentNode.nodeValue])
  }
  return found
})"""


def faces() -> Iterator[tuple[str, set[str]]]:
    """The faces of the style sheet, and the signs of each."""
    for face in FACE.finditer((VENDOR / "katex.css").read_text("utf-8")):
        rules = dict(rule.split(":", 1) for rule in face["rules"].split(";"))
        name = " ".join(rules[f"font-{part}"] for part in ("family", "weight", "style"))
        file = VENDOR / re.findall(r"url\(([^)]+)\)", rules["src"])[0]
        yield name, set(map(chr, TTFont(file).getBestCmap()))


def test_no_sign_is_borrowed(built: Path, opened: Callable[..., Page]) -> None:
    has, count = dict(faces()), 0
    for page in PAGES:
        if "katex-html" not in shown(built, page):
            continue
        for face, signs in opened(address(page)).evaluate(ASKED):
            lacking = {*signs} - has.get(face, set()) - {"\u200b", "\u00a0", " "}
            assert not lacking, f"{page}: {face} lacks {lacking}"
            count += len(signs)
    assert count > 1000

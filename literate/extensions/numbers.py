"""Checked numbers on the site: `0.2379<!--= weights[1, 1] -->` says how it was checked."""

import xml.etree.ElementTree as etree
from re import Match

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from literate.prose import CHECK


class CheckedNumber(InlineProcessor):
    """A number becomes `<data>` with its expression; the comment of a claim disappears."""

    def handleMatch(self, m: Match[str], data: str) -> tuple[etree.Element | str, int, int]:  # type: ignore[override]
        if not m["printed"]:
            return "", m.start(0), m.end(0)
        element = etree.Element("data", {"class": "checked", "value": m["printed"]})
        element.set("title", f"checked: {m['expression'].strip()}")
        element.text = m["printed"] + (m["unit"] or "")
        return element, m.start(0), m.end(0)


class NumbersExtension(Extension):
    """Registers the pattern after inline code (190), before raw HTML, which would eat comments."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(CheckedNumber(CHECK.pattern, md), "checked_number", 185)


def makeExtension(**options: object) -> NumbersExtension:
    return NumbersExtension(**options)

"""Checked numbers on the site: `0.2379<!--= weights[1, 1] -->` opens to its expression."""

import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor

from literate.prose import CHECK

# A check on a line of its own is a block to Markdown, not part of a sentence.
ALONE = re.compile(r"<!--=.*?-->", re.S)


class CheckedNumber(InlineProcessor):
    """A number becomes `<data>` with its expression; the comment of a claim disappears.

    The expression stands in an attribute that the style sheet shows on hover, focus and tap. As
    text it would end up in headings' anchors, in the search, and in what a reader copies.
    """

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element | str, int, int]:  # type: ignore[override]
        if not m["printed"]:
            return "", m.start(0), m.end(0)
        expression = " ".join(m["expression"].split())
        element = etree.Element("data", {"class": "checked", "value": m["printed"]})
        element.set("data-expression", expression)
        # A button is what takes the focus, has its text as name, and may be described.
        element.set("role", "button")
        element.set("tabindex", "0")
        element.set("aria-description", f"checked: {expression}")
        element.text = m["printed"] + (m["unit"] or "")
        return element, m.start(0), m.end(0)


class Alone(Postprocessor):
    def run(self, text: str) -> str:
        return ALONE.sub("", text)


class NumbersExtension(Extension):
    """Registers the pattern after inline code (190), before raw HTML, which would eat comments."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(CheckedNumber(CHECK.pattern, md), "checked_number", 185)
        md.postprocessors.register(Alone(md), "checked_alone", -5)


def makeExtension(**options: object) -> NumbersExtension:
    return NumbersExtension(**options)

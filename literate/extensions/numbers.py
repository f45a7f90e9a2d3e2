"""Checked numbers on the site: `0.2379<!--= weights[1, 1] -->` opens to its expression and value.

A number that no code of the page can give opens to its source: `12,288<!-- source: … -->`.
The full values come from the record of the page: building the site runs no code.
"""

import re
import xml.etree.ElementTree as etree
from pathlib import Path

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

from literate.extensions.fault import Fault
from literate.pages.prose import ASKS, CHECK
from literate.rules.compare import same_number
from literate.running.records import Record, read

SOURCED = (
    r"(?P<printed>[-+−]?\d(?:[\d.,\u202f]*\d)?(?:[ \u202f]?%|×)?)"
    r"<!-- source: (?P<source>(?!-->)[^\n]+?) *-->"
)
# A check on a line of its own is a block to Markdown, not part of a sentence.
ALONE = re.compile(r"<!--=(?P<expression>.*?)-->", re.S)


def opens(text: str, kind: str, said: str, described: str) -> etree.Element:
    """A number that opens to what is said of it.

    It stands in an attribute which the style sheet shows on hover, focus and tap. As text it
    would end up in headings' anchors, in the search, and in what a reader copies.
    """
    element = etree.Element("data", {"class": kind, "value": text, "data-expression": said})
    # A button is what takes the focus, has its text as name, and may be described.
    element.set("role", "button")
    element.set("tabindex", "0")
    element.set("aria-description", described)
    element.text = text
    return element


class SourcedNumber(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element, int, int]:  # type: ignore[override]
        said = f"source: {m['source']}"
        return opens(m["printed"], "sourced", said, said), m.start(0), m.end(0)


class CheckedNumber(InlineProcessor):
    """A number becomes `<data>` with its expression; the comment of a claim disappears."""

    def __init__(self, md: Markdown, folder: Path) -> None:
        super().__init__(CHECK.pattern, md)
        self.folder = folder
        self.page = ""
        self.values: list[tuple[str, float, float]] = []

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element | str, int, int]:  # type: ignore[override]
        if not m["printed"]:
            return "", m.start(0), m.end(0)
        said = self.opened(" ".join(m["expression"].split()), m["printed"], m["unit"] or "")
        element = opens(m["printed"] + (m["unit"] or ""), "checked", said, f"checked: {said}")
        return element, m.start(0), m.end(0)

    def opened(self, expression: str, printed: str, unit: str) -> str:
        """The expression, its value if more digits were recorded than shown, and its spread."""
        for place, (known, value, spread) in enumerate(self.recorded()):
            if known == expression and same_number(printed, unit, value):
                del self.values[place]  # the next number with this expression is the next value
                full = f"{value:.7g}".replace("-", "−")
                if spread:
                    return f"{expression} = {full} ± {spread:.9f}".rstrip("0")
                return expression if full == printed else f"{expression} = {full}"
        return expression

    def recorded(self) -> list[tuple[str, float, float]]:
        """What the record of the page being built still holds, in the order of the page."""
        page = self.md.treeprocessors["relpath"].file.src_uri if self.in_mkdocs else ""  # type: ignore[attr-defined]
        if page != self.page:
            record: Record = read((self.folder / page).with_suffix(".json"))
            self.values = [
                (" ".join(expression.split()), value, sum(spread))
                for expression, value, *spread in record.get("numbers", [])
            ]
            self.page = page
        return self.values

    @property
    def in_mkdocs(self) -> bool:
        """Whether MkDocs converts, which tells which page it is by the processor of its links."""
        return "relpath" in self.md.treeprocessors


class Unread(Treeprocessor):
    """Refuses a check in HTML that Markdown does not read: its number would not open."""

    def run(self, root: etree.Element) -> None:
        for raw in self.md.htmlStash.rawHtmlBlocks:
            if isinstance(raw, str) and not ALONE.fullmatch(raw.strip()):
                for line in raw.split("\n"):
                    if "<!--=" in line:
                        said = "this check stays a comment: `markdown` is missing in the tag"
                        raise Fault(f"{said} around it", line.strip())


class Alone(Postprocessor):
    """What computes a formula stands beside it, as the word that opens to it; the others vanish."""

    def run(self, text: str) -> str:
        return ALONE.sub(self.said, text)

    def said(self, match: re.Match[str]) -> str:
        expression = " ".join(match["expression"].split())
        if not ASKS.search(expression):
            return ""
        # Its word comes from the style sheet: it belongs in no search, and in no copy.
        word = opens("", "checked", expression, f"checked: {expression}")
        word.set("aria-label", "computed")
        said = etree.tostring(word, encoding="unicode", short_empty_elements=False)
        return f'<p class="output__mark computed">{said}</p>'


class NumbersExtension(Extension):
    """Registers the pattern after inline code (190), before raw HTML, which would eat comments."""

    def __init__(self, **options: object) -> None:
        self.config = {"records": ["docs/.records", "The folder of the records"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        number = CheckedNumber(md, Path(self.getConfig("records")))
        md.inlinePatterns.register(number, "checked_number", 185)
        md.inlinePatterns.register(SourcedNumber(SOURCED, md), "sourced_number", 184)
        md.treeprocessors.register(Unread(md), "checked_unread", 2)
        md.postprocessors.register(Alone(md), "checked_alone", -5)


makeExtension = NumbersExtension

r"""Notation that nothing understood is a fault: `$`, `**`, `![` and the like, shown as they stand.

An unclosed `$x`, a box of HTML without `markdown`, `!!! note:` with a colon: Markdown takes each
for text and says nothing. What is meant so has a backslash, `\$5`, or stands in backticks.
"""

import re
import xml.etree.ElementTree as etree
from html.parser import HTMLParser

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from literate.extensions.fault import Fault

# Not yet the characters that a backslash escapes: those are other characters until the very end.
MARK = re.compile(r"\$|!\[|\]\(|\*\*|!!!|\?\?\?|\[\^|\{ ?[.#:]|\\[(\[]|`|~~~")
SAID = ("alt", "title", "aria-label")
LITERAL = {"code", "pre", "script", "style", "svg"}
EMPTY = {"br", "hr", "img", "input", "wbr", "source", "col", "link", "meta"}


def literal(tag: str, classes: str) -> bool:
    """Whether what an element holds is shown as it stands, or is a formula."""
    return tag in LITERAL or bool({"arithmatex", "maths"} & set(classes.split()))


def refuse(text: str) -> None:
    """Raise where a text has a mark, with the words around it that the page has too."""
    if mark := MARK.search(text):
        start = max(text.rfind(end, 0, mark.start()) for end in "\n\2\3") + 1
        words = re.split(r"[\n\2\3]", text[start:])[0].strip()
        words = re.sub(r"\\[()]", "$", words)  # as the page writes a formula in an attribute
        meant = "close it, put `markdown` in the tag around it, or write \\ before it"
        # A cell of a table may end within a formula: `| $|x|$ |`.
        raise Fault(f"'{mark[0]}' is shown as it stands: {meant}", "$|" if words == "$" else words)


class Markup(HTMLParser):
    """Looks for marks in HTML that Markdown did not read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)  # a dollar may be written &#36;
        self.within = 0  # elements that are literal

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in EMPTY and (self.within or literal(tag, values.get("class") or "")):
            self.within += 1
        for name in SAID:
            if not self.within:
                refuse(values.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        if self.within and tag not in EMPTY:
            self.within -= 1

    def handle_data(self, data: str) -> None:
        if not self.within:
            refuse(data)


class Raw(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        self.look(root)
        for raw in self.md.htmlStash.rawHtmlBlocks:
            if isinstance(raw, str):
                Markup().feed(raw)

    def look(self, element: etree.Element) -> None:
        for name in SAID:
            refuse(element.get(name, ""))
        if not literal(str(element.tag), element.get("class", "")):
            refuse(element.text or "")
            for child in element:
                self.look(child)
                refuse(child.tail or "")


class RawExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(Raw(md), "raw", 1)  # before escapes are characters again, 0


makeExtension = RawExtension

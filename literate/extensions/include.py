"""Figures that blocks saved, put into the page itself, so that they follow its colours.

Alone in a paragraph, `![What is seen](figures/page/graph.svg)` puts in a drawing that asks the page
for its colours; any other stays an image. `[The weights](figures/page/weights.html)` puts in a
table. On a code host the first is a picture and the second a link.
"""

import re
import xml.etree.ElementTree as etree
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor, UnescapeTreeprocessor

from literate.extensions.fault import Fault

SAVED = re.compile(r"figures/[^:?#]+\.(?:svg|html)")  # where blocks save, beside the page


class Figures(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        if "relpath" not in self.md.treeprocessors:
            return  # not a page of the site: MkDocs' own processor of links knows where a page is
        links: Any = self.md.treeprocessors["relpath"]
        folder = Path(links.file.abs_src_path).parent
        seen: Counter[str] = Counter()
        for paragraph in list(root.iter("p")):
            for child in paragraph:
                address = child.get("src") or child.get("href") or ""
                if not SAVED.fullmatch(address):
                    continue
                seen[address] += 1
                if len(paragraph) > 1 or (paragraph.text or child.tail or "").strip():
                    continue  # an image or a link among words
                try:
                    markup = self.markup(child, folder / unquote(address))
                except ValueError as error:
                    raise Fault(f"{address} {error}", address, seen[address]) from None
                if markup:
                    paragraph.remove(child)
                    paragraph.text = self.md.htmlStash.store(markup.strip())

    def markup(self, child: etree.Element, path: Path) -> str:
        """What stands in the place of an image or a link; "" where it stays what it is."""
        image, drawing = child.tag == "img", path.suffix == ".svg"
        if not path.is_file():
            return ""  # MkDocs says so
        if image and not drawing:
            raise ValueError("is no image: a link puts it in, alone in its paragraph")
        text = path.read_text("utf-8")
        if image != drawing or (drawing and "var(--" not in text):
            return ""
        if re.search(r"<[^>]*\sid\s*=", text):
            raise ValueError("has an id, which another figure of the page may have too")
        if drawing:
            said = escape(UnescapeTreeprocessor(self.md).unescape(child.get("alt", "")))
            return text.replace("<svg ", f'<svg aria-label="{said}" data-search-exclude ', 1)
        return text


class IncludeExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        # After attr_list, 8; before MkDocs turns addresses into those of the site, 0.
        md.treeprocessors.register(Figures(md), "include", 3)


makeExtension = IncludeExtension

"""What a page is about, in a sentence or two, for those who read of it elsewhere.

It is the start of the lede, or of the first paragraph. It stands on the page's heading, as
`data-description`, because a Markdown extension reaches nothing else: the template of the page
(docs/overrides/main.html) reads it there and writes it into the head.
"""

import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

SHORTEST, LONGEST = 50, 160  # what search engines show
SENTENCE = re.compile(r"\S.*?[.?!][”)]?(?=\s|$)", re.S)
# A formula, or what Markdown has put aside, is not a word that one can read out.
UNREADABLE = re.compile(r"\\\(|[\x02\x03]")


def described(text: str) -> str:
    """The first sentences of a text that fit, or else its first words."""
    text = " ".join(text.split())
    found = ""
    for sentence in SENTENCE.findall(text):
        longer = f"{found} {sentence}".strip()
        if len(longer) > LONGEST or UNREADABLE.search(sentence):
            break
        found = longer
    if len(found) >= SHORTEST or found == text:
        return found
    readable = UNREADABLE.split(text)[0]
    if len(readable) < LONGEST:
        return readable.strip()
    return readable[: LONGEST - 1].rpartition(" ")[0].rstrip(",;:") + "…"


class Description(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        heading = root.find(".//h1")
        paragraphs = list(root.iter("p"))
        if heading is None or not paragraphs:
            return
        ledes = (p for p in paragraphs if "lede" in p.get("class", "").split())
        heading.set("data-description", described("".join(next(ledes, paragraphs[0]).itertext())))


class DescriptionExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(Description(md), "description", 4)  # after attr_list


makeExtension = DescriptionExtension

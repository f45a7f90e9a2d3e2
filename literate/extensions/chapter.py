"""What makes a page a chapter: numbered steps and exercises, and boxes that say what they are.

`# Title { data-chapter=2 }` numbers the chapter: the one place that does. `## Title { .step }` is a
step of it, "2.1"; `### Title { .exercise }` is an exercise, "Exercise 2.1".
"""

import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.extensions.toc import slugify
from markdown.treeprocessors import Treeprocessor

from literate.extensions.fault import Fault

BOXES = {"predict": "Predict", "wrong": "What goes wrong"}


def classes(element: etree.Element) -> list[str]:
    return element.get("class", "").split()


def lead(element: etree.Element, name: str, text: str) -> None:
    """Put a label before what an element says."""
    label = etree.Element("span", {"class": name})
    label.text, label.tail = text, " " + (element.text or "")
    element.text = ""
    element.insert(0, label)


class Numbers(Treeprocessor):
    """Numbers steps and exercises, before the table of contents reads the headings."""

    def run(self, root: etree.Element) -> None:
        chapter = next(
            (h.get("data-chapter") for h in root.iter("h1") if h.get("data-chapter")), ""
        )
        for tag, name, label in (("h2", "step", ""), ("h3", "exercise", "Exercise ")):
            headings = [heading for heading in root.iter(tag) if name in classes(heading)]
            for number, heading in enumerate(headings, 1):
                title = "".join(heading.itertext())
                if not chapter:
                    message = "a numbered heading needs a chapter: # Title { data-chapter=1 }"
                    raise Fault(message, title)
                # Without its number: a link to it stays when a step is put before it.
                heading.set("id", heading.get("id") or slugify(title, "-"))
                lead(heading, f"{name}__n", f"{label}{chapter}.{number}")


class Boxes(Treeprocessor):
    """Says in words what a box is, which its colour alone would not."""

    def run(self, root: etree.Element) -> None:
        for box in root.iter("div"):
            kind = next((name for name in classes(box) if name in BOXES), None)
            title = box.find("p")
            if kind and title is not None and title.get("class") == "admonition-title":
                lead(title, "label", BOXES[kind])


class ChapterExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(Boxes(md), "boxes", 7.5)
        md.treeprocessors.register(Numbers(md), "numbers", 6)  # after attr_list, 8; before toc, 5


makeExtension = ChapterExtension

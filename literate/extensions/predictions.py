"""Predictions that answer without a script: choices in a `!!! predict "Question?"` box.

List items that begin with `( )` or `(x)` become radio buttons. What follows the first colon with a
space after it is the answer; choosing shows it, by the style sheet alone.
"""

import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from literate.extensions.fault import Fault
from literate.pages.choices import COLON, MARK


def put(element: etree.Element, text: str | None) -> None:
    """Add text at the end of an element."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + (text or "")
    else:
        element.text = (element.text or "") + (text or "")


def split(item: etree.Element) -> tuple[etree.Element, etree.Element]:
    """The words of a choice and its answer, as a label and a span; the item is empty then."""
    label, answer = etree.Element("label"), etree.Element("span", {"class": "answer"})
    parts = [(None, MARK.sub("", item.text or "", count=1)), *((c, c.tail or "") for c in item)]
    target = label
    for child, tail in parts:
        if child is not None:
            child.tail = None
            target.append(child)
        if target is label and (colon := COLON.search(tail)):
            put(label, tail[: colon.start()])
            target, tail = answer, tail[colon.end() :].lstrip()
        put(target, tail)
    item.clear()
    return label, answer


def choices(box: etree.Element, group: str) -> None:
    lists = [each for each in box.iter("ul") if all(MARK.match(li.text or "") for li in each)]
    title = box.find("p")
    question = "".join(title.itertext()) if title is not None else ""
    rights = [MARK.match(li.text or "") for each in lists for li in each]
    if title is None or len(lists) != 1 or [match[1] for match in rights if match].count("x") != 1:
        message = "a prediction is one list whose items begin with ( ), and one of them with (x)"
        raise Fault(message, question)
    for number, item in enumerate(lists[0]):
        right = (MARK.match(item.text or "") or "")[1] == "x"
        label, answer = split(item)
        if not answer.text and not len(answer):
            raise Fault("a choice needs an answer: ( ) the choice: what is said to it", question)
        name = f"{group}-{number}"
        label.set("for", name)
        answer.set("role", "status")
        verdict = etree.Element("b")
        verdict.text, verdict.tail = ("Right: " if right else "Not so: "), answer.text
        answer.text = ""
        answer.insert(0, verdict)
        item.set("class", "choice choice--right" if right else "choice")
        item.extend([etree.Element("input", type="radio", name=group, id=name), label, answer])
    title.set("id", group)  # a title that is a formula has no text for a label of its own
    said = {"role": "group", "aria-labelledby": group, "class": "choices"}
    group_box = etree.Element("div", said)
    place = list(box).index(lists[0])
    box[place] = group_box
    group_box.append(lists[0])


class Predictions(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        boxes = [box for box in root.iter("div") if "predict" in box.get("class", "").split()]
        for number, box in enumerate(boxes, 1):
            choices(box, f"predict-{number}")


class PredictionsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        # After inline patterns (20), before the box gets its label (7.5), which is no question.
        md.treeprocessors.register(Predictions(md), "predictions", 7.7)


makeExtension = PredictionsExtension

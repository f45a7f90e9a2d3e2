"""The attention view: arcs as wide as their weights, beside the matrix of those weights.

The source is a plain table, a query a row and a key a column, in `<figure class="attn" markdown>`:
a code host shows the table. `data-query` is the token that asks first, `data-max` the weight with
the fullest colour. For several heads it has as many tables, each below its name in bold. Tokens and
heads are radio buttons, so that choosing one needs no script.
"""

import re
import xml.etree.ElementTree as etree
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from literate.extensions.arcs import add, arcs, drawing
from literate.extensions.attention_tables import Table, number, take
from literate.extensions.fault import Fault

FITS = 6  # tokens that a phone shows without scrolling
BESIDE = 8  # tokens whose arcs and matrix fit beside each other
RAW = re.compile(r"""<figure\b[^>]*\bclass=["']attn\b""")


def render(figure: etree.Element, name: str) -> None:
    """Put the view in the place of the figure's tables."""
    heads = take(figure)
    tokens = heads[0].tokens
    first = figure.attrib.pop("data-query", tokens[0])
    if first not in tokens:
        raise ValueError(f"its data-query {first!r} is none of {', '.join(tokens)}")
    top = number(figure.attrib.pop("data-max", "1"))
    largest = max(weight for table in heads for row in table.weights for weight in row)
    if top < largest or not top:
        raise ValueError(f"its data-max {top:g} is less than the weight {largest:g}")
    long = " attn__body--long" if len(tokens) > BESIDE else ""
    body = etree.Element("div", {"class": f"attn__body{long}"})
    if len(heads) > 1:
        choose(body, heads, name)
    graph(body, heads, tokens.index(first), name)
    boxes = add(body, "div", class_="attn__matrices")
    for h, table in enumerate(heads):
        matrix(boxes, table, top, whose(heads, h))
    figure.insert(0, body)


def whose(heads: list[Table], head: int) -> dict[str, Any]:
    """The mark of what is shown for one head alone; none where there is one."""
    return {"data_h": head} if len(heads) > 1 else {}


def choose(body: etree.Element, heads: list[Table], name: str) -> None:
    box = add(body, "fieldset", class_="attn__heads")
    add(box, "legend", "Choose a head", class_="attn__legend")
    for h, table in enumerate(heads):
        label = add(box, "label", class_="attn__head")
        radio = add(label, "input", type="radio", name=f"{name}-head", value=f"h{h}")
        if h == 0:
            radio.set("checked", "checked")
        add(label, "span", table.head)


def graph(body: etree.Element, heads: list[Table], chosen: int, name: str) -> None:
    tokens = heads[0].tokens
    box = add(body, "fieldset", class_="attn__graph")
    add(box, "legend", "Choose the token that asks", class_="attn__legend")
    wide = add(add(box, "div", class_="attn__scroll", style=f"--n:{len(tokens)}"), "div")
    svg = drawing(wide, len(tokens))
    for h, table in enumerate(heads):
        arcs(add(svg, "g", **whose(heads, h)), table.weights)
    row = add(wide, "div", class_="attn__tokens")
    for i, token in enumerate(tokens):
        label = add(row, "label", class_="attn__token", data_i=i, data_j=i)
        radio = add(label, "input", type="radio", name=name, value=i)
        if i == chosen:
            radio.set("checked", "checked")
        add(label, "span", token)
    say = add(box, "div", class_="attn__say", role="status")
    for h, table in enumerate(heads):
        part = add(say, "div", **whose(heads, h))
        for i in range(len(tokens)):
            sentence(part, i, table)


def sentence(say: etree.Element, i: int, table: Table) -> None:
    row = table.weights[i]
    line = add(say, "p", data_i=i)
    if not any(row):
        add(line, "b", table.tokens[i], class_="query").tail = " may attend to nothing."
        return
    best = max(range(len(row)), key=row.__getitem__)
    add(line, "b", table.tokens[i], class_="query").tail = " attends most to "
    add(line, "b", "itself" if best == i else table.tokens[best], class_="key").tail = ", "
    weight = add(line, "span", table.cells[i][best], class_="weight")
    if best != i:
        weight.tail = "; to itself, "
        weight = add(line, "span", table.cells[i][i], class_="weight")
    weight.tail = "."


def matrix(body: etree.Element, table: Table, top: float, mark: dict[str, Any]) -> None:
    label = f"Attention weights{f' of {table.head}' if table.head else ''}"
    box = add(body, "div", class_="attn__matrix", role="group", aria_label=label, **mark)
    if len(table.tokens) > FITS:  # it may scroll, so the keyboard must reach it
        box.set("tabindex", "0")
    grid = add(box, "table", class_="attn__table", style=f"--n:{len(table.tokens)}")
    add(grid, "caption", "Each row is a query, each column a key; a row sums to 1.")
    head = add(add(grid, "thead"), "tr")
    corner = add(head, "td")
    add(corner, "span", "query", class_="query").tail = " "
    add(corner, "span", "key", class_="key")
    for j, key in enumerate(table.tokens):
        add(head, "th", key, scope="col", data_j=j)
    rows = add(grid, "tbody")
    for i, query in enumerate(table.tokens):
        row = add(rows, "tr", data_i=i)
        add(row, "th", query, scope="row")
        for j, cell in enumerate(table.cells[i]):
            share = round(100 * min(table.weights[i][j] / top, 1))
            add(row, "td", cell, style=f"--t:{share}%", data_j=j)
    scale = add(box, "p", class_="attn__scale", aria_hidden="true")
    add(scale, "span", "0")
    add(scale, "i")
    add(scale, "span", f"{top:g}")


class Views(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        for raw in self.md.htmlStash.rawHtmlBlocks:
            if isinstance(raw, str) and (figure := RAW.search(raw)):
                said = "this attention view stays a text: `markdown` is missing in its tag"
                raise Fault(said, figure[0])
        figures = [f for f in root.iter("figure") if "attn" in f.get("class", "").split()]
        for count, figure in enumerate(figures, 1):
            try:
                render(figure, f"attn-{count}")
            except ValueError as error:
                raise Fault(
                    f"this attention view: {error}", '<figure class="attn"', count
                ) from None


class AttentionViewExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(Views(md), "attention_view", 4)


makeExtension = AttentionViewExtension

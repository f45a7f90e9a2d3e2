"""The attention view: arcs as wide as their weights, beside the matrix of those weights.

The source is a plain table, a query a row and a key a column, in `<figure class="attn" markdown>`:
a code host shows the table. `data-query` is the token that asks first, `data-max` the weight with
the fullest colour. Tokens are radio buttons, so that choosing one needs no script.
"""

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from literate.extensions.arcs import add, arcs
from literate.extensions.fault import Fault

MOST = 12  # tokens: attention.css has a selector for each
FITS = 6  # tokens that a phone shows without scrolling
SLACK = 0.01  # of the sum of a row, whatever its rounding may add up to
RAW = re.compile(r"""<figure\b[^>]*\bclass=["']attn\b""")


@dataclass
class Table:
    """The weights of a figure, and how the page writes them."""

    tokens: list[str]
    cells: list[list[str]]
    weights: list[list[float]]


def read(table: etree.Element) -> Table:
    """The table of a figure, or the `ValueError` that says what it should be."""
    head, *rows = [["".join(cell.itertext()).strip() for cell in row] for row in table.iter("tr")]
    tokens, queries, cells = head[1:], [row[0] for row in rows], [row[1:] for row in rows]
    if tokens != queries:
        raise ValueError(f"its columns are {', '.join(tokens)} but its rows {', '.join(queries)}")
    if not 2 <= len(tokens) <= MOST:
        raise ValueError(f"expected 2 to {MOST} tokens, got {len(tokens)}")
    weights = [[number(cell) for cell in row] for row in cells]
    for token, row, texts in zip(tokens, weights, cells, strict=True):
        # A row of zeros is a query that may attend to nothing.
        rounding = len(row) * 0.5 * 10 ** -max(len(text.partition(".")[2]) for text in texts)
        if any(row) and abs(sum(row) - 1) > min(rounding, SLACK) + 1e-9:
            raise ValueError(f"the weights of {token} sum to {sum(row):.4f}, not to 1")
    return Table(tokens, cells, weights)


def number(cell: str) -> float:
    try:
        weight = float(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is not a number") from None
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight is between 0 and 1, not {cell}")
    return weight


def render(figure: etree.Element, name: str) -> None:
    """Put the view in the place of the figure's table."""
    source = figure.find("table")
    if source is None:
        raise ValueError("it has no table")
    table = read(source)
    first = figure.attrib.pop("data-query", table.tokens[0])
    if first not in table.tokens:
        raise ValueError(f"its data-query {first!r} is none of {', '.join(table.tokens)}")
    top, largest = number(figure.attrib.pop("data-max", "1")), max(map(max, table.weights))
    if top < largest or not top:
        raise ValueError(f"its data-max {top:g} is less than the weight {largest:g}")
    figure.remove(source)
    body = etree.Element("div", {"class": "attn__body"})
    graph(body, table, table.tokens.index(first), name)
    matrix(body, table, top)
    figure.insert(0, body)


def graph(body: etree.Element, table: Table, chosen: int, name: str) -> None:
    box = add(body, "fieldset", class_="attn__graph")
    add(box, "legend", "Choose the token that asks", class_="attn__legend")
    arcs(box, table.weights)
    tokens = add(box, "div", class_="attn__tokens", style=f"--n:{len(table.tokens)}")
    for i, token in enumerate(table.tokens):
        label = add(tokens, "label", class_="attn__token", data_i=i, data_j=i)
        radio = add(label, "input", type="radio", name=name, value=i)
        if i == chosen:
            radio.set("checked", "checked")
        add(label, "span", token)
    say = add(box, "div", class_="attn__say", role="status")
    for i in range(len(table.tokens)):
        sentence(say, i, table)


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


def matrix(body: etree.Element, table: Table, top: float) -> None:
    box = add(body, "div", class_="attn__matrix", role="group", aria_label="Attention weights")
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


def makeExtension(**options: object) -> AttentionViewExtension:
    return AttentionViewExtension(**options)

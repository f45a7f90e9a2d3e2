"""The drawing of an attention view: a query's unit of attention, shared out in arcs."""

import xml.etree.ElementTree as etree

# In units of the drawing: a token's column, a weight of 1, the feet, the slit between two arcs.
COLUMN, UNIT, FOOT, GAP = 72, 46, 5, 0.8


def add(parent: etree.Element, tag: str, text: str = "", **attributes: object) -> etree.Element:
    """A child of `parent`; `class_` and `data_i` stand for `class` and `data-i`."""
    named = {name.rstrip("_").replace("_", "-"): str(to) for name, to in attributes.items()}
    child = etree.SubElement(parent, tag, named)
    child.text = text
    return child


def slots(query: int, tokens: int) -> list[int]:
    """Keys in the order in which their arcs leave the query, so that no two cross."""
    return [query, *range(query - 1, -1, -1), *range(tokens - 1, query, -1)]


def height(distance: int) -> float:
    return 24.0 + 27 * distance


def middle(token: int) -> float:
    return (token + 0.5) * COLUMN


def ground(tokens: int) -> float:
    """Where the arcs stand."""
    return height(tokens - 1) + UNIT / 2 + 2


def drawing(box: etree.Element, tokens: int) -> etree.Element:
    """An empty drawing, as high as the arcs of so many tokens."""
    size = f"0 0 {tokens * COLUMN} {ground(tokens) + FOOT:g}"
    return add(box, "svg", viewBox=size, aria_hidden="true", class_="attn__arcs")


def arcs(box: etree.Element, weights: list[list[float]]) -> None:
    """One group of arcs for each query; the style sheet shows the one that was chosen."""
    for i, row in enumerate(weights):
        fan(add(box, "g", data_i=i), i, row, ground(len(weights)))


def fan(group: etree.Element, i: int, row: list[float], base: float) -> None:
    """The arcs of one query: they leave its blue bar side by side and land on orange feet."""
    edge = left = middle(i) - UNIT * sum(row) / 2
    for j in slots(i, len(row)):
        wide = UNIT * row[j]
        if not wide:
            continue  # a key that may not be seen has no arc
        start, end = edge + wide / 2, middle(j) if j != i else left - wide / 2 - 7
        top = base - height(abs(i - j)) * 4 / 3
        path = f"M{start:.1f} {base:g}C{start:.1f} {top:.1f} {end:.1f} {top:.1f} {end:.1f} {base:g}"
        add(group, "path", d=path, stroke_width=f"{max(wide - GAP, 0.4):.2f}", data_j=j)
        foot = max(wide, 4)
        place = {"x": f"{end - foot / 2:.1f}", "y": f"{base:g}", "width": f"{foot:.1f}"}
        add(group, "rect", class_="key", height=FOOT, **place)
        edge += wide
    place = {"x": f"{left:.1f}", "y": f"{base:g}", "width": f"{edge - left:.1f}"}
    add(group, "rect", class_="query", height=FOOT, **place)

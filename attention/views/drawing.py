"""The drawing of an attention graph: tokens in a ring, arrows as wide as their weights.

It has no ids and no style sheet, so that any number of drawings can stand in one page. Colours are
the page's, `var(--ink)` and so on; where a page has none, those of ink on paper.
"""

from html import escape

from attention.views.arrows import Arrows
from attention.views.places import HALF, Node, arrow, box, ring, rows

PAPER = "var(--paper, light-dark(#faf7f0, #15171e))"
RAISED = "var(--raised, light-dark(#f4efe4, #1c1f28))"
INK = "var(--ink, light-dark(#1c1f2b, #e9e3d6))"
SOFT = "var(--soft, light-dark(#585764, #aaa69b))"
EDGE = "var(--edge, light-dark(#8d8778, #7b8192))"
ARC = "var(--arc, light-dark(#9c2a78, #c57cba))"
FONT = "var(--sans, system-ui, sans-serif)"


def layout(graph: Arrows) -> list[Node]:
    return rows(graph.tokens, graph.queries) if graph.cross else ring(graph.tokens)


def panel(graph: Arrows, head: int) -> list[str]:
    """The arrows and the tokens of one head."""
    nodes = layout(graph)
    lines = [f'<g style="fill: {ARC}">']
    # The strongest come last, on top.
    for key, query, weight in sorted(graph.edges(head), key=lambda edge: round(edge.weight, 6)):
        source, target = nodes[key], nodes[graph.node(query)]
        said = escape(f"{target.text} ← {source.text} {weight:.2f}")
        shape, see = arrow(source, target, weight), 0.62 + 0.38 * weight
        lines.append(f'<path d="{shape}" fill-opacity="{see:.2f}"><title>{said}</title></path>')
    lines.append(f'</g>\n<g style="fill: {RAISED}; stroke: {EDGE}">')
    for node in nodes:
        at = f'x="{node.x - node.half:z.2f}" y="{node.y - HALF:z.2f}"'
        lines.append(
            f'<rect {at} width="{2 * node.half:.2f}" height="{2 * HALF:g}" rx="{HALF:g}"/>'
        )
    lines.append(f'</g>\n<g style="fill: {INK}" text-anchor="middle">')
    for node in nodes:
        lines.append(f'<text x="{node.x:z.2f}" y="{node.y + 5:z.2f}">{escape(node.text)}</text>')
    return [*lines, "</g>"]


def draw(graph: Arrows) -> str:
    """The SVG of all heads, two side by side."""
    heads, titles = range(len(graph.heads)), graph.titles()
    notes = [[part.strip() for part in graph.left_out(head).split(",")] for head in heads]
    left, top, right, bottom = box(layout(graph))
    middle = (left + right) / 2
    above, below = 24 * graph.stacked, 36 * any(map(any, notes))
    wide = max([right - left, *(6.6 * len(line) for note in notes for line in note)])
    high, columns = bottom - top + above + below, min(len(heads), 2)
    lines = []
    for head, title, note in zip(heads, titles, notes, strict=True):
        x, y = wide * (head % columns + 0.5) - middle, high * (head // columns) - top + above
        lines.append(f'<g transform="translate({x:z.2f} {y:z.2f})">')
        lines += panel(graph, head)
        if title:
            lines.append(small(title, middle, top - 6, "middle"))
        # At the left, where a narrow window that scrolls begins.
        for text, at in zip(note, (bottom + 10, bottom + 26), strict=False):
            if text:
                lines.append(small(text, middle - wide / 2, at, "start"))
        lines.append("</g>")
    wide, high = wide * columns, high * -(-len(heads) // columns)
    said = [text for head in heads for text in (titles[head], *graph.lines(head), *notes[head])]
    names = ", ".join(graph.tokens + graph.queries * graph.cross)
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" class="attention-graph" role="img" '
            f'viewBox="0 0 {wide:.2f} {high:.2f}" width="{wide:.2f}" height="{high:.2f}" '
            f'font-size="15" style="font-family: {FONT}; max-width: 100%; height: auto">',
            f"<title>{escape(f'Attention as a graph: {names}')}</title>",
            f"<desc>{escape('; '.join(text for text in said if text))}</desc>",
            f'<rect width="100%" height="100%" style="fill: {PAPER}"/>',
            *lines,
            "</svg>\n",
        ]
    )


def small(text: str, x: float, y: float, anchor: str) -> str:
    at = f'x="{x:z.2f}" y="{y:z.2f}" text-anchor="{anchor}" font-size="13"'
    return f'<text {at} style="fill: {SOFT}">{escape(text)}</text>'

"""Attention weights as an HTML table: a query a row, a key a column, each weight on its colour."""

from collections.abc import Sequence
from html import escape

from jaxtyping import Float
from torch import Tensor

from attention.checks.numbers import real, whole
from attention.views.view import View

FITS = 4  # tokens that a phone surely shows without scrolling, with four decimals
# Colours are the page's; where it has none, plum on paper, or on ink in a dark scheme. On every
# step of the ramp the ink has a contrast of at least 4.5 to 1. Headings outside the cells have the
# hue of their role, or the colour of the text around them.
STYLE = """<style>
.attention-table {
  overflow-x: auto; margin: 0 0 1.2em;
  table { border-collapse: separate; border-spacing: 2px; color: inherit;
    font: 15px/1.3 var(--sans, system-ui, sans-serif);
    font-variant-numeric: lining-nums tabular-nums }
  caption { caption-side: top; text-align: left; padding: 0 0 .6em; color: var(--soft, inherit) }
  tr { background: none !important }
  :is(th, td):is(th, td) { min-width: 2.4em; padding: .4em .5em; border: 0; background: none;
    text-align: center; font-weight: 400; white-space: pre }
  thead :is(th, i:last-child) { color: var(--key, inherit) }
  :is(tbody th, i:first-child) { color: var(--query, inherit) }
  :is(thead td, tbody th):is(td, th) { text-align: right }
  th:is(th, td) { font-weight: 600 }
  i { font-style: normal }
  tbody td:is(th, td) { color: var(--ink, light-dark(#1c1f2b, #e9e3d6));
    background: color-mix(in oklab, var(--weight-1, light-dark(#c47ab1, #8f3f7c)) var(--t),
      var(--weight-0, light-dark(#f6eef0, #1e1c26)));
    print-color-adjust: exact }
}
</style>
"""


class AttentionTable(View):
    """Attention weights as a table of coloured cells, each with its number.

        row i, column j   shows   weights[i, j]

    In a notebook the table shows itself; `save("name.html")` writes it as a piece of HTML, whose
    colours follow the page that it is put into. It has a caption, and headings for its rows and
    columns, so that it can be read aloud.

    Args:
        weights: Shape `(T, S)`, or `(heads, T, S)`: weights of 0 or more, without unit. A row
            sums to 1, or nearly, or to 0 where a query may attend to nothing.
        tokens: The `S` tokens that stand at the keys. With fewer queries than keys, the queries
            are the last `T` of them, as when decoding with a cache.
        queries: The `T` tokens that stand at the queries, where they are another sequence.
        digits: How many decimals are shown.
        full: The weight with the fullest colour; larger ones have it too.

    Raises:
        TypeError: An argument has the wrong type or dtype.
        ValueError: A shape, a number of tokens or a weight does not fit.

    Source:
        Bahdanau, Cho and Bengio, *Neural Machine Translation by Jointly Learning to Align and
        Translate* (2015), section 5.2.1, figure 3.

    Examples:
        >>> import torch
        >>> from attention import AttentionTable
        >>> AttentionTable(torch.tensor([[0.7, 0.3], [0.1, 0.9]]), ["I", "listen"])
                   I  listen
             I  0.70    0.30
        listen  0.10    0.90
    """

    suffix = ".html"

    def __init__(
        self,
        weights: Float[Tensor, "*heads queries keys"],
        tokens: Sequence[str],
        queries: Sequence[str] | None = None,
        *,
        digits: int = 2,
        full: float = 1.0,
    ) -> None:
        super().__init__(weights, tokens, queries)
        digits = whole("digits", digits)
        real("full", full)
        if not 1 <= digits <= 6:
            raise ValueError(f"digits is {digits}: expected 1 to 6")
        if not 0 < full <= 1:
            raise ValueError(f"full is {full}: expected a weight above 0, and at most 1")
        self.digits, self.full = digits, full

    def __repr__(self) -> str:
        said = []
        for title, rows in zip(self.titles(), self.heads, strict=True):
            cells = [["", *self.tokens]]
            for query, row in zip(self.queries, rows, strict=True):
                cells.append([query, *map(self.number, row)])
            wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
            said += [title] * bool(title)
            said += [
                "  ".join(cell.rjust(size) for cell, size in zip(line, wide, strict=True))
                for line in cells
            ]
        return "\n".join(said)

    def markup(self) -> str:
        pairs = zip(self.titles(), self.heads, strict=True)
        return STYLE + "".join(self.table(title, rows) for title, rows in pairs)

    def table(self, title: str, rows: list[list[float]]) -> str:
        name = f"Attention weights of {title}" if title else "Attention weights"
        caption = f"{name}. Each row is a query, each column a key."
        # What may scroll must be reached by the keyboard, and have a name.
        reach = f' role="group" aria-label="{name}" tabindex="0"' if len(rows[0]) > FITS else ""
        keys = "".join(f'<th scope="col">{escape(token)}</th>' for token in self.tokens)
        lines = [
            f'<div class="attention-table"{reach}>',
            f'<table class="attention-table__weights">\n<caption>{caption}</caption>',
            f"<thead>\n<tr><td><i>query</i> <i>key</i></td>{keys}</tr>\n</thead>",
            "<tbody>",
        ]
        for query, row in zip(self.queries, rows, strict=True):
            cells = "".join(self.cell(weight) for weight in row)
            lines.append(f'<tr><th scope="row">{escape(query)}</th>{cells}</tr>')
        return "\n".join([*lines, "</tbody>\n</table>\n</div>\n"])

    def cell(self, weight: float) -> str:
        share = 100 * min(weight / self.full, 1.0)
        return f'<td style="--t: {share:.2f}%">{self.number(weight)}</td>'

    def number(self, weight: float) -> str:
        """A weight to the digits shown; one that is nothing at all, as a mask makes it, is 0."""
        return f"{weight:.{self.digits}f}" if weight else "0"

    def _repr_html_(self) -> str:
        return self.markup()

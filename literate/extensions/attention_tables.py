"""The tables of an attention view: read from its figure, and refused if they are no weights."""

import xml.etree.ElementTree as etree
from dataclasses import dataclass

MOST, HEADS = 24, 8  # tokens and heads: attention.css has a selector for each
SLACK = 0.01  # of the sum of a row, whatever its rounding may add up to


@dataclass
class Table:
    """The weights of a figure, and how the page writes them."""

    head: str  # its name; "" if it is the only one
    tokens: list[str]
    cells: list[list[str]]
    weights: list[list[float]]


def read(table: etree.Element, name: str) -> Table:
    """A table of a figure, or the `ValueError` that says what it should be."""
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
    return Table(name, tokens, cells, weights)


def take(figure: etree.Element) -> list[Table]:
    """All tables of a figure with the names above them; they are gone from it then."""
    found: list[Table] = []
    title: etree.Element | None = None
    for child in list(figure):
        bold = child.find("strong") if child.tag == "p" else None
        if bold is not None and len(child) == 1 and not (child.text or bold.tail or "").strip():
            title = child
        elif child.tag == "table":
            found.append(read(child, "" if title is None else "".join(title.itertext())))
            figure.remove(child)
            if title is not None:
                figure.remove(title)
            title = None
    if not found:
        raise ValueError("it has no table")
    names = [table.head for table in found]
    if len(found) > 1 and ("" in names or len({*names}) < len(names) or len(names) > HEADS):
        raise ValueError(
            f"it has {len(found)} tables: expected at most {HEADS}, "
            "a name of its own in bold above each"
        )
    for table in found[1:]:
        if table.tokens != found[0].tokens:
            raise ValueError(f"{table.head} has other tokens than {names[0]}")
    return found


def number(cell: str) -> float:
    try:
        weight = float(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is not a number") from None
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight is between 0 and 1, not {cell}")
    return weight

"""Figures that blocks save, compared with the committed ones that the page shows."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from literate.page import Page

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SLACK = 0.05  # of a point: what different CPUs make of the same curve


def tidy(svg: str) -> str:
    """An SVG without what says where it was made, the numbers of its drawing to two decimals."""
    svg = re.sub(r"<metadata>.*?</metadata>|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.S)
    svg = "".join(
        re.sub(r"-?\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", part) if tag else part
        for tag, part in parts(svg)
    )
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def same_figure(want: str, got: str, same_text: Callable[[str, str], bool] = str.__eq__) -> bool:
    """Whether two tidy figures are the same: text exactly, numbers in tags to the slack."""
    wanted, came = list(parts(want)), list(parts(got))
    return len(wanted) == len(came) and all(
        same_tag(a, b) if tag and other else same_text(a, b)
        for (tag, a), (other, b) in zip(wanted, came, strict=True)
    )


def same_tag(want: str, got: str) -> bool:
    if NUMBER.sub("#", want) != NUMBER.sub("#", got):
        return False
    pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
    return all(a == b or ("." in a + b and abs(float(a) - float(b)) <= SLACK) for a, b in pairs)


def parts(svg: str) -> Iterator[tuple[bool, str]]:
    """The tags of an SVG and the text between them, each with whether it is a tag."""
    for part in re.split(r"(<[^>]*>)", svg):
        yield part.startswith("<"), part


def committed(page: Path, name: str) -> Path:
    """Where the figure `name` of a page is kept: beside it, in `figures/`."""
    return page.parent / "figures" / page.stem / name


def all_saved(page: Page, stem: str) -> None:
    """Refuse a page that shows a figure of its own that none of its blocks saves."""
    for match in re.finditer(rf"figures/{re.escape(stem)}/([\w./-]+)", page.text):
        if not any(match[1] in block.code for block in page.blocks):
            line = page.text.count("\n", 0, match.start()) + 1
            raise page.error(line, f"no block saves {match[1]}")

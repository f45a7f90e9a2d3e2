"""Figures that blocks save, compared with the committed ones that the page shows."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SLACK = 0.05  # of a point: what different CPUs make of the same curve


def settle() -> None:
    """Make matplotlib write the same file each time: no window, no date, no random ids."""
    os.environ.update(MPLBACKEND="svg", SOURCE_DATE_EPOCH="0")
    import matplotlib

    matplotlib.rcParams.update({"svg.hashsalt": "book", "svg.fonttype": "none"})
    matplotlib.rcParams.update({"savefig.transparent": True, "font.family": "sans-serif"})


def close() -> None:
    """Forget the figures of a page: the next one begins with none."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def tidy(svg: str) -> str:
    """An SVG without what says where it was made, the numbers of its drawing to two decimals."""
    svg = re.sub(r"<metadata>.*?</metadata>|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.S)
    svg = "".join(
        re.sub(r"-?\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", part) if tag else part
        for tag, part in parts(svg)
    )
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def same_figure(want: str, got: str) -> bool:
    """Whether two tidy figures are the same drawing: text exactly, numbers in tags to the slack."""
    wanted, came = list(parts(want)), list(parts(got))
    return len(wanted) == len(came) and all(
        same_tag(a, b) if tag and other else a == b
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

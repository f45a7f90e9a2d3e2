"""Figures that blocks save, compared with the committed ones that the page shows."""

import posixpath
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from literate.page import Page
from literate.prose import CODE, COMMENT
from literate.settings import has_gpu

# What Markdown and HTML put in a page, or link to.
ADDRESS = re.compile(
    r"(?:(?P<image>!)?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?|^ {0,3}\[[^\]]+\]:\s*<?"
    r"|\b(?P<source>src|srcset|poster|data)=[\"']?|\bhref=[\"']?)(?P<address>[^\s<>\"')]+)",
    re.M,
)
# A picture whose address stands elsewhere.
AFAR = re.compile(r"!\[[^\]\n]*\] ?\[[^\]\n]*\]|\burl\([^)\n]*\)?")
PICTURES = (".svg", ".html", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*("[^"]*"|'[^']*')""")
# Where something stands. All else of a tag, an opacity or a stroke's width, may show a weight.
PLACES = {"d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry"}
PLACES |= {"width", "height", "points", "transform", "viewBox"}
WORDS = {"alt", "title", "aria-label"}
SLACK = 0.05  # of a point: what different CPUs make of the same curve
EXACT = 0.001


def tidy(svg: str) -> str:
    """An SVG without what says where it was made, its places to two decimals, the rest to four."""
    svg = re.sub(r"<metadata>.*?</metadata>|<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.S)
    svg = "".join(ATTRIBUTE.sub(rounded, part) if tag else part for tag, part in parts(svg))
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def rounded(attribute: re.Match[str]) -> str:
    digits = 2 if attribute[1] in PLACES else 4
    longer = rf"-?\d+\.\d{{{digits + 1},}}"
    return re.sub(longer, lambda match: f"{float(match[0]):.{digits}f}", attribute[0])


def same_figure(want: str, got: str, same_text: Callable[[str, str], bool] = str.__eq__) -> bool:
    """Whether two tidy figures are the same: text exactly, numbers in tags to a slack."""
    wanted, came = list(parts(want)), list(parts(got))
    return len(wanted) == len(came) and all(
        same_tag(a, b) if tag and other else same_text(a, b)
        for (tag, a), (other, b) in zip(wanted, came, strict=True)
    )


def same_tag(want: str, got: str) -> bool:
    if NUMBER.sub("#", want) != NUMBER.sub("#", got):
        return False
    if ATTRIBUTE.sub("", want) != ATTRIBUTE.sub("", got):
        return False
    pairs = zip(ATTRIBUTE.findall(want), ATTRIBUTE.findall(got), strict=True)
    return all(
        name == other and same_value(a, b, slack(name, a)) for (name, a), (other, b) in pairs
    )


def slack(name: str, value: str) -> float:
    """How far numbers of an attribute may differ: not at all in words."""
    if name in WORDS:
        return 0
    return SLACK if name in PLACES and "scale" not in value else EXACT


def same_value(want: str, got: str, slack: float) -> bool:
    pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
    return all(
        a == b or ("." in a + b and abs(float(a) - float(b)) <= slack + 1e-9) for a, b in pairs
    )


def parts(svg: str) -> Iterator[tuple[bool, str]]:
    """The tags of an SVG and the text between them, each with whether it is a tag."""
    for part in re.split(r"(<[^>]*>)", svg):
        yield part.startswith("<"), part


def committed(page: Path, name: str) -> Path:
    """Where the figure `name` of a page is kept: beside it, in `figures/`."""
    return page.parent / "figures" / page.stem / name


# A picture that no block can draw, and where it comes from.
SOURCED = re.compile(r"!\[[^\]\n]*\]\([^)\s]+\)<!-- source: \S[^\n]*?-->")


@dataclass(frozen=True)
class Shown:
    """A picture or a saved table that a page shows or links to."""

    line: int
    address: str
    name: str  # in the page's own folder of figures; empty where it stands elsewhere


def shown(page: Page, stem: str) -> Iterator[Shown]:
    text = SOURCED.sub("", page.prose)
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in AFAR.finditer(text):
        yield Shown(text.count("\n", 0, match.start()) + 1, match[0], "")
    for match in ADDRESS.finditer(text):
        address = match["address"]
        path = posixpath.normpath(unquote(re.split("[?#]", address)[0]))
        image = bool(match["image"] or match["source"])
        remote = re.match(r"[\w+.-]+:|//", address)
        if image or (path.endswith(PICTURES) and not remote):
            own = re.fullmatch(rf"figures/{re.escape(stem)}/([^/]+)", path)
            line = text.count("\n", 0, match.start()) + 1
            yield Shown(line, address, own[1] if own else "")


def uncompared(page: Page, stem: str, compared: Set[str]) -> Iterator[tuple[int, str]]:
    """Where a page shows what no block of it saved, once all that run here have run."""
    waiting = [block.code for block in page.blocks if "gpu" in block.kinds and not has_gpu()]
    for figure in shown(page, stem):
        if not figure.name:
            own = f"a page shows what its own blocks save, in figures/{stem}/"
            yield figure.line, f"{figure.address} is compared with nothing: {own}"
        elif figure.name not in compared:
            named = re.compile(rf"(?<![\w.-]){re.escape(figure.name)}(?![\w.-])")
            if not any(named.search(code) for code in waiting):  # else it is a record
                yield figure.line, f"no block saves {figure.name}"

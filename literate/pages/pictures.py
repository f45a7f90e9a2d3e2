"""Which pictures a page shows, and whether its own blocks drew them."""

import posixpath
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from literate.hardware import has_gpu
from literate.pages.page import Page
from literate.pages.prose import CODE, COMMENT

# What Markdown and HTML put in a page, or link to.
ADDRESS = re.compile(
    r"(?:(?P<image>!)?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?|^ {0,3}\[[^\]]+\]:\s*<?"
    r"|\b(?P<source>src|srcset|poster|data)=[\"']?|\bhref=[\"']?)(?P<address>[^\s<>\"')]+)",
    re.M,
)
# A picture whose address stands elsewhere.
AFAR = re.compile(r"!\[[^\]\n]*\](?![\](])(?: ?\[[^\]\n]*\])?|\burl\([^)\n]*\)?")
PICTURES = (".svg", ".html", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")
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
            named = whole(figure.name)
            if not any(named.search(code) for code in waiting):  # else it is a record
                yield figure.line, f"no block saves {figure.name}"


def whole(name: str) -> re.Pattern[str]:
    """The name of a figure, and not the end of another's."""
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")


def out_of_order(page: Page, stem: str) -> Iterator[tuple[int, str]]:
    """Where a picture is first shown behind one that later code names: the two may be swapped."""
    code = "\n".join(block.code for block in page.blocks)
    known: dict[str, int] = {}
    for figure in shown(page, stem):
        found = whole(figure.name).search(code) if figure.name else None
        if found is None or figure.name in known:
            continue
        at = found.start()
        if at < max(known.values(), default=-1):
            last = max(known, key=known.__getitem__)
            yield figure.line, f"{figure.name} is shown behind {last}, and saved before it"
        known[figure.name] = at


def committed(page: Path, name: str) -> Path:
    """Where the figure `name` of a page is kept: beside it, in `figures/`."""
    return page.parent / "figures" / page.stem / name

"""When a drawing that a block saves is the same as the committed one."""

import re
from collections.abc import Callable, Iterator

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

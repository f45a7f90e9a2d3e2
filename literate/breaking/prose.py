"""The digits of prose that are results: of captions, pictures' words, answers, tables, sources."""

import re
from collections.abc import Iterator

from literate.guards import PARDONED
from literate.page import Page
from literate.prose import CHECK, CODE

NUMBER = re.compile(r"(?<![\w.,])(?<![A-Za-z]-)\d+(?:[.,\u202f]\d+)*(?![\w])(?!-\w)")
SOURCED = re.compile(r"(\d[\d.,\u202f]*)(?:[ \u202f]?%|×)?<!-- source: (?!-->)[^\n]+?-->")
FORMULA = re.compile(r"\$\$.*?\$\$|(?<!\\)\$[^$\n]+\$", re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
TAG = re.compile(r"</?[A-Za-z][^>\n]*>")
YEAR = re.compile(r"\((?:19|20)\d\d\)|\b(?:19|20)\d\d-\d\d-\d\d\b")
KINDS = {
    "caption": re.compile(r"<figcaption[^>]*>(.*?)</figcaption>", re.S),
    "picture": re.compile(r"!\[((?:[^\[\]]|\[[^\]]*\])*)\]\("),
    "answer": re.compile(r"^[ ]+- (?:\(x\) (.*)|\( \)[^\n]*?:\s(.*))$", re.M),
    "table": re.compile(r"^[ \t>]*\|(.*)\|[ \t]*$", re.M),
}


def in_prose(page: Page) -> Iterator[tuple[int, int, str]]:
    """Where numbers stand that no step of the page owns, each with its kind."""
    text = page.prose
    for match in SOURCED.finditer(hide(text, CODE)):
        yield match.start(1), match.end(1), "sourced"
    for table in page.tables:
        for row in table.rows:
            for cell in row:
                if cell:
                    text = blank(text, cell.start, cell.start + len(cell.printed + cell.unit))
    for pattern in (CODE, SOURCED, CHECK, COMMENT, FORMULA, YEAR):
        text = hide(text, pattern)
    for pattern in PARDONED[4:]:  # addresses, and the numbers of sections, figures and versions
        text = hide(text, pattern)
    seen: set[int] = set()
    for kind, pattern in KINDS.items():
        for part in pattern.finditer(text):
            group = 1 if part[1] is not None else 2
            inside = TAG.sub(lambda match: " " * len(match[0]), part[group])
            for number in NUMBER.finditer(inside):
                start = part.start(group) + number.start()
                if start not in seen:
                    seen.add(start)
                    yield start, start + len(number[0]), kind


def hide(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]

"""What a page must not contain: numbers that nobody checks, blocks left out without a reason."""

import re
from collections.abc import Iterator

from literate.page import Page
from literate.prose import CHECK, INLINE_CODE

# A decimal, a percentage, a factor. Three numbers joined by points are a section or a version.
NUMBER = re.compile(
    r"(?<![\w.,/:#])[-+−]?\d+(?:[,\u202f]\d{3})*(?:\.\d+(?![\w.]*\d)(?:\s?[%×])?|\s?%|\s?×)"
)
NAMED = r"(?:sections?|equations?|tables?|figures?|chapters?|versions?|Python|CC BY|§)"
PARDONED = [
    CHECK,
    re.compile(r"[-+−\d.,\u202f]*\d[ \u202f]?[%×]?<!-- source: .+?-->", re.S),
    # A table whose source stands below it, on a line of its own.
    re.compile(r"^(?:[ \t>]*\|[^\n]*\n)+[ \t>]*\n?[ \t>]*<!-- source: [^\n]+?-->[ \t]*$", re.M),
    re.compile(r"<!--.*?-->", re.S),
    re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.S),  # TeX
    re.compile(r"\]\([^)\n]*\)|https?://\S+"),
    re.compile(r"<[^>\n]*>"),  # tags; what stands between them is prose
    re.compile(NAMED + r"\s[\d.]+(?:(?:,|,? and|,? or| to|–|;)\s?[\d.]+)*", re.I),
]


def unchecked(page: Page) -> Iterator[tuple[int, str]]:
    """The numbers of the prose that no expression and no source stands behind, with their lines."""
    text = page.prose
    for table in page.tables:
        for row in table.rows:
            for cell in row:
                if cell:
                    text = blank(text, cell.start, cell.start + len(cell.printed + cell.unit))
    for pattern in (INLINE_CODE, *PARDONED):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in NUMBER.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[0].strip()


def unreasoned(page: Page) -> Iterator[int]:
    """The lines of `.notest` blocks without a comment above them that says why."""
    for block in page.blocks:
        if "notest" in block.kinds:
            above = [page.line(number).strip() for number in range(block.line - 2)]
            while above and not above[-1]:
                above.pop()
            if not above or not re.fullmatch(r"<!--\s*\w.*-->", above[-1]):
                yield block.line


def blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]

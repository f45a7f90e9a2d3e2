"""What a page must not contain: numbers that nobody checks, blocks left out without a reason."""

import html
import re
from collections.abc import Iterator
from itertools import chain

from literate.pages.page import Page, span
from literate.pages.prose import CHECK, CODE, COMMENT, FORMULA, blank, hidden
from literate.pages.remarks import remarks, without_remarks
from literate.rules.results import (
    EMPHASIS,
    NAMES,
    SOURCED,
    SOURCED_TABLE,
    TAG,
    WORDS,
    in_words,
    said,
    whole,
)

# A decimal, an exponent, a percentage, a factor. Three numbers joined by points are a version.
NUMBER = re.compile(
    r"""(?<![\w.])(?<!\d,)(?<![A-Za-z]-)[-+−]?(?:
        \d+(?:[,\u202f]\d{3})*\.\d++(?!\.\d)(?:e[-+]?\d+)?(?:\s?[%‰×])?
      | \.\d+
      | 0,\d+
      | \d+(?:[,\u202f]\d{3})*(?:
            e[-+]?\d+ | (?:\s|\\[,;])?\\?[%‰] | \s?× | \\times\s?(?=\$) | x\b
          | [\s-]per\s?cent\b | -fold\b
          | \stimes\s(?:as\s(?:fast|slow|long)|faster|slower|more|less|fewer)\b
          | \stimes\s(?:larger|smaller|longer|shorter|higher|wider|bigger|deeper)\b
          | \stimes\s(?:cheaper|quicker|heavier|lighter|better|worse|ours)\b
          | \stimes\s(?:the|all|our|its|their|that|what)\b
          | \s(?:thousand|million|billion)s?\b | \s?[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]
          | \stimes\sas\s(?:many|much|few|large|big|small|wide|high|deep|often)\b
        )
    )|×\s?\d+|\b(?i:factor)\s(?:of\s)?\d+|[¼-¾⅐-⅞]""",
    re.X,
)
PARDONED = [CHECK, SOURCED, SOURCED_TABLE, COMMENT, *NAMES]
INTEGER = re.compile(r"(?<![\d.])\d[\d_,]*(?!\.?\d)")  # 30.0 is none
WHOLE = re.compile(r"(?<![\w.#])(\d[\d_,\u202f]*)(?:\.0*)?(?![\d.]*\d)")
FRACTION = re.compile(r"(?<![\w/.^}])(\d+)/(\d+)(?![\w/]|\.\w)")
DISPLAYED = re.compile(r"\$\$.*?\$\$\s*", re.S)
NOT_COMPUTED = re.compile(r"<!-- not computed: (?!-->)\w.*?-->", re.S)
LONG = re.compile(r"(?<![\w.])[-−]?\d[\d,]*\.\d{3,}")


def unchecked(page: Page) -> Iterator[tuple[int, str]]:
    """The numbers of the page that no expression and no source stands behind, with their lines."""
    ran = "\n".join(f"{b.code}\n{b.output.text if b.output else ''}" for b in page.blocks)
    known, divided = named(page), divisions(page)
    for line, text in texts(page):
        yield from numbers(text, line, ran)
        for start, number in whole(text):
            if number not in known:
                yield line + text.count("\n", 0, start), number
        for fraction in FRACTION.finditer(bare(text)):
            if fraction.groups() not in divided:
                yield line + text.count("\n", 0, fraction.start()), fraction[0]
    yield from unfounded(page, ran)


def unfounded(page: Page, ran: str) -> Iterator[tuple[int, str]]:
    """Whole numbers below and about a picture or in an answer: there no year and no check excuses.

    `literate break` changes these, and each must be noticed.
    """
    known = {re.sub("[_,]", "", number) for number in INTEGER.findall(ran)}
    for start, end, kind in in_words(page):
        number = page.text[start:end]
        plain = re.sub("[,\u202f]", "", number)
        if kind in WORDS and plain.isdigit() and len(plain) > 1 and plain not in known:
            yield page.text.count("\n", 0, start) + 1, number


def texts(page: Page) -> Iterator[tuple[int, str]]:
    """Prose without the cells that are checked, titles and comments of blocks, with their lines."""
    text = page.prose
    for table in page.tables:
        for cell in filter(None, chain(*table.rows)):
            text = blank(text, cell.start, cell.start + len(cell.printed + cell.unit))
    head = re.sub(r"^(?!title:|description:).*", "", page.head, flags=re.M)
    yield 1, head + text[len(page.head) :]
    for fence in page.fences:
        if fence.info.startswith("sh"):
            yield span(fence)[0] + 1, f"{fence.info}\n{fence.content}"
    for block in page.blocks:
        yield block.line - 1, block.title
        for remark in remarks(block.code):
            yield block.line + remark.start[0] - 1, remark.string


def divisions(page: Page) -> set[tuple[str, ...]]:
    """The fractions of code and of checks: a fraction of the prose is one of them."""
    ran = [check.expression for check in page.checks]
    ran += [without_remarks(block.code) for block in page.blocks]
    return {match.groups() for match in re.finditer(r"(\d+) ?/ ?(\d+)", "\n".join(ran))}


def bare(text: str) -> str:
    """A text without code, comments and names."""
    for pattern in (CODE, *PARDONED):
        text = pattern.sub(hidden, text)
    return text


def named(page: Page) -> set[str]:
    """The whole numbers of code, outputs, checks and sourced tables. A remark might be wrong."""
    ran = [f"{check.printed} {check.expression}" for check in page.checks]
    ran += [match[0] for match in SOURCED_TABLE.finditer(page.prose)]
    for block in page.blocks:
        ran += [without_remarks(block.code), block.output.text if block.output else ""]
    return {re.sub("[_,\u202f]", "", number) for number in WHOLE.findall("\n".join(ran))}


def numbers(text: str, line: int, ran: str) -> Iterator[tuple[int, str]]:
    """The unchecked numbers of a text that begins at `line`; `ran` is what code may be quoted."""

    def code(match: re.Match[str]) -> str:
        # A setting stands in backticks. A result is long, and then a block must have printed it.
        results = set(LONG.findall(match[0])) - printed
        return match[0].replace("`", " ") if results else hidden(match)

    def formula(match: re.Match[str]) -> str:
        return re.sub(r"(?<=[A-Za-z-])(?=\d)", " ", match[0])  # as in \approx0.5

    printed = set(LONG.findall(ran))
    text = CODE.sub(code, text)
    for pattern in PARDONED:
        text = pattern.sub(hidden, text)
    text = html.unescape(TAG.sub(said, FORMULA.sub(formula, text)))
    text = re.sub(r"(?<=\d)\*+(?=\d)", " ", EMPHASIS.sub(" ", text))  # a product
    text = re.sub(r"\*+(?=\d)|(?<=\d)\*+", "", text)
    for match in NUMBER.finditer(text):
        yield line + text.count("\n", 0, match.start()), match[0].strip()


def uncomputed(page: Page) -> Iterator[int]:
    """The lines of formulas on lines of their own that no check computes; or a comment says why."""
    asked = {check.start for check in page.checks if check.formula}
    for match in DISPLAYED.finditer(page.prose):
        if not (match.end() in asked or NOT_COMPUTED.match(page.prose, match.end())):
            yield page.prose.count("\n", 0, match.start()) + 1


def unreasoned(page: Page) -> Iterator[int]:
    """The lines of `.notest` blocks without a comment above them that says why, in a few words."""
    for block in page.blocks:
        if "notest" in block.kinds:
            above = [page.line(number).strip() for number in range(block.line - 2)]
            while above and not above[-1]:
                above.pop()
            if not above or not re.fullmatch(r"<!--\s*\w\S*(?:\s+\S+){3,}\s*-->", above[-1]):
                yield block.line

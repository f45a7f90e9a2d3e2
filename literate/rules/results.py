"""Numbers of the prose beyond the checked ones that a reader takes for results.

They stand in captions, in the words for a picture, in answers to a prediction, in tables with a
source, before a source. In all other words a whole number below 10 is left alone: six words are six
words.
"""

import re
from collections.abc import Iterator

from literate.pages.page import Page
from literate.pages.prose import CHECK, CODE, COMMENT, FORMULA, hidden

ONE = (
    r"(?<!\bone )(?<!\bits )(?<!\ba )(?:section|equation|table|figure|chapter|exercise"
    r"|(?<!for )example|version|sec\.|eq\.|fig\.)"
)
MANY = r"(?:sections|equations|tables|figures|chapters|exercises|examples|versions|pages)"
NAMED = r"(?:Python|PyTorch|CUDA|CC\sBY|Apache|§)"
NUMBERED = (
    r"\s?(?!0\.)\d{1,2}(?:\.\d{1,2}){0,2}"
    r"(?!\.?\d|\s?(?:[\d%‰×]|(?:[mµ]?s|[kMG]i?B|times|per)\b)|-fold\b)"
)
CATALOGUED = r"(?:arXiv|isbn|page|issue|request)\s?(?!0\.)[\d.]*\d\b(?!\s?[\d%‰×])"
# No numbers of the book's: addresses, and the numbers of sections, figures and versions.
ADDRESS = re.compile(r"(?<=\])\([^)\s]*|https?://\S+")  # the title of a link is prose
NAMES = [
    ADDRESS,
    re.compile(r"\bdoi 10\.\d{4,}/[^\s\]]+"),
    re.compile(rf"(?<!\w)(?:(?i:{ONE})|{NAMED}){NUMBERED}|(?<!\w)(?i:{CATALOGUED})"),
    re.compile(rf"(?<!\w)(?i:{MANY}){NUMBERED}(?:(?:,|,? and|,? or| to|–|;){NUMBERED})*"),
]
# Things of a picture that are counted from 0, and bear their number as a name.
THING = r"(?:token|head|row|place|id|word)s?"
NAME_OF_THING = re.compile(rf"(?<!\w)(?i:{THING}){NUMBERED}(?:(?:,|,? and|,? or| to|–){NUMBERED})*")
TAG = re.compile(r"</?[A-Za-z][^>\n]*>")
SAID = re.compile(r"""\b(?:alt|title|aria-label)=("[^"]*"|'[^']*')""")  # of a tag, to a reader
YEAR = re.compile(r"\((?:19\d\d|20[0-2]\d)\)|\b(?:19|20)\d\d-\d\d-\d\d\b")
# In a sentence alone: in a caption “the root of 2024” would be one, and “in 2010 rows” anywhere.
COUNTED = r"(?:tokens|words|queries|keys|values|rows|entries|heads|numbers|scores)"
OF_YEAR = re.compile(rf"\b(?i:of|in) (?:201[4-9]|202\d)\b(?!-|\s{COUNTED})")
SOURCED = re.compile(r"[-+−\d.,\u202f]*\d[ \u202f]?[%×]?<!-- source: (?!-->)[^\n]+?-->")
# A table whose source stands below it, on a line of its own.
SOURCED_TABLE = re.compile(
    r"^(?:[ \t>]*\|[^\n]*\n)+[ \t>]*\n?[ \t>]*<!-- source: (?!-->)[^\n]+?-->[ \t]*$", re.M
)
NUMBER = re.compile(r"(?<![\w.,#])(?<![A-Z]-)(?<!Attention-)\d+(?:[.,\u202f]\d+)*")
THOUSANDS = re.compile(r"[kKMG]\b")  # 2k is another number than 2
ROW = re.compile(r"(?<=\n)[ \t>]*\|.*")  # but the first, which names the columns
WORDS = {
    "caption": re.compile(r"<figcaption[^>]*>(.*?)</figcaption>", re.S),
    "picture": re.compile(r"!\[((?:[^\[\]]|\[[^\]]*\])*)\]"),
    # The whole of the right one, and what is said to the others.
    "answer": re.compile(r"^ +- (?:\(x\)|\( \)[^\n]*?:(?=\s))(.*)$", re.M),
}

# No results: what the wrong choices of a prediction say, titles of works, the numbers of issues,
# the attributes of a heading.
NO_RESULT = re.compile(
    r"^ +- \( \)[^\n]*?:(?=\s)|\*[^*\n]+\*(?= \((?:19|20)\d\d\))"
    r"|\[\d+\](?=\([^)\s]*/(?:issues|pull)/)|\{ ?(?:[.#:]|[\w-]+=)[^}\n]*\}",
    re.M,
)
# A paragraph that begins with an item; in any other a line may begin with the end of a sentence.
LIST = re.compile(r"(?:\A|\n[ \t>]*\n)[ \t>]*(?:\d+\.|[-*+])\s.*(?:\n[ \t>]*\S.*)*")
ITEM = re.compile(r"^[ \t>]*\d+\.(?=\s)", re.M)
EMPHASIS = re.compile(r"(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")


def in_words(page: Page) -> Iterator[tuple[int, int, str]]:
    """Where such numbers stand, each with its kind."""
    prose = hide(page.prose, CODE)
    for match in SOURCED.finditer(prose):
        yield match.start(), match.start() + match[0].index("<!--"), "sourced"
    for table in SOURCED_TABLE.finditer(prose):
        for row in ROW.finditer(table[0]):
            yield from found(hide(row[0], ADDRESS), table.start() + row.start(), "table")
    for pattern in (SOURCED, CHECK, COMMENT, FORMULA, YEAR, *NAMES, NAME_OF_THING):
        prose = hide(prose, pattern)
    for kind, pattern in WORDS.items():
        for part in pattern.finditer(prose):
            yield from found(hide(part[1], TAG), part.start(1), kind)


def whole(text: str) -> Iterator[tuple[int, str]]:
    """The whole numbers from 10 on that no check of their own stands behind: where, and which."""
    checked = (CODE, SOURCED, SOURCED_TABLE, CHECK, COMMENT)
    for pattern in (*checked, FORMULA, NO_RESULT, YEAR, OF_YEAR, *NAMES, EMPHASIS):
        text = hide(text, pattern)
    text = LIST.sub(lambda match: hide(match[0], ITEM), TAG.sub(said, text))
    for number in NUMBER.finditer(text):
        plain = re.sub("[,\u202f]", "", number[0])
        more = THOUSANDS.match(text, number.end())
        if plain.isdigit() and (more or len(plain) > 1):
            yield number.start(), plain + (more[0] if more else "")


def found(text: str, start: int, kind: str) -> Iterator[tuple[int, int, str]]:
    for number in NUMBER.finditer(text):
        yield start + number.start(), start + number.end(), kind


def said(tag: re.Match[str]) -> str:
    """Of a tag what it says to a reader, in its place."""
    text = hidden(tag)
    for match in SAID.finditer(tag[0]):
        text = text[: match.start(1)] + match[1] + text[match.end(1) :]
    return text


def hide(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(hidden, text)

"""The numbers that words say: `four thousand`, `a quarter`, `one in ten`.

`one` is left out, since it is a pronoun too, and `zero`, since zeros are what a tensor holds; both
count within a phrase: `one in ten`, `one and a half`.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
COUNTS |= {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15}
COUNTS |= {"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20}
COUNTS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
COUNTS |= {"ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12}
COUNTS |= {"million": 10**6, "billion": 10**9, "trillion": 10**12}
COUNTS |= {"twice": 2, "double": 2, "thrice": 3, "triple": 3}
PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
PARTS |= {"ninth": 9, "tenth": 10, "twelfth": 12, "thirteenth": 13, "sixteenth": 16}
PARTS |= {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}

NAMES = "|".join(COUNTS)
ONE = rf"(?:{NAMES})s?"
MANY = rf"{ONE}(?:[\s-]{ONE})*"
PART = rf"(?P<part>{'|'.join(PARTS)})(?P<more>s?)"
# The longest comes first.
SAID = [
    rf"(?P<of>(?:{NAMES})s of (?:{NAMES})s)",  # tens of thousands
    rf"(?P<count>one|an?|{MANY})(?: (?:part|time|case|word|row)s?)? in (?:an? )?(?P<all>{MANY})",
    rf"(?P<whole>one|{MANY}) and (?P<count>an?|{MANY})[ -]{PART}",
    rf"(?:(?P<count>one|an?|{MANY})[ -])?(?P<article>an? )?{PART}",
    rf"(?:a )?(?P<count>{MANY})",
]
PHRASES = [re.compile(rf"(?<!\w)(?<!\w-){pattern}(?!\w)") for pattern in SAID]


@dataclass(frozen=True)
class Phrase:
    """Words that are one number, and the numbers that they may mean."""

    start: int
    end: int
    text: str
    meant: frozenset[float]


def phrases(words: str) -> Iterator[Phrase]:
    """The numbers in a text without capitals, in order."""
    words, start = re.sub(r"\s", " ", words), 0
    while start < len(words):
        matches = [match for pattern in PHRASES if (match := pattern.search(words, start))]
        if not matches:
            return
        match = min(matches, key=lambda match: (match.start(), -match.end()))
        yield Phrase(match.start(), match.end(), match[0], frozenset(meant(match.groupdict())))
        start = match.end()


def meant(said: dict[str, str | None]) -> Iterator[float]:
    count = number(said["count"]) if said.get("count") else 1
    if said.get("all"):
        yield count / number(said["all"])
    elif said.get("of"):
        yield number(said["of"])
    elif part := said.get("part"):
        share = count / PARTS[part]
        yield share + (number(said["whole"]) if said.get("whole") else 0)
        if share < 1:
            yield 1 + share  # half as much again
        if not said.get("count"):
            # A third may be the third of them; thousandths are a few.
            few = range(2, min(10, PARTS[part]))
            yield from (n / PARTS[part] for n in few if said["more"])
            if not said["more"] and 2 < PARTS[part] < 100:
                yield PARTS[part]
    else:
        yield count


def number(words: str | None) -> float:
    """The product of words that stand side by side; twenty-four is a sum."""
    product = 1
    for word in re.split(r"\s+(?:of\s+)?", words or ""):
        product *= sum(map(single, word.split("-"))) if word.count("-") == 1 else single(word)
    return product


def single(word: str) -> float:
    values = [COUNTS.get(part, COUNTS.get(part.removesuffix("s"), 1)) for part in word.split("-")]
    return math.prod(values)

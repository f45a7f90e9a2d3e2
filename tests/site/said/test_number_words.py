"""Each number in words before a claim is held: any other in its place is at odds with it."""

import re
from pathlib import Path

import pytest
from pages import DOCS, PAGES

from literate.pages.page import Page
from literate.pages.prose import Check
from literate.rules.claims import at_odds, clause
from literate.rules.numerals import COUNTS, PARTS, phrases

BOOK = [*(DOCS / page for page in PAGES), DOCS.parent / "README.md"]
INVERSE = {"twice": ["half"], "half": ["twice"]}
WORD = re.compile(rf"(?<!\w)({'|'.join([*PARTS, *COUNTS])})(s?)(?!\w)")


def said(words: str, check: Check) -> list[str]:
    """What is at odds when these words stand before the check."""
    page = Page(Path("page.md"), f"# Page\n\n{words}<!--= {check.expression} -->\n")
    return [message for _, message in at_odds(page)]


def others(word: str) -> list[str]:
    """The other numbers of its kind, and the inverse; `double` is none beside `twice`."""
    kind = COUNTS if word in COUNTS else PARTS
    return [other for other in kind if kind[other] != kind[word]] + INVERSE.get(word, [])


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.name)
def test_a_number_word_can_be_no_other(path: Path) -> None:
    page, passed = Page.read(path), []
    for check in page.checks:
        words = "" if check.printed or check.formula else clause(page.prose[: check.start])
        if not any(phrases(words)):
            continue
        assert not said(words, check)
        for match in WORD.finditer(words):
            for other in others(match[1]):
                changed = words[: match.start(1)] + other + words[match.end(1) :]
                if not said(changed, check):
                    passed.append(f"{path.name}:{check.line}: {match[0]} may be {other}")
    assert not passed, "\n".join(passed)

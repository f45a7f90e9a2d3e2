"""Where `auto` takes oneDNN, as the reference of backends says."""

import pytest
from pages import says

from attention.dispatch import onednn

PAGE = "reference/backends.md"
CASES = {
    "That is for heads of 64 to 128 entries": (
        (min(onednn.WIDTHS), max(onednn.WIDTHS)) == (64, 128)
    ),
    "and for at most eight threads": onednn.MOST_THREADS == 8,
}


@pytest.mark.parametrize("words", CASES)
def test_it_was_so(words: str) -> None:
    says(PAGE, words, CASES[words])

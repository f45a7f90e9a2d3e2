"""All of the notation on one page, element for element."""

import re
from pathlib import Path

from test_extensions import convert


def test_the_notation_becomes_this_html() -> None:
    """`notation.html` is read when it changes: it is what the style sheets are written for."""
    here = Path(__file__)
    html = convert(here.with_name("notation.txt").read_text("utf-8"))
    html = re.sub(r"<math.*?</math>", "<math/>", html, flags=re.S)  # KaTeX's own
    lines = re.sub(r"(?<!^)(<(?!/))", r"\n\1", html) + "\n"
    assert lines == here.with_name("notation.html").read_text("utf-8")

"""Figures of the site have the letters of the book, those that they show and no others."""

import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from literate.letters import lettered

DRAWN = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">
<text style="font-size: 12px; font-family: 'DejaVu Sans', sans-serif">2 &amp; é</text>
</svg>
"""
FACE = re.compile(r"@font-face\{font-family:'Book sans';.*?base64,([\w+/=]+)\)\}")


def test_a_figure_brings_its_letters_along() -> None:
    made = lettered(DRAWN)
    assert "font-family: 'Book sans', 'DejaVu Sans', sans-serif" in made
    assert made.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>')
    assert ElementTree.fromstring(made)[0].text.startswith("@font-face{font-family:'Book sans';")
    (face,) = FACE.findall(made)
    assert b64decode(face).startswith(b"wOF2")
    assert {*TTFont(BytesIO(b64decode(face))).getBestCmap()} == {ord(sign) for sign in " 2&é"}
    assert lettered(DRAWN) == made  # the same bytes each time


@pytest.mark.parametrize("family", ["var(--sans, sans-serif)", "sans-serif"])
def test_a_figure_that_takes_those_of_its_page_stays_as_it_is(family: str) -> None:
    drawn = DRAWN.replace("'DejaVu Sans', sans-serif", family)
    assert lettered(drawn) == drawn


def test_each_drawn_figure_can_have_them() -> None:
    drawn = [path for path in Path("docs").rglob("figures/*/*.svg") if "DejaVu" in path.read_text()]
    assert len(drawn) > 30
    for path in drawn:
        text = path.read_text("utf-8")
        assert text.count("'DejaVu Sans'") == lettered(text).count("'Book sans', 'DejaVu Sans'")

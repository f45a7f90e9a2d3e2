"""Figures of the site have the letters of the book, those that they show and no others."""

import gc
import re
import warnings
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

from literate.site.letters import FONT, lettered

DRAWN = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">
<text style="font-size: 12px; font-family: 'DejaVu Sans', sans-serif">2 &amp; é</text>
</svg>
"""
FACE = re.compile(r"@font-face\{font-family:'Book sans';.*?base64,([\w+/=]+)\)\}")


def test_a_figure_brings_its_letters_along() -> None:
    made = lettered(DRAWN)
    assert "font-family: 'Book sans', 'DejaVu Sans', sans-serif" in made
    assert made.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>')
    style, text = ElementTree.fromstring(made)
    (face,) = FACE.findall(made)
    begin = "@font-face{font-family:'Book sans';font-weight:400 700;src:url(data:font/woff2;base64,"
    assert (style.text, text.text) == (f"{begin}{face})}}", "2 & é")
    assert lettered(DRAWN) == made  # the same bytes each time
    font = TTFont(BytesIO(b64decode(face)))
    assert {*font.getBestCmap()} == {ord(sign) for sign in " 2&é"}
    assert (font.flavor, font["head"].modified) == ("woff2", TTFont(FONT)["head"].modified)


def test_of_drawings_within_a_drawing_the_outer_one_brings_them_for_both() -> None:
    made = lettered(DRAWN.replace("</svg>", "<svg></svg></svg>"))
    assert (made.count("<style>"), made.index("<style>") < made.index("<text")) == (1, True)


def test_the_file_of_the_font_is_closed() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lettered(DRAWN)
        gc.collect()
    assert [one for one in found if "sans.woff2" in str(one.message)] == []


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

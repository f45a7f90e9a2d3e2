"""Figures in the letters of the book: each file of the site brings those along that it shows.

A picture on a page reads none of its style sheets, so its words would stand in whatever sans serif
a machine has. Figures are drawn with wider letters, in which every word has its room.
"""

import html
import re
from base64 import b64encode
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONT = Path("docs/assets/vendor/sans.woff2")
DRAWN = "'DejaVu Sans'"  # the letters that matplotlib measures with, and asks for


def lettered(svg: str) -> str:
    """The figure with its letters in it, and asking for them first."""
    if DRAWN not in svg:  # it stands in a page, and takes the letters of that
        return svg
    shown = {ord(sign) for sign in html.unescape(re.sub(r"<[^>]*>", "", svg)) if sign.isprintable()}
    face = f"@font-face{{font-family:'Book sans';font-weight:400 700;src:url({address(shown)})}}"
    svg = svg.replace(DRAWN, f"'Book sans', {DRAWN}")
    return re.sub(r"(<svg[^>]*>)", rf"\1<style>{face}</style>", svg, count=1)


def address(signs: set[int]) -> str:
    """A part of the font, as an address that holds it."""
    options = subset.Options(flavor="woff2")
    made = BytesIO()
    font: TTFont
    with subset.load_font(str(FONT), options) as font:
        part = subset.Subsetter(options)
        part.populate(unicodes=sorted(signs))
        part.subset(font)
        subset.save_font(font, made, options)
    return f"data:font/woff2;base64,{b64encode(made.getvalue()).decode('ascii')}"

"""The picture that stands beside a link to the book elsewhere: its mark and its name, as a PNG.

It is drawn while the site is built, from the mark and the fonts of the site, so that it looks like
them; what shows a link understands neither SVG nor WOFF2.
"""

import re
import tempfile
from pathlib import Path

import resvg_py
from fontTools.ttLib import TTFont

ASSETS = Path("docs/assets")
PLACE = "assets/social.png"  # on the site
WIDTH, HEIGHT = 1200, 630
FONTS = ["display", "serif", "serif-italic"]
PAPER, INK, SOFT = "#faf7f0", "#1c1f2b", "#585764"

PICTURE = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">
  <rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>
  <rect width="{WIDTH}" height="12" y="{HEIGHT - 12}" fill="#9c2a78"/>
  <svg x="80" y="30" width="300" height="300" viewBox="0 0 32 32" fill="none">{{mark}}</svg>
  <text x="88" y="432" font-size="96" font-family="book-display" fill="{INK}">{{title}}</text>
  <text x="92" y="506" font-size="34" font-family="book-serif" fill="{SOFT}">
    <tspan>{{first}}</tspan><tspan x="92" dy="46">{{second}}</tspan>
  </text>
</svg>"""


def picture(name: str, description: str, assets: Path = ASSETS) -> bytes:
    """The PNG for a book called `Name, emphasised` and described in a sentence."""
    # Of the mark, without what it does in the dark, which this picture is not shown in.
    mark = (assets / "mark.svg").read_text("utf-8").partition(">")[2].removesuffix("</svg>\n")
    mark = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", mark)
    start, _, end = name.partition(" ")
    title = f'{start} <tspan font-family="book-serif-italic">{end}</tspan>'
    half = description.find(" ", len(description) // 2)
    first, second = description[:half], description[half + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        drawn = resvg_py.svg_to_bytes(
            PICTURE.format(mark=mark, title=title, first=first, second=second),
            width=WIDTH,
            height=HEIGHT,
            skip_system_fonts=True,  # the same bytes on every machine
            font_files=[str(unpacked(assets / f"vendor/{font}.woff2", folder)) for font in FONTS],
        )
    return bytes(drawn)


def unpacked(font: Path, folder: str) -> Path:
    """A font as the renderer reads it, with our name for it as its family."""
    face = TTFont(font, recalcTimestamp=False)
    face.flavor = None
    for record in face["name"].names:
        if record.nameID in (1, 16):
            record.string = f"book-{font.stem}".encode("utf-16-be")
    path = Path(folder) / f"{font.stem}.ttf"
    face.save(path)
    return path

"""Faces that stand in for ours until these have come: local ones, stretched to the same metrics.

What a machine has is Times New Roman, Arial and Courier New, or Liberation's faces. All are as
wide, letter by letter, as PostScript's own, whose widths matplotlib brings.
"""

from pathlib import Path
from typing import Any

import matplotlib
from fontTools.afmLib import AFM
from fontTools.agl import UV2AGL
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

CORE = Path(matplotlib.get_data_path()) / "fonts/afm"
# A paragraph of the book, whose letters are as wide as those of the whole book, to 0.2 %.
SAMPLE = (
    "With width 4 the second hand turns a hundred times more slowly than the first. Each column is"
    " a wave along the places. What tells a place is called a positional encoding, and these are"
    " the sinusoidal ones. One can also learn a table with a row for each place. In Attention Is"
    " All You Need both did about equally well; a table has no row for a place beyond its end."
)

# The family, its file, weight and style, PostScript's face, the local ones that are as wide.
TIMES, ARIAL, COURIER = (
    ["Times New Roman", "Liberation Serif"],
    ["Arial", "Liberation Sans"],
    ["Courier New", "Liberation Mono"],
)
FACES = [
    ("Book serif", "serif", 400, "normal", "ptmr8a", TIMES),
    ("Book serif", "serif", 700, "normal", "ptmb8a", [f"{name} Bold" for name in TIMES]),
    ("Book serif", "serif-italic", 400, "italic", "ptmri8a", [f"{name} Italic" for name in TIMES]),
    ("Book display", "display", 600, "normal", "ptmb8a", [f"{name} Bold" for name in TIMES]),
    ("Book sans", "sans", 400, "normal", "phvr8a", ARIAL),
    ("Book sans", "sans", 600, "normal", "phvb8a", [f"{name} Bold" for name in ARIAL]),
    ("Book mono", "mono", 400, "normal", "pcrr8a", COURIER),
    ("Book mono", "mono", 600, "normal", "pcrb8a", [f"{name} Bold" for name in COURIER]),
]


def width(font: Any, text: str) -> float:
    """The mean width of a letter, as a part of the font's size."""
    letters, unit = font.getBestCmap(), font["head"].unitsPerEm
    return sum(font["hmtx"][letters[ord(letter)]][0] for letter in text) / len(text) / unit


def core_width(name: str, text: str) -> float:
    metrics = AFM(str(CORE / f"{name}.afm"))
    return sum(metrics[UV2AGL[ord(letter)]][1] for letter in text) / len(text) / 1000


def face(vendor: Path, family: str, file: str, weight: int, style: str, core: str,
         names: list[str]) -> str:  # fmt: skip
    font: Any = TTFont(vendor / f"{file}.woff2")
    if "fvar" in font:
        font = instancer.instantiateVariableFont(font, {"wght": weight})
    size, unit = width(font, SAMPLE) / core_width(core, SAMPLE), font["head"].unitsPerEm
    rise, fall, gap = (
        getattr(font["hhea"], name) / unit / size for name in ("ascent", "descent", "lineGap")
    )
    sources = ",".join(f'local("{name}")' for name in names)
    return (
        f'@font-face{{font-family:"{family} stand-in";font-weight:{weight};font-style:{style};'
        f"src:{sources};size-adjust:{size:.2%};ascent-override:{rise:.2%};"
        f"descent-override:{-fall:.2%};line-gap-override:{gap:.2%}}}\n"
    )


def style_sheet(vendor: Path) -> str:
    return "".join(face(vendor, *each) for each in FACES)

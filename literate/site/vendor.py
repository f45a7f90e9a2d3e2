"""Fonts and KaTeX's style sheet, cut down to what the book shows, in `docs/assets/vendor`.

The packages bring them (`npm ci`); nothing of them is committed. A second run on the same packages
does nothing.
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from literate.extensions.maths import MODULES
from literate.site import stand_ins

TARGET = Path("docs/assets/vendor")
LETTERS = "".join(map(chr, range(0x20, 0x7F)))
LATIN = LETTERS + "éüöäçñòó×±·°§¶«»–—‘’“”…−\u00a0\u202f"
ITALIC = LETTERS + "éüö–—‘’“”…"
NAMES = "ćčđłńŁŠŽšžřşęąěůőűĆČ"  # of authors
GREEK = "αβγδεζηθικλμνξπρστυφχψωϕϵ"
STROKE = "\ue020"  # what strikes out a sign, as in ≠
MATHS = LETTERS + "−×·±∑∏∫√∞≤≥≠≈∈∉∼→←↦⊤⊥∥∣⟨⟩⋅⋯…⋮⋱∂∇∀∃∝′\u0338\u2061" + STROKE
LARGE = "()[]{}|√∑∏∫⟨⟩"

# The file in its package, our name, its characters, its axes: a range stays variable.
TEXT = [
    ("source-serif-4", "latin-wght-normal", "serif", LATIN, {"wght": (400, 700)}),
    ("source-serif-4", "latin-ext-wght-normal", "serif-names", NAMES, {"wght": (400, 700)}),
    ("source-serif-4", "latin-opsz-normal", "display", ITALIC, {"opsz": 48, "wght": 600}),
    ("source-serif-4", "latin-wght-italic", "serif-italic", ITALIC, {"wght": 400}),
    ("source-sans-3", "latin-wght-normal", "sans", LATIN, {"wght": (400, 700)}),
    ("source-code-pro", "latin-wght-normal", "mono", LATIN, {"wght": (400, 600)}),
    ("source-code-pro", "latin-ext-wght-normal", "mono-names", NAMES, {"wght": (400, 600)}),
]
KATEX = {
    "Main-Regular": MATHS,
    "Main-Bold": LETTERS,
    "Math-Italic": LETTERS + GREEK,
    "Caligraphic-Regular": "L",
    "Size1-Regular": LARGE,
    "Size2-Regular": LARGE,
    "Size3-Regular": LARGE,
    "Size4-Regular": LARGE,
}


def shrink(source: Path, target: Path, text: str, axes: dict[str, object] | None = None) -> None:
    font = TTFont(source, recalcTimestamp=False)  # the same bytes each time
    options = subset.Options(hinting=False, notdef_outline=True)
    options.name_IDs = [0, 1, 2, 3, 4, 6, 13, 14]  # the copyright and the licence stay
    options.layout_features = ["kern", "liga", "ccmp"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(font)
    if axes:  # after the subset: the other order loses glyphs that do not vary
        font = instancer.instantiateVariableFont(font, axes)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):  # the OFL keeps “Source” for the font as it came
            record.string = f"Book-{target.stem}".encode(record.getEncoding())
    font.flavor = "woff2"
    font.save(target)


def katex_css(css: str) -> str:
    """KaTeX's style sheet with the faces that are kept, as WOFF2 only."""

    def face(match: re.Match[str]) -> str:
        name = re.search(r"fonts/KaTeX_([\w-]+)\.woff2", match[0])
        if not name or name[1] not in KATEX:
            return ""
        source = f'src:url(katex-{name[1].lower()}.woff2) format("woff2")'
        css = re.sub(r"src:[^;}]*", source, match[0])
        # Letters that come late would move the text. A large bracket has the same place without;
        # and a script letter is not the plain one.
        waits = name[1].startswith(("Size", "Caligraphic"))
        return css if waits else css.replace("display:block", "display:optional")

    return re.sub(r"@font-face\{[^}]*\}", face, css)


def write(modules: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for package, cut, name, text, axes in TEXT:
        source = modules / f"@fontsource-variable/{package}/files/{package}-{cut}.woff2"
        shrink(source, target / f"{name}.woff2", text, axes)
    for name, text in KATEX.items():
        source = modules / f"katex/dist/fonts/KaTeX_{name}.woff2"
        shrink(source, target / f"katex-{name.lower()}.woff2", text)
    css = (modules / "katex/dist/katex.min.css").read_text("utf-8")
    (target / "katex.css").write_text(katex_css(css), "utf-8")
    (target / "stand-ins.css").write_text(stand_ins.style_sheet(target), "utf-8")


def state(modules: Path) -> str:
    """What the result is made of: the versions of the packages, and these files."""
    packages = ["katex", *sorted({f"@fontsource-variable/{package}" for package, *_ in TEXT})]
    parts = [(modules / package / "package.json").read_bytes() for package in packages]
    parts += [Path(file).read_bytes() for file in (__file__, stand_ins.__file__)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate vendor")
    parser.add_argument("--modules", type=Path, default=MODULES)
    parser.add_argument("--target", type=Path, default=TARGET)
    options = parser.parse_args(arguments)
    if not (options.modules / "katex").is_dir():
        print(f"{options.modules} lacks katex and the fonts: run `npm ci`", file=sys.stderr)
        return 1
    stamp, now = options.target / ".state", state(options.modules)
    if not stamp.exists() or stamp.read_text("utf-8") != now:
        write(options.modules, options.target)
        stamp.write_text(now, "utf-8")
    return 0

"""The fonts that the site serves, each as `fonts.txt` says; read that when it changes."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from literate.site import vendor

MODULES = Path(__file__).parents[3] / "node_modules"
SAID = Path(__file__).with_name("fonts.txt").read_text("utf-8")
NAMES = [*(name for _, _, name, _, _ in vendor.TEXT), *(f"katex-{x.lower()}" for x in vendor.KATEX)]


def described(path: Path) -> str:
    """The axes, features, names, tables, characters of a font, and the outline of what it lacks."""
    font = TTFont(path)
    axes = font["fvar"].axes if "fvar" in font else []
    features = {x.FeatureTag for name in ("GSUB", "GPOS") if name in font
                for x in getattr(font[name].table.FeatureList, "FeatureRecord", [])}  # fmt: skip
    names = {record.nameID: record.toUnicode() for record in font["name"].names}
    lacking = font.getGlyphSet()[".notdef"].width, "glyf" in font and font["glyf"][".notdef"]
    lines = [
        f"{path.name}: {font.flavor}, of {font['head'].modified}",
        *(f"  axis {a.axisTag} {a.minValue:g} to {a.maxValue:g}" for a in axes),
        f"  features {' '.join(sorted(features))}",
        f"  tables {' '.join(sorted(set(font.keys()) - {'GlyphOrder'}))}",
        f"  names {' '.join(str(number) for number in sorted(names))}: {names[1]}",
        f"  .notdef {lacking[0]} {getattr(lacking[1], 'numberOfContours', '')}",
        f"  {' '.join(f'{code:x}' for code in sorted(font.getBestCmap()))}",
    ]
    return "\n".join(lines) + "\n"


def test_each_font_is_one_of_the_list() -> None:
    assert [line.partition(".woff2")[0] for line in SAID.splitlines() if line[0] != " "] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_font_is_as_the_list_says(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(vendor, "TEXT", [face for face in vendor.TEXT if face[2] == name])
    kept = {x: text for x, text in vendor.KATEX.items() if f"katex-{x.lower()}" == name}
    monkeypatch.setattr(vendor, "KATEX", kept)
    monkeypatch.setattr(vendor.stand_ins, "FACES", [])
    vendor.write(MODULES, tmp_path / "a/folder")
    said = described(tmp_path / f"a/folder/{name}.woff2")
    assert said in SAID


def test_brackets_and_script_wait_for_their_font_and_letters_do_not() -> None:
    faces = "".join(
        f"@font-face{{font-display:block;src:url(fonts/KaTeX_{name}.woff2)}}"
        for name in ("Size1-Regular", "Main-Bold", "Script-Regular", "Caligraphic-Regular")
    )
    assert vendor.katex_css(f"{faces}.x{{}}") == (
        '@font-face{font-display:block;src:url(katex-size1-regular.woff2) format("woff2")}'
        '@font-face{font-display:optional;src:url(katex-main-bold.woff2) format("woff2")}'
        '@font-face{font-display:block;src:url(katex-caligraphic-regular.woff2) format("woff2")}'
        ".x{}"
    )


def test_where_the_fonts_are_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert vendor.main(["--modules", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said == f"{tmp_path} lacks katex and the fonts: run `npm ci`\n"

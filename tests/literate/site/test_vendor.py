"""Fonts and KaTeX for the site: only what is shown, once, and the same bytes each time."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from literate.site import vendor

FACE = ("source-serif-4", "latin-ext-wght-normal", "names", "ćč", {"wght": (400, 700)})


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a run with one small text face writes."""
    monkeypatch.setattr(vendor, "TEXT", [FACE])
    monkeypatch.setattr(vendor, "KATEX", {"Size1-Regular": "()"})
    monkeypatch.setattr(vendor.stand_ins, "FACES", [])
    return tmp_path / "vendor"


def test_only_what_is_shown_is_served(target: Path) -> None:
    assert vendor.main(["--target", str(target)]) == 0
    files = {path.name for path in target.iterdir()}
    assert files == {
        "names.woff2",
        "katex-size1-regular.woff2",
        "katex.css",
        "stand-ins.css",
        ".state",
    }
    assert set(map(chr, TTFont(target / "names.woff2").getBestCmap())) == {"ć", "č"}
    names = TTFont(target / "names.woff2")["name"]
    assert {names.getDebugName(number) for number in (1, 3, 4, 6)} == {"Book-names"}
    assert "Adobe" in names.getDebugName(0)
    assert "OFL" in names.getDebugName(14)
    css = (target / "katex.css").read_text("utf-8")
    assert css.count("@font-face") == 1
    assert "url(katex-size1-regular.woff2)" in css
    assert ".katex" in css
    assert "://" not in css


def test_a_stand_in_is_as_wide_and_as_high() -> None:
    faces = vendor.stand_ins.style_sheet(vendor.TARGET).splitlines()
    # Both give each letter six tenths of the size; ours rises to 0.984 and falls to 0.273 of it.
    same = "size-adjust:100.00%;ascent-override:98.40%;descent-override:27.30%"
    assert [same in face for face in faces] == ["Book mono" in face for face in faces]
    assert len(faces) == 8


def test_a_second_run_does_nothing_and_a_new_one_writes_the_same(target: Path) -> None:
    vendor.main(["--target", str(target)])
    font = target / "names.woff2"
    bytes_then, time_then = font.read_bytes(), font.stat().st_mtime_ns
    vendor.main(["--target", str(target)])
    assert font.stat().st_mtime_ns == time_then
    (target / ".state").unlink()
    vendor.main(["--target", str(target)])
    assert font.stat().st_mtime_ns > time_then
    assert font.read_bytes() == bytes_then


def test_without_a_word_it_writes_where_the_site_takes_it_from(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    styles = (Path(__file__).parents[3] / "mkdocs.yml").read_text("utf-8")
    assert f"- {vendor.TARGET.relative_to('docs')}/katex.css\n" in styles
    monkeypatch.setattr(vendor, "TARGET", target)
    assert vendor.main([]) == 0
    assert (target / "katex.css").exists()


def test_missing_packages_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "vendor"
    assert vendor.main(["--modules", str(tmp_path), "--target", str(target)]) == 1
    assert "lacks katex and the fonts: run `npm ci`" in capsys.readouterr().err
    assert not target.exists()

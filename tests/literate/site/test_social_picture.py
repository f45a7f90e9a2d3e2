"""The picture beside a link: what is drawn of a mark, a name and a sentence, and with which faces.

`social.svg` is what the renderer is given, read once by eye.
"""

import struct
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from literate.site import social, vendor

MARK = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none">
  <style>
    .a { stroke: #9c2a78 }
    @media (prefers-color-scheme: dark) { .a { stroke: #d88fd0 } .b { fill: #6ea0f7 } } .c { r: 1 }
  </style>
  <path class="a" d="M1 2v3"/>
</svg>
"""


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    """A folder with a mark, and with the fonts of the site."""
    (tmp_path / "mark.svg").write_text(MARK, "utf-8")
    (tmp_path / "vendor").symlink_to(vendor.TARGET.resolve())
    return tmp_path


def test_the_drawing(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark as it is in the light; the rest of the name is slanted, the sentence halved."""
    given = []

    def render(svg: str, **options: object) -> bytes:
        fonts = options["font_files"]
        assert isinstance(fonts, list)
        faces = {Path(font).name: str(TTFont(font)["name"].getDebugName(1)) for font in fonts}
        given.append((svg, faces))
        return b"drawn"

    monkeypatch.setattr(social.resvg_py, "svg_to_bytes", render)
    assert social.picture("Name, in two parts", "A sentence of some words.", assets) == b"drawn"
    ((svg, faces),) = given
    assert svg + "\n" == Path(__file__).with_name("social.svg").read_text("utf-8")
    assert faces == {
        "display.ttf": "book-display",
        "serif.ttf": "book-serif",
        "serif-italic.ttf": "book-serif-italic",
    }


def test_it_has_the_size_and_the_place_that_pages_say(assets: Path) -> None:
    head = Path("docs/overrides/main.html").read_text("utf-8")
    png = social.picture("Name, it is", "A sentence of some words.", assets)
    width, height = struct.unpack(">II", png[16:24])
    assert f'"og:image:width" content="{width}"' in head
    assert f'"og:image:height" content="{height}"' in head
    assert f'"og:image" content="{{{{ config.site_url }}}}{social.PLACE}"' in head


def test_no_face_of_the_machine_is_used(assets: Path) -> None:
    """Letters that ours lack look alike, whatever else could draw them."""
    drawn = {social.picture("Name, it is", f"A word and {word}", assets) for word in ("жж", "чч")}
    assert len(drawn) == 1


def test_a_face_is_found_under_our_name_and_keeps_its_day(tmp_path: Path) -> None:
    """Also one that has a name for its family with all its weights, which goes before."""
    font = TTFont(vendor.TARGET / "serif.woff2", recalcTimestamp=False)
    font["name"].setName("Another family", 16, 3, 1, 0x409)
    font["head"].modified = 3_000_000_000
    font.save(tmp_path / "face.woff2")
    path = social.unpacked(tmp_path / "face.woff2", str(tmp_path))
    assert path == tmp_path / "face.ttf"
    face = TTFont(path, recalcTimestamp=False)
    assert [face["name"].getDebugName(number) for number in (1, 16)] == ["book-face"] * 2
    assert face["head"].modified == 3_000_000_000
    assert path.read_bytes()[:4] == b"\0\1\0\0"  # no longer packed

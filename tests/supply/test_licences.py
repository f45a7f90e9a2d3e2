"""What the built site serves and others wrote has its licence on the site."""

import json
import re
from fnmatch import fnmatch
from importlib.metadata import distribution, metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
ABOUT = ROOT / "docs/about"
ROW = re.compile(r"^\| (.+?) \| (.+?) \| ([\w.-]+) \|$", re.M)
TABLE = ROW.findall((ABOUT / "licences.md").read_text("utf-8"))[2:]  # without its head
TEXTS = (ABOUT / "licences.txt").read_text("utf-8")
NODE = ROOT / "node_modules"
ICONS = Path(str(distribution("mkdocs-material").locate_file("material/templates/.icons")))
PATH = re.compile(r"""<path\b[^>]*?\bd=["']([^"']{20,})""")
# What MkDocs and the export make of the book itself.
MADE = """404.html *index.html *index.md *.ipynb *.py llms.txt objects.inv robots.txt sitemap.xml
    sitemap.xml.gz search/search_index.json assets/social.png assets/vendor/stand-ins.css"""


def test_the_licences_have_the_same_names_everywhere() -> None:
    licence = (ROOT / "LICENSE").read_text("utf-8")
    code, text = re.search(r"^(\w+) License$", licence, re.M), re.search(r"\((CC .+?)\)", licence)
    assert code
    assert text
    code, text = code[1], text[1]
    foot = f"Text: {text}. Code: {code}."
    assert f'copyright: "{foot}"' in (ROOT / "mkdocs.yml").read_text("utf-8")
    readme = f"Code: {code}. Text and figures: {text}. See [LICENSE](LICENSE)."
    assert readme in (ROOT / "README.md").read_text("utf-8").splitlines()
    assert f'license = "{code}"' in (ROOT / "pyproject.toml").read_text("utf-8").splitlines()


def test_every_file_of_the_site_is_ours_or_has_a_licence(built: Path) -> None:
    theirs = [glob for _, where, _ in TABLE for glob in re.findall(r"`([^`]+)`", where)]
    used = set()
    for path in built.rglob("*"):
        name = path.relative_to(built).as_posix()
        if path.is_dir() or (ROOT / "docs" / name).exists() and "vendor" not in name:
            continue
        found = {glob for glob in theirs if fnmatch(name, glob)}
        assert found or any(fnmatch(name, glob) for glob in MADE.split()), name
        used |= found
    assert used == set(theirs)


def test_what_scripts_and_styles_contain_is_in_the_table(built: Path) -> None:
    """The theme's source maps name the packages that went into them."""
    inside = set()
    for path in built.rglob("*.map"):
        sources = json.loads(path.read_text("utf-8"))["sources"]
        inside |= {
            match[1] for each in sources if (match := re.search(r"node_modules/([^/]+)", each))
        }
    assert len(inside) > 5
    listed = {what.partition(":")[0].removesuffix(".js").strip("`").lower() for what, *_ in TABLE}
    assert inside <= listed


def test_a_licence_is_the_one_that_its_package_names() -> None:
    """Of what is installed here; what a bundle contains says its own in its text."""
    fonts = NODE / "@fontsource-variable/source-serif-4/package.json"
    packages = {
        "KaTeX": json.loads((NODE / "katex/package.json").read_text("utf-8"))["license"],
        "Source Serif 4": json.loads(fonts.read_text("utf-8"))["license"],
        "Material for MkDocs": metadata("mkdocs-material")["License-Expression"],
        "mkdocstrings-python": metadata("mkdocstrings-python")["License-Expression"],
    }
    for name, licence in packages.items():
        assert [said for what, _, said in TABLE if what.startswith(name)] == [licence], name


def test_each_icon_is_of_a_set_in_the_table(built: Path) -> None:
    """The theme brings four sets, and writes icons into its style sheets and into pages."""
    sets = {folder.name: drawings(folder) for folder in ICONS.iterdir() if folder.is_dir()}
    assert len(sets) == 4
    names = {"material": "Material Design Icons", "octicons": "Octicons"}
    names["fontawesome"] = "Font Awesome Free"
    used: dict[str, set[str]] = {}
    for path in [*built.rglob("*.html"), *built.rglob("*.css")]:
        shown = {*PATH.findall(path.read_text("utf-8"))}
        for name, theirs in sets.items():
            used.setdefault(path.suffix, set()).update({name} if shown & theirs else ())
    assert used == {".html": {"material"}, ".css": {"material", "octicons", "fontawesome"}}
    listed = [what for what, *_ in TABLE]
    assert all(any(what.startswith(names[name]) for what in listed) for name in used[".css"])


def drawings(folder: Path) -> set[str]:
    return {
        path for each in folder.rglob("*.svg") for path in PATH.findall(each.read_text("utf-8"))
    }


def test_each_text_is_the_one_that_its_package_brings() -> None:
    brought = [*NODE.glob("@fontsource-variable/*/LICENSE"), NODE / "katex/LICENSE"]
    for name in ("mkdocs-material", "mkdocstrings-python"):
        files = distribution(name).files or []
        brought += [Path(str(each.locate())) for each in files if each.name == "LICENSE"]
    icons = [path for path in brought if path.parent.name == "material"]
    assert icons, "the licence of the icons"
    others = [ICONS / "octicons/LICENSE", ICONS / "fontawesome/LICENSE.txt"]
    brought = [path for path in brought if ".icons" not in path.parts or path in icons]
    brought += others
    assert len(brought) == 9
    for path in brought:
        assert path.read_text("utf-8").strip() in TEXTS, path


def test_each_line_of_the_table_has_its_text() -> None:
    assert len(TABLE) == 15
    for what, *_ in TABLE:
        name = re.split(r"[:,;]", what)[0].strip("`").removeprefix("The weights of ")
        assert name in TEXTS, name


def test_the_licence_of_the_text_is_named_alike() -> None:
    said = {
        name: set(re.findall(r"CC BY [\d.]*\d", (ROOT / name).read_text("utf-8")))
        for name in ("LICENSE", "README.md", "docs/about/licences.md")
    }
    assert len(said["LICENSE"]) == 1
    assert all(each == said["LICENSE"] for each in said.values())

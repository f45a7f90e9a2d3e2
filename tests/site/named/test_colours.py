"""The colours that the book names are those of its tokens, wherever one stands a second time."""

import colorsys
import inspect
import re

import pytest
from pages import DOCS

from attention import table
from attention.views import drawing
from literate.extensions.maths import PARTS
from literate.extensions.roles import ROLE, ROLES

CSS = {path.name: path.read_text("utf-8") for path in (DOCS / "assets/css").glob("*.css")}
PAIR = r"light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)"
TOKENS = dict(re.findall(rf"--([\w-]+): *({PAIR})", CSS["tokens.css"]))
# Degrees of the wheel.
HUES = {"orange": (15, 40), "green": (120, 170), "blue": (205, 230), "plum": (305, 330)}
COLOUR = "|".join(HUES)


def hue(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 360 * colorsys.rgb_to_hsv(red, green, blue)[0]


def named(text: str) -> list[tuple[str, str]]:
    """The roles to which a text gives colours: in its sentences, and in a table of letters."""
    said = re.findall(rf"\b({'|'.join(ROLE)})(?:\*\*)?(?: is| are)? ({COLOUR})\b", text)
    found = [(ROLE[name], colour) for name, colour in said]
    for letter, colours in re.findall(rf"^\| \$(.+?)\$ \|.*?; ((?:{COLOUR})\b.*?) \|", text, re.M):
        roles = {m.start(): PARTS[part] for part in PARTS for m in re.finditer(part, letter)}
        found += zip((roles[at] for at in sorted(roles)), colours.split(", "), strict=True)
    return found


@pytest.mark.parametrize(("page", "seen"), [("index.md", 4), ("about/glossary.md", 14)])
def test_a_part_has_the_colour_that_a_page_gives_it(page: str, seen: int) -> None:
    said = named((DOCS / page).read_text("utf-8"))
    assert len(said) == seen
    for role, colour in said:
        low, high = HUES[colour]
        for shade in re.findall("#[0-9a-f]{6}", TOKENS[role]):
            assert low < hue(shade) < high, f"{role}: {shade} is no {colour}"


def test_a_rule_for_a_part_takes_its_colour() -> None:
    sheets = "\n".join(CSS.values())
    rules = re.findall(rf"[.]({'|'.join(ROLES)})\b[^{{}},]*{{([^}}]*)}}", sheets)
    assert {role for role, _ in rules} == {*ROLES}
    for role, rule in rules:
        assert {*re.findall(rf"--({'|'.join(ROLES)})\b", rule)} <= {role}, f".{role} {{{rule}}}"


@pytest.mark.parametrize("module", [drawing, table])
def test_what_stands_in_for_a_token_is_its_value(module: object) -> None:
    said = re.findall(rf"var\(--([\w-]+),\s+({PAIR})\)", inspect.getsource(module))
    assert len(said) > 2
    assert said == [(name, TOKENS[name]) for name, _ in said]

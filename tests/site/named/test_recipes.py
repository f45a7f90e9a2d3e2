"""The page of recipes names all that the package exports."""

import re

from pages import ROOT

import attention

PAGE = ROOT / "docs/reference/recipes.md"


def test_every_public_name_has_a_row() -> None:
    named = re.findall(r"^\| \[`(\w+)`\]\(", PAGE.read_text("utf-8"), re.M)
    assert sorted(named) == attention.__all__

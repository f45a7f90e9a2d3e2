"""The page of recipes names all that the package exports."""

import re
from pathlib import Path

import attention

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/recipes.md"
CPU = "https://download.pytorch.org/whl/cpu"
PLACES = ["README.md", "docs/reference/recipes.md", ".github/workflows/tests.yml"]
PLACES += [".github/workflows/pages.yml"]


def test_every_public_name_has_a_row() -> None:
    named = re.findall(r"^\| \[`(\w+)`\]\(", PAGE.read_text("utf-8"), re.M)
    assert sorted(named) == attention.__all__


def test_the_address_of_the_wheels_for_a_cpu_is_the_same_everywhere() -> None:
    texts = {name: (ROOT / name).read_text("utf-8") for name in PLACES}
    found = {name: set(re.findall(r"https://download[^\s`']+", texts[name])) for name in PLACES}
    assert all(addresses == {CPU} for addresses in found.values()), found

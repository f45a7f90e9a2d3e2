"""The name of a piece of the package, and where the piece ends."""

from pathlib import Path

import pytest

from literate.pages.sources import NoSource, source

CODE = "def first():\n    return XX\n\n    return X\n\n\ndef second():\n    return XX\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/body.py").write_text(CODE, "utf-8")
    return tmp_path


def test_a_paragraph_ends_with_its_last_letter(root: Path) -> None:
    assert source(root, "parts.body.first:1") == "def first():\n    return XX\n"
    assert source(root, "parts.body.first:2") == "return X\n"


LONG = "x" * 300  # no file may be called so


@pytest.mark.parametrize(
    "name",
    [
        "parts",
        "parts.body",
        "parts.body.",
        "parts.hand.first",
        f"parts.{LONG}.first",
        f"{LONG}.a.b",
    ],
)
def test_what_names_nothing_says_what_a_name_is(root: Path, name: str) -> None:
    with pytest.raises(NoSource) as raised:
        source(root, name)
    assert str(raised.value) == f"no file defines {name!r}: expected package.module.name"


def test_a_name_that_ends_in_a_dot(root: Path) -> None:
    with pytest.raises(NoSource) as raised:
        source(root, "parts.body.first.")
    assert str(raised.value) == "parts/body.py does not define ''"

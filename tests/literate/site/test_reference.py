"""What a program reads of the package: heads and docstrings."""

import re
from pathlib import Path

import attention
from literate.site.plain import REFERENCE
from literate.site.reference import reference


def test_a_class_has_its_docstring_and_its_public_methods() -> None:
    text = reference("attention.cache.base.Cache", "")
    assert text.startswith("class Cache:\n")
    public = [
        name
        for name, made in vars(attention.KVCache.__base__).items()
        if callable(made) and made.__doc__ and not name.startswith("_")
    ]
    assert len(public) > 2
    assert all(f"    def {name}(" in text for name in public)
    assert "def _" not in text


def test_a_function_has_its_signature_and_its_docstring_and_no_code() -> None:
    text = reference("attention.functional.dot_product_attention", "")
    head, doc = text.split('    """', 1)
    assert head.startswith("def dot_product_attention(\n    query: Float")
    assert doc.startswith("Average the values")
    assert doc.endswith('"""')


def test_members_are_those_that_are_listed() -> None:
    text = reference("attention.loading", "    options:\n      members: [from_llama, from_bart]\n")
    assert re.findall(r"^def (\w+)", text, re.M) == ["from_llama", "from_bart"]
    alone = reference("attention.cache.growing.KVCache", "    options:\n      members: false\n")
    assert alone.startswith("class KVCache(Cache):\n")
    assert "def " not in alone


def test_a_name_of_a_package_is_found_where_it_is_defined() -> None:
    found = reference("attention.masks.Mask", "")
    assert found == reference("attention.masks.base.Mask", "")
    assert reference("attention.backends.triton.triton", "").startswith("def triton(")


def test_each_entry_of_the_book_has_a_text() -> None:
    pages = [path.read_text("utf-8") for path in Path("docs").rglob("*.md")]
    entries = [match.groups() for page in pages for match in REFERENCE.finditer(page)]
    assert len(entries) > 30
    assert all('"""' in reference(*entry) for entry in entries)

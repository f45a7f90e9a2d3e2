"""Numbers that nothing checks, where a reader meets words that are no page."""

import doctest
import inspect
import re
from collections.abc import Iterator
from pkgutil import resolve_name

import pytest
from pages import ROOT

from literate.pages.page import Page
from literate.rules.guards import numbers
from literate.rules.results import whole
from literate.site.plain import REFERENCE
from literate.site.reference import MEMBERS


def shown() -> Iterator[tuple[str, str]]:
    """The docstrings of the reference, with their names; those of methods too."""
    for path in sorted((ROOT / "docs/reference").glob("*.md")):
        for name, options in REFERENCE.findall(path.read_text("utf-8")):
            members = MEMBERS.search(options)
            parts = [f"{name}.{part}" for part in members[1].split(", ")] if members else [name]
            for each in parts:
                found = resolve_name(each)
                yield each, inspect.getdoc(found) or ""
                inside = vars(found).items() if inspect.isclass(found) else ()
                for part, method in inside:
                    if not part.startswith("_") and (said := inspect.getdoc(method)):
                        yield f"{each}.{part}", said


def words(docstring: str) -> str:
    """A docstring without its examples, which are run."""
    parts = doctest.DocTestParser().parse(docstring)
    return "".join(part for part in parts if isinstance(part, str))


def test_the_reference_says_no_number_that_nothing_checks() -> None:
    found = list(shown())
    assert len(found) > 60
    for name, docstring in found:
        assert not [*numbers(words(docstring), 1, "")], name
        assert not [*whole(words(docstring))], name


def hiding(code: str) -> bool:
    """Whether a directive keeps an example from being run, or compared to the letter."""
    return re.search(r"#\s*doctest:", code) is not None


def test_no_example_of_the_package_is_left_out() -> None:
    for path in (ROOT / "attention").rglob("*.py"):
        assert not hiding(path.read_text("utf-8")), path


def test_an_example_that_is_left_out_is_seen() -> None:
    assert hiding(">>> attend(x)  # doctest: +SKIP\n1\n")
    assert hiding(">>> attend(x)  #doctest:+ELLIPSIS\n1\n")
    assert not hiding("A doctest: it is run.")


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_the_papers_beside_the_book_neither(name: str) -> None:
    prose = Page.read(ROOT / name).prose
    assert not [*numbers(prose, 1, "")]
    assert {number for _, number in whole(prose)} <= {"150"}  # lines of a file, a rule of the house


def test_a_number_in_a_docstring_is_seen() -> None:
    said = words("It is 1.5 times as fast.\n\n>>> 0.25 + 0.25\n0.5\n")
    assert [number for _, number in numbers(said, 1, "")] == ["1.5"]

"""What the papers beside the book say: public names, files, settings, and numbers in words."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

import pytest
from masks import PARTS
from names import unknown
from pages import DOCS

import attention
from attention import Mask
from attention.backends.names import NAMES
from literate.pages.prose import CODE
from literate.rules.numerals import COUNTS
from literate.site.plain import REFERENCE

ROOT = DOCS.parent
PAPER = {path.stem: path.read_text("utf-8") for path in ROOT.glob("*.md")}


def file(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def spans(text: str) -> list[str]:
    return [match[0].strip("`") for match in CODE.finditer(text)]


def section(paper: str, title: str) -> str:
    return PAPER[paper].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("paper", ["CHANGELOG", "README"])
def test_a_class_that_a_paper_names_is_public(paper: str) -> None:
    said = {span for span in spans(PAPER[paper]) if re.fullmatch(r"[A-Z]+[a-z]\w*", span)}
    assert said <= {*attention.__all__}


def test_what_the_changelog_names_is_there() -> None:
    said = {*spans(PAPER["CHANGELOG"])} - {"llms.txt"}
    assert not [name for span in said for name in unknown(span)]
    assert {*NAMES} - {"auto"} <= said


def test_the_changelog_lists_every_mask() -> None:
    (listed,) = re.findall(r"the masks (`.+?`), which combine", PAPER["CHANGELOG"])
    public = {name: getattr(attention, name) for name in attention.__all__}
    masks = [n for n, x in public.items() if isinstance(x, type) and issubclass(x, Mask)]
    assert sorted([*spans(listed), "Mask"]) == sorted(masks)


def test_each_public_name_is_explained_by_a_page_of_the_reference() -> None:
    pages = re.findall(r"^ +- (.+): (reference/\S+\.md)$", file("mkdocs.yml"), re.M)
    named = [each for _, page in pages for each in REFERENCE.findall((DOCS / page).read_text())]
    explained = [resolve_name(name) for name, _ in named]
    assert [x for x in attention.__all__ if getattr(attention, x) not in explained] == []
    for title, page in pages:  # a module by its own name
        assert re.fullmatch(r"[A-Z][\w ]+", title) or resolve_name(title)
        assert "." not in title or page == f"reference/{title.partition('.')[2]}.md"


def test_each_part_of_the_package_has_its_words() -> None:
    said = {*re.findall(r"`([\w/]+(?:\.py|/))`", section("CONTRIBUTING", "The package"))}
    there = {path.name + "/" * path.is_dir() for path in Path(attention.__file__).parent.iterdir()}
    there -= {"__init__.py", "__pycache__/", "py.typed"}
    there |= {"dispatch/direct.py"}
    assert said - {"overhead.py", "tests/site/benchmarks/", "tests/site/measured/"} == there


def processes() -> int:
    return int(re.findall(r"--numprocesses (\d+)", file("Makefile"))[0])


def threads() -> int:
    return json.loads(file("benchmarks/masks.json"))["forward"]["threads"]


def again() -> int:
    return int(
        re.findall(r"^AGAIN = (\d+)", file("tests/literate/mutants/test_mutants_record.py"), re.M)[
            0
        ]
    )


def fuzz() -> int:
    return int(re.findall(r"^FUZZ=(\d+)", PAPER["CONTRIBUTING"], re.M)[0])


@pytest.mark.parametrize(
    ("paper", "words", "number"),
    [
        ("CONTRIBUTING", r"On (\w+) cores", processes),
        ("CONTRIBUTING", r"runs the tests in (\w+) processes", processes),
        ("CONTRIBUTING", r"another (\w+) mutants that were noticed", again),
        ("CONTRIBUTING", r"a (\w+) times the random inputs", fuzz),
        ("README", r"a CPU with (\w+) threads", threads),
    ],
)
def test_a_number_in_words_is_that_of_the_code(
    paper: str, words: str, number: Callable[[], int]
) -> None:
    (said,) = re.findall(words, PAPER[paper])
    assert COUNTS[said] == number()


def test_ci_runs_the_commands_that_are_named() -> None:
    (said,) = re.findall(r"CI runs `make (\w+)` and `make (\w+)`", PAPER["CONTRIBUTING"])
    assert re.findall(r"^make (\w+)$", file(".ci/run"), re.M) == [*said]


def test_what_publishing_sets_is_what_the_site_reads() -> None:
    said = {span for span in spans(section("CONTRIBUTING", "Publishing")) if span.isupper()}
    assert said == {*re.findall(r"!ENV \[(\w+)", file("mkdocs.yml"))}
    assert said <= {*re.findall(r"^ +(\w+): ", file(".github/workflows/pages.yml"), re.M)}


def test_what_the_browser_is_told_it_reads() -> None:
    part = section("CONTRIBUTING", "The site in a browser")
    said = {span.partition("=")[0] for span in spans(part) if re.fullmatch("[A-Z_]+(=1)?", span)}
    read = "".join(path.read_text("utf-8") for path in (ROOT / "literate/printing").glob("*.py"))
    read += file("tests/browser/conftest.py")
    assert said == {"CHROME", "BROWSER_REQUIRED"}
    assert said <= {*re.findall(r'environ\.get\("(\w+)"', read)}
    assert "BROWSER_REQUIRED: 1" in file(".github/workflows/tests.yml")


def test_a_benchmark_has_the_parts_that_are_named() -> None:
    (parts,) = re.findall(r"masks\.py (\w+)  # also ([\w, ]+):", PAPER["CONTRIBUTING"])
    assert {parts[0], *parts[1].split(", ")} <= {*PARTS}
    (chapter,) = re.findall(r"cost\.py .*: chapter (\d+)", PAPER["CONTRIBUTING"])
    assert f"data-chapter={chapter} " in (DOCS / "speed/what-attention-costs.md").read_text("utf-8")

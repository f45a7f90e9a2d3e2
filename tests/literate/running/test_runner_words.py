"""What a run of pages says, how it is told what to do, and what it leaves when it is over."""

from pathlib import Path

import pytest
from helpers import counts, failures

OURS = "-p pytest_markdown_docs.plugin -p literate.runner -p no:cacheprovider --markdown-docs"
ONE = "One is 1<!--= 1 * 1 -->.\n"
TWO = "One is 1<!--= 1 * 1 -->, two is 2<!--= 1 + 1 -->.\n"


@pytest.fixture
def told(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """What a run in this process prints, with our plugins alone, as lines."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def told(*arguments: str) -> list[str]:
        result = pytester.runpytest_inprocess(*OURS.split(), *arguments)
        return [*result.outlines, *result.errlines]

    return told


def test_the_help_says_what_each_option_does(told) -> None:
    words = " ".join(" ".join(told("--help")).split())
    for said in (
        "--update-docs rewrite the outputs, numbers and figures of the pages that differ --",
        "--update-spread record how far the numbers of the pages are from the recorded ones, "
        "on other code --",
        "--shuffle-pages=SEED run the pages in another order: none may need what another left "
        "behind ",
        "records (string): the folder of the records of the pages; none if it is not set ",
    ):
        assert said in words


def test_a_seed_is_a_number(told) -> None:
    assert any(
        line.endswith("argument --shuffle-pages: invalid int value: 'first'")
        for line in told("--shuffle-pages=first")
    )


def test_pages_are_not_rewritten_on_several_processes(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("-p", "literate.runner", "--update-docs", "-n", "2")
    assert "ERROR: --update-docs rewrites files: run it without -n" in result.errlines


def test_how_many_places_were_rewritten(told, pytester: pytest.Pytester) -> None:
    pages = {"one": ONE, "right": ONE, "two": TWO}
    for name, text in pages.items():
        wrong = text if name == "right" else text.replace(" 1<", " 3<").replace(" 2<", " 4<")
        (pytester.path / f"{name}.md").write_text(wrong, "utf-8")
    lines = told("--update-docs", *(f"{name}.md" for name in pages))
    assert [line for line in lines if "rewrote" in line] == [
        "one.md: rewrote 1 place",
        "two.md: rewrote 2 places",
    ]
    assert [line for line in lines if "→" in line] == [
        "one.md:1: 3 → 1",
        "two.md:1: 3 → 1",
        "two.md:1: 4 → 2",
    ]
    for name, text in pages.items():
        assert (pytester.path / f"{name}.md").read_text("utf-8") == text


def test_pages_are_in_the_order_given_or_in_that_of_a_seed(told, pytester: pytest.Pytester) -> None:
    given = [f"{name}.md" for name in "fcabed"]
    for name in given:
        (pytester.path / name).write_text(ONE, "utf-8")

    def order(*seed: str) -> list[str]:
        lines = told("--collect-only", "-q", *seed, *given)
        return [line.partition("::")[0] for line in lines if line.endswith("::line1[1-*-1]")]

    assert order() == given
    assert order("--shuffle-pages=1") == order("--shuffle-pages=1")
    assert order("--shuffle-pages=1") not in (given, sorted(given))


def test_of_what_is_rewritten_numbers_are_named(told, pytester: pytest.Pytester) -> None:
    """And no output, which may be long: neither one that differs, nor one that is new."""
    blocks = "```python\nprint(1)\n```\n\n```text {.output}\n2\n```\n\n```python\nprint(3)\n```\n"
    (pytester.path / "a.md").write_text(f"# A\n\nOne is 3<!--= 1 * 1 -->.\n\n{blocks}", "utf-8")
    lines = told("--update-docs", "a.md")
    assert [line for line in lines if "a.md:" in line] == [
        "a.md: rewrote 3 places",
        "a.md:3: 3 → 1",
    ]


def test_a_page_between_the_tests_of_another_is_rewritten_once(
    told, pytester: pytest.Pytester
) -> None:
    """A page is written when another one begins, and not again at its second end."""
    wrong = "Two is 3<!--= 1 + 1 -->.\n\n"
    (pytester.path / "a.md").write_text(wrong + ONE, "utf-8")
    (pytester.path / "b.md").write_text(ONE, "utf-8")
    pytester.makeconftest(
        "def pytest_collection_modifyitems(items):\n"
        "    names = ['a.md::line1[1-+-1]', 'b.md::line1[1-*-1]', 'a.md::line3[1-*-1]']\n"
        "    found = {item.nodeid: item for item in items}\n"
        "    items[:] = [found[name] for name in names]\n"
    )
    lines = told("--update-docs", "a.md", "b.md")
    assert [line for line in lines if "rewrote" in line] == ["a.md: rewrote 1 place"]
    outcomes = pytest.RunResult.parse_summary_nouns(lines)
    assert (outcomes["passed"], outcomes.get("errors", 0)) == (3, 0)


def test_a_run_of_pages_is_prepared(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib of the pages reads what is set before, whatever was set outside."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    page = "```python\nimport os\n```\n\nDay 0<!--= int(os.environ['SOURCE_DATE_EPOCH']) -->.\n"
    assert counts(run(page)[0]) == (2, 0, 0)


def test_the_folder_of_a_page_is_gone_after_it(run, pytester: pytest.Pytester) -> None:
    note = pytester.path / "note"
    code = f"import os\n\nwith open({str(note)!r}, 'w') as file:\n    _ = file.write(os.getcwd())"
    assert counts(run(f"```python\n{code}\n```\n")[0]) == (1, 0, 0)
    folder = Path(note.read_text("utf-8"))
    assert folder != Path.cwd()
    assert not folder.exists()


def test_a_page_is_named_from_the_root_on(run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]")
    (said,) = failures(run("Two is 3<!--= 1 + 1 -->.\n")[0])
    assert said.startswith("page.md:1: ")


def test_a_page_elsewhere_is_named_in_full(run, pytester: pytest.Pytester) -> None:
    root = pytester.mkdir("root")
    (root / "pytest.ini").write_text("[pytest]\n", "utf-8")
    result, path = run("Two is 3<!--= 1 + 1 -->.\n", f"--rootdir={root}")
    (said,) = failures(result)
    assert said.startswith(f"{path}:1: ")


KINDS = """```python
x = 1
```

<!-- It shows an error of syntax. -->

```python {.notest}
= 1
```

```python {.triton}
x = 2
```

```python {.exercise}
y = 0
```

```python {.check}
assert y == x, "another number"
```

```python {.solution}
y = x
```

One is 1<!--= x -->.
"""


def test_each_kind_of_block_has_its_kind_of_test(told, pytester: pytest.Pytester) -> None:
    """And at the end of a page are those of the page as a whole."""
    (pytester.path / "page.md").write_text(KINDS, "utf-8")
    pytester.makeini("[pytest]\nrecords = records")
    found = [line.strip(" <>") for line in told("--collect-only") if "Item " in line]
    assert found == [
        "BlockItem line2",
        "TritonItem line12",
        "ExerciseItem line16",
        "ExerciseItem line24",
        "CheckItem line27[x]",
        "GuardItem line1[guards]",
        "RecordItem line1[record]",
    ]

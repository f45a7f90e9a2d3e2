"""The driver of mutants: what it changes, how it puts it in, and what it counts."""

import ast
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from literate.mutants.changes import changes
from literate.mutants.command import Notes
from literate.mutants.fork import forked, within
from literate.mutants.mutant import mutants, tree
from literate.mutants.plugin import Trial
from literate.mutants.record import Found
from literate.mutants.sample import ALL, EXAMPLES, SIZE, Sample, drawn, hashed

SIGN = '''
NAMES = {"up": 1}


class Side:
    middle: int = 0

    @staticmethod
    def of(number, zero=0):
        """What side of 0 a number is on."""
        if number > zero:
            return NAMES["up"]
        return -1


if __name__ == "another":
    raise SystemExit(4)
'''
VALUES = 'WORD = "up"\n'  # no test runs a line of it
TESTS = """
from small import NAMES, Side
from small.values import WORD

def test_weak():
    assert Side.of(1) == 1 + Side.middle

def test_never_reached():
    assert NAMES

def test_word():
    assert WORD == "up"
"""
RUN = """
import sys
from pathlib import Path

import pytest
from literate.mutants.mutant import mutants
from literate.mutants.plugin import Mutate

def note(trial):
    print("noted", trial.mutant.text, trial.ran, len(trial.tried), *trial.killers, sep="|")

every = [*mutants(Path("small/__init__.py")), *mutants(Path("small/values.py"))]
arguments = ["-q", "-s", "-p", "no:cacheprovider", "-p", "literate.runner", "--markdown-docs"]
sys.exit(pytest.main([*arguments, *sys.argv[1:]], [Mutate("small", every, 9, False, note)]))
"""


def texts(tmp_path: Path, source: str) -> list[str]:
    path = tmp_path / "module.py"
    path.write_text(source, "utf-8")
    return [mutant.text for mutant in mutants(path)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b <= c", ["a <= b <= c", "a < b < c"]),
        ("a and b", ["a or b"]),
        ("not a", ["a"]),
        ("a @ b", []),
        ("a // b", ["a / b"]),
        ("x.amax", ["x.amin"]),
        ("f(a, dim=1, keepdim=b)", ["f(a, keepdim=b)", "f(a, dim=1)"]),
        ("zip(a, strict=True)", []),
        ("'word'", ["'XXwordXX'"]),
        ("True", ["False"]),
        ("None", []),
        ("2", ["3"]),
        ("a if f(b) else c", ["a if not f(b) else c"]),
        ("a if b > c else d", []),
    ],
)
def test_what_is_changed(before: str, after: list[str]) -> None:
    node = ast.parse(before, mode="eval").body
    assert [ast.unparse(changed) for changed in changes(node)] == after


def test_types_and_docstrings_are_left_alone(tmp_path: Path) -> None:
    source = 'Row = Float[Tensor, "a b"]\n\ndef f(x: Literal["a"] = None) -> "T":\n    """1"""\n'
    assert texts(tmp_path, source) == []
    assert texts(tmp_path, "f(1)  # pragma: no cover\n") == []


def test_the_same_change_twice_has_two_names(tmp_path: Path) -> None:
    assert texts(tmp_path, "def f(a):\n    return a + 1, a + 1\n") == [
        "a + 1 → a - 1",
        "1 → 2",
        "a + 1 → a - 1 (2)",
        "1 → 2 (2)",
    ]


def test_the_quotes_that_another_python_writes_are_no_change(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    this = "def f(a):\n    return g(f\"{', '.join(a)}\") + 1\n"
    path.write_text(this, "utf-8")
    sample, them = Sample(), [*mutants(path)]
    other = [m.text.replace("f\"{', '", "f'{', '").replace('}"', "}'") for m in them]
    assert other != [mutant.text for mutant in them]
    for mutant, text in zip(them, other, strict=True):
        trial = Trial(replace(mutant, text=text), True, ["page.md"], [])
        sample.note(trial, hashed(them)[mutant])
    assert sample.stale(them) == []
    path.write_text(this.replace("+ 1", "+ 2"), "utf-8")
    assert sample.stale(now := [*mutants(path)]) == now


def test_a_mutant_is_the_file_with_one_change(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(a):\n    g(a)\n    return a > 1\n", "utf-8")
    # A statement that is left out stays, not run, so that the names it uses stay the function's.
    assert [ast.unparse(tree(mutant)).splitlines()[1:] for mutant in mutants(path)] == [
        ["    if False:", "        g(a)", "    return a > 1"],
        ["    g(a)", "    return a >= 1"],
        ["    g(a)", "    return a > 2"],
    ]


def test_a_copy_of_the_process_returns_raises_or_crashes() -> None:
    assert forked(lambda: {"a": 1}) == {"a": 1}
    assert forked(lambda: os.kill(os.getpid(), signal.SIGKILL), crashed="gone") == "gone"
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        forked(lambda: 1 / 0)


def test_what_never_ends_is_ended() -> None:
    def endless() -> None:
        within(0.05)
        while True:
            pass

    assert forked(endless, crashed="ended") == "ended"


def test_a_run_that_broke_keeps_no_half_file(tmp_path: Path) -> None:
    path, record = tmp_path / "module.py", tmp_path / "record.json"
    path.write_text("def f(x):\n    return x < 1\n", "utf-8")
    first, *others = mutants(path)
    for broke in (True, False):
        notes = Notes(Found(), record, keeps=True, adds=False)
        for mutant in [first] if broke else [first, *others]:
            notes(Trial(mutant, ran=True, tried=["test"], killers=["test"]))
        notes.done(whole=not broke)
        assert Found.read(record).stale([path]) == ([first, *others] if broke else [])


def test_a_sample_is_of_the_same_mutants_when_others_change(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    functions = [f"def f{n}(a):\n    return a + {n}, a < {n}, a == {n}\n" for n in range(99)]
    path.write_text("\n".join(functions), "utf-8")
    before = drawn([path], [])
    assert len(before) == SIZE < len([*mutants(path)])
    path.write_text("\n".join(["def new(a):\n    return a * 2 < 3\n", *functions[1:]]), "utf-8")
    after = drawn([path], [])
    assert len({m.key for m in before} - {m.key for m in after}) <= len([*mutants(path)]) / 99 * 2
    assert not {m.function for m in drawn([path], [f"{path} f1: *"])} & {"f1"}


def test_a_sample_keeps_what_each_page_made_of_each(tmp_path: Path) -> None:
    path, record = tmp_path / "module.py", tmp_path / "record.json"
    path.write_text("def f(x):\n    return x < 1\n\ndef g(x):\n    return x + 2\n", "utf-8")
    less, one, plus, two = them = [*mutants(path)]
    sample = Sample()
    pages, example = ["docs/a.md", "docs/b.md"], "attention/masks.py::attention.masks.Causal"
    for trial in [
        Trial(less, True, [*pages, example, f"{example}.keep"], [pages[1], example]),
        Trial(one, True, pages, []),
        Trial(plus, True, pages[:1], [pages[0]]),
        Trial(two, False, pages, []),  # it cannot be put in
    ]:
        sample.note(trial, hashed(them)[trial.mutant])
    sample.write(record)
    assert Sample.read(record) == sample
    scores = {"docs/a.md": (3, 1), "docs/b.md": (2, 1), EXAMPLES: (1, 1), ALL: (3, 2)}
    assert sample.each() == scores
    assert sample.stale(them) == []
    path.write_text("def f(x):\n    return x < 1\n\ndef g(x):\n    return x - 2\n", "utf-8")
    assert [mutant.function for mutant in sample.stale([*mutants(path)])] == ["g", "g"]
    sample.keep([less])
    assert sample.each() == {name: (1, int(name != pages[0])) for name in sorted(scores)}


def test_every_mutant_of_a_small_package(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small/__init__.py").write_text(SIGN, "utf-8")
    (tmp_path / "small/values.py").write_text(VALUES, "utf-8")
    (tmp_path / "test_small.py").write_text(TESTS, "utf-8")
    (tmp_path / "run.py").write_text(RUN, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", "utf-8")
    done = small(tmp_path)
    noted = [line.split("|")[1:] for line in done.stdout.splitlines() if "noted|" in line]
    weak = "test_small.py::test_weak"
    assert noted == [
        ["'up' → 'XXupXX'", "True", "1", weak],  # values
        ["1 → 2", "True", "1", weak],
        ["0 → 1", "True", "1", weak],
        ["0 → 1", "True", "1", weak],
        ["number > zero → number >= zero", "True", "1"],  # code
        ["'up' → 'XXupXX'", "True", "1", weak],
        ["-1 → 1", "True", "1"],
        ["1 → 2", "True", "1"],
        ["__name__ == 'another' → __name__ != 'another'", "True", "1", ""],  # no import ends so
        ["'another' → 'XXanotherXX'", "False", "1"],  # nothing differs
        ["raise SystemExit(4) → pass", "False", "1"],
        ["4 → 5", "False", "1"],
        ["'up' → 'XXupXX'", "True", "3", "test_small.py::test_word"],
    ]
    (tmp_path / "test_small.py").write_text(TESTS.replace("== 1", "== 2"), "utf-8")
    assert f"pass without a mutant, got {weak}" in small(tmp_path).stderr


def small(folder: Path) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[3])
    told = {**os.environ, "PYTHONPATH": root}
    return subprocess.run(
        [sys.executable, "run.py"], cwd=folder, env=told, capture_output=True, text=True
    )

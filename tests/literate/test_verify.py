"""`python -m literate verify`, as a reader calls it."""

import subprocess
import sys

GOOD = "```python\nhalf = 1 / 2\n```\n\nA half is 0.5<!--= half -->.\n"


def verify(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "literate", "verify", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_says_what_differs(tmp_path):
    for name, text in {
        "good": GOOD,
        "wrong": GOOD.replace("0.5", "0.7"),
        "broken": GOOD.replace("-->", ""),
    }.items():
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    run = verify(tmp_path)
    assert run.returncode == 1
    machine, *lines = run.stdout.splitlines()
    assert machine.startswith("Python ")
    assert machine.endswith(" threads")
    assert lines[:2] == ["good.md: 3 of 3 hold", "wrong.md: 2 of 3 hold"]
    assert any(line.startswith("wrong.md:5: the page says 0.7, but half is 0.5") for line in lines)
    assert any("broken.md:5: the comment of a checked number has no -->" in line for line in lines)
    assert lines[-1] == "5 of 7 hold, 2 differ, 0 were not run"


def test_where_all_holds(tmp_path):
    page = tmp_path / "good.md"
    page.write_text(GOOD, "utf-8")
    run = verify(page)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1] == "3 of 3 hold, 0 differ, 0 were not run"


def test_where_there_is_no_page(tmp_path):
    run = verify(tmp_path)
    assert run.returncode == 2
    assert run.stderr == f"python -m literate verify: no page in {tmp_path}\n"
    run = verify(tmp_path / "none.md")
    assert run.returncode == 2
    assert run.stderr.startswith("python -m literate verify: no page or folder ")

"""`python -m literate verify`, as a reader calls it."""

import platform
from pathlib import Path

import pytest
import torch

from literate import verify

GOOD = "```python\nhalf = 1 / 2\n```\n\nA half is 0.5<!--= half -->.\n"
GPU = "```python {.gpu}\nprint(1)\n```\n\n```text {.output}\n1\n```\n"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process of its own: without the plugins and the settings of these tests."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)


def write(folder: Path, **pages: str) -> None:
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, "utf-8")


def test_it_says_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, good=GOOD, gpu=GPU, wrong=GOOD.replace("0.5", "0.7"))
    write(tmp_path, broken=GOOD.replace("-->", ""))
    assert verify.main([str(tmp_path)]) == 1
    machine, *lines = capsys.readouterr().out.splitlines()
    code = torch.backends.cpu.get_cpu_capability()
    assert machine == (
        f"Python {platform.python_version()}, torch {torch.__version__}, {platform.system()} "
        f"{platform.machine()} ({code}), {torch.get_num_threads()} threads"
    )
    assert lines[:3] == [
        "good.md: 3 of 3 hold",
        "gpu.md: 1 of 2 hold, 1 not run",
        "wrong.md: 2 of 3 hold",
    ]
    assert any(line.startswith("wrong.md:5: the page says 0.7, but half is 0.5") for line in lines)
    assert any("broken.md:5: the comment of a checked number has no -->" in line for line in lines)
    assert lines[-1] == "6 of 9 hold, 2 differ, 1 were not run"


def test_where_all_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page is named from where the command is run, or else from what holds all pages."""
    (tmp_path / "docs").mkdir()
    write(tmp_path / "docs", a=GOOD, b=GOOD)
    pages = [str(tmp_path / "docs" / name) for name in ("a.md", "b.md")]
    assert verify.main(pages) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert told.out.splitlines()[1:] == [
        *("a.md: 3 of 3 hold", "b.md: 3 of 3 hold"),
        *("", "6 of 6 hold, 0 differ, 0 were not run"),
    ]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, README=GOOD)
    assert verify.main([]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[1::3] == ["README.md: 3 of 3 hold", ""]
    assert "docs/b.md: 3 of 3 hold" in told.out


def test_where_there_is_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "inside").mkdir()
    with pytest.raises(SystemExit, match="2"):
        verify.main([str(tmp_path), str(tmp_path / "inside")])
    assert capsys.readouterr().err.endswith(f": no page in {tmp_path}, {tmp_path}/inside\n")

"""What runs with the rights of the repository is fixed, and has few of them."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

from literate.pages.page import Page

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text("utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"\./\S+|[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_only_the_job_that_publishes_may_write(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", {})
        if name == "publish":
            assert rights == {"pages": "write", "id-token": "write"}
            assert [step.get("run") for step in job["steps"]] == [None]  # no code of ours
        else:
            assert "write" not in rights.values()
        for step in job.get("steps", []):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}


def test_pages_tests_before_it_publishes() -> None:
    jobs = yaml.safe_load(WORKFLOWS[0].read_text("utf-8"))["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["build"]["needs"] == "test"


def test_what_the_edges_leave_out_is_there() -> None:
    text = WORKFLOWS[1].read_text("utf-8")
    named = re.findall(r'--deselect "([^:"]+)::line(\d+)\[([^"]+)\]"', text)
    assert len(named) == text.count("--deselect") == 3
    for page, line, title in named:
        blocks = Page.read(ROOT / page).blocks
        assert (int(line), title) in [(x.line, x.title.replace(" ", "-")) for x in blocks]
    for path in re.findall(r"--ignore (\S+)", text):
        assert (ROOT / path).is_file()


def test_the_oldest_and_the_newest_python_and_torch_that_are_admitted_are_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    jobs = yaml.safe_load(WORKFLOWS[1].read_text("utf-8"))["jobs"]
    job = jobs["edges"]
    oldest, newest = job["strategy"]["matrix"]["include"]
    torch = project["dependencies"][0].replace(">=", "==")
    assert oldest["packages"].startswith(f"{torch}.0 ")
    assert f">={oldest['python']}" == project["requires-python"]
    assert newest["python"] == jobs["test"]["strategy"]["matrix"]["python"][-1]
    assert Version(newest["packages"].removeprefix("torch==")) > Version(version("torch"))
    said = str(job["steps"])
    assert "'python-version': '${{ matrix.python }}'" in said
    assert "install --upgrade $PACKAGES " in said
    assert "'PACKAGES': '${{ matrix.packages }}'" in said

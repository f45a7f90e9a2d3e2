"""The versions with which a page says that all was tested are those of the workflow."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = "docs/reference/backends.md"


def test_the_versions_are_those_of_the_workflow() -> None:
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    tested = (ROOT / PAGE).read_text("utf-8").partition("All this is tested")[2]
    oldest, newest, first, last = re.findall(r"([\d.]+)<!-- source: .github/workflows", tested)
    assert f'python: ["{oldest}", "{newest}"]' in workflow
    assert f"packages: torch=={first}.0 " in workflow
    assert f"packages: torch=={last}.0}}" in workflow
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'"torch>={first}"' in project
    assert f'requires-python = ">={oldest}"' in project

"""What all tests share: the book, built once, and Triton, interpreted where there is no GPU."""

import fcntl
import random
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from literate.site import build as site
from literate.site import export

ROOT = Path(__file__).parents[1]


def pytest_sessionstart() -> None:
    """Before anything is collected: the examples of the package would load Triton to compile."""
    if find_spec("triton") and "triton" not in sys.modules:
        import interpreter  # noqa: F401


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """The numbers a test draws are the same in every run, whatever ran before it."""
    random.seed(0)
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent
    folder, done = shared / "book", shared / "book.done"
    with (shared / "book.lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            patch.chdir(ROOT)
            patch.setenv("NO_MKDOCS_2_WARNING", "1")
            patch.setenv("SITE_URL", "https://book.example/")
            patch.setenv("REPO_URL", "https://code.example/book")
            patch.setenv("EDIT_URI", "edit/main/docs/")
            assert site.build(["--site-dir", str(folder)]) == 0
            assert export.main(["--site-dir", str(folder)]) == 0
            done.touch()
    return folder

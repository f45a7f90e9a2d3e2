"""The book, built once."""

from pathlib import Path

import pytest

from literate import site

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        patch.setenv("SITE_URL", "https://book.example/")
        patch.setenv("REPO_URL", "https://code.example/book")
        assert site.build(["--site-dir", str(folder)]) == 0
    return folder

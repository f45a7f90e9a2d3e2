"""Pages written and run by the tests, in this process."""

import matplotlib.pyplot  # noqa: F401  imported once, for all the pages that import it
import pytest
import torch  # noqa: F401


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Write a page, run it in this process with our plugins alone; the result and the file."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    ours = "-p pytest_markdown_docs.plugin -p literate.runner -p no:cacheprovider --markdown-docs"

    def run(text: str, *arguments: str, name: str = "page.md"):
        path = pytester.path / name
        path.write_text(text, "utf-8")
        return pytester.inline_run(*ours.split(), *arguments, str(path)), path

    return run

"""Pages written and run by the tests, in this process."""

import pytest

from literate.running import settings

settings.prepare()  # before matplotlib is imported, which reads its style once

import matplotlib.pyplot  # noqa: E402, F401  imported once, for all the pages that import it
import torch  # noqa: E402

# pytester forgets what a page imports first, and torch may not import these parts of it twice.
torch.testing.assert_close(torch.ones(1), torch.ones(1))


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

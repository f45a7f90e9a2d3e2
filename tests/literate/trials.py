"""A small book that `literate break` tries in the process of the tests."""

import tempfile
from pathlib import Path

import pytest

from literate.breaking.remember import Remembering
from literate.running.module import Module

# Without the garbage collections of the last plugin, which take most of the time.
PYPROJECT = """[tool.pytest.ini_options]
addopts = '''
  -p pytest_markdown_docs.plugin -p literate.runner --import-mode=importlib --markdown-docs
  -p no:unraisableexception
'''
"""


def apart(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    """With nothing that other pages left behind; what is left behind stands in that folder."""
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(Remembering, "memory", {})
    monkeypatch.setattr(Module, "last", None)

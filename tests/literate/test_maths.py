"""KaTeX, which sets formulas: it is started once, or said to be missing."""

import threading
from pathlib import Path

import pytest

from literate.extensions import maths


def test_without_katex_a_formula_says_what_sets_it_up(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(maths, "MODULES", tmp_path)
    monkeypatch.setattr(maths, "ENGINES", threading.local())
    with pytest.raises(FileNotFoundError) as raised:
        maths.render("x + 1000001", display=False)
    script = tmp_path / "katex/dist/katex.min.js"
    assert str(raised.value) == f"{script} is not there: `make site` sets it up"


def test_katex_starts_once(monkeypatch) -> None:
    maths.render("x + 1000002", display=False)
    before = maths.ENGINES.context
    maths.render("x + 1000003", display=False)
    assert maths.ENGINES.context is before

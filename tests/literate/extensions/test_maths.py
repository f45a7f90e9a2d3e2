"""KaTeX, which sets formulas: it is started once, or said to be missing."""

import threading
from pathlib import Path

import pytest
from markdown import Markdown

from literate.extensions import maths


def test_without_katex_a_formula_says_what_sets_it_up(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(maths, "MODULES", tmp_path)
    monkeypatch.setattr(maths, "ENGINES", threading.local())
    with pytest.raises(FileNotFoundError) as raised:
        maths.render("x + 1000001", display=False)
    script = tmp_path / "katex/dist/katex.min.js"
    assert str(raised.value) == f"{script} is not there: `make site` sets it up"


@pytest.mark.parametrize(("text", "ends"), [
    ("It is $x$. So", "</span>.</span> So"),
    ("It is $a+b+c+d+e+f+g+h+i+j+k+mn$. So", "</span>.</span> So"),
    ("It is $x$) and", "</span>)</span> and"),
    ("It is $x$ and", "</span> and"),
    ("It is $a + b + c + d + e + f + g$. So", "</span>. So"),

])  # fmt: skip
def test_no_line_begins_with_the_mark_behind_a_short_formula(text: str, ends: str) -> None:
    options = {"pymdownx.arithmatex": {"generic": True}}
    extensions = [*options, maths.makeExtension()]
    made = Markdown(extensions=extensions, extension_configs=options).convert(text)
    assert f"</span></span></span></span>{ends}" in made
    assert made.count('<span class="bound"><span class="maths"') == ends.count("</span>") - 1


def test_katex_starts_once(monkeypatch) -> None:
    maths.render("x + 1000002", display=False)
    before = maths.ENGINES.context
    maths.render("x + 1000003", display=False)
    assert maths.ENGINES.context is before

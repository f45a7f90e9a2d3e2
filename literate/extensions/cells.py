"""A block and what it printed as one cell, from the fences `python` and `text {.output}`.

The cell has a title and a button that copies the block; its output says how it was checked.
A mistake or a solution that the page does not fold is folded here, its output with it; and a block
that only draws a figure, since the reader came for the figure.
"""

import re
from collections.abc import Set
from html import escape
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, TextLexer

from literate.pages.block import KINDS, SHOWN
from literate.slices.slicer import script_name

TITLES = {"exercise": "Your turn", "check": "Check", "mistake": "An attempt", "solution": "Answer"}
FOLDED = {"mistake": "A usual mistake", "solution": "Solution", "figure": "How it is drawn"}
TAGS = {"gpu": "GPU", "triton": "Triton"}
DRAWS = re.compile(r"\.savefig\(")
# How an output was checked, by the kind of its block: a class, and what the reader is told.
MARKS = {
    "raises": ("raises", "raises, as it must"),
    "check": ("refuses", "what the check says of the stub"),
    "mistake": ("refuses", "what the check says of it"),
}
# A cell with more line ends may go on on the next page of paper: whole, it leaves much white.
LONG = 17
# SuperFences keeps each fence apart; these marks find an output's cell in the finished page.
END, START, STOP = "<!--cell--></div>", "<!--output-->", "<!--output-end-->"
JOIN = re.compile(rf"{END}(?:\s|</?p>)*{START}(.*?){STOP}", re.S)
CELL = re.compile(rf'(<div class="cell)([" ].*?{END})', re.S)
FOLD = re.compile(rf'<div class="cell cell--({"|".join(FOLDED)})".*?{END}', re.S)


def accept(
    language: str,
    inputs: dict[str, str],
    options: dict[str, Any],
    attrs: dict[str, str],
    md: Markdown,
) -> bool:
    """Take `title`, `of` of a spliced source, `device` and `date` of a record; refuse any other."""
    for name in ("title", "of", "device", "date"):
        if name in inputs:
            options[name] = inputs.pop(name)
    return not inputs


def code(source: str, lexer: PythonLexer | TextLexer) -> str:
    body = highlight(source.rstrip("\n") + "\n", lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<div class="highlight"><pre><code>{body}</code></pre></div>'


def format_python(
    source: str, language: str, css_class: str, options: dict[str, str], md: Markdown, **more: Any
) -> str:
    kinds = KINDS.intersection(more.get("classes") or ())
    md.cell_kinds = kinds  # type: ignore[attr-defined]  # for the output that may follow
    md.cell_number = number = getattr(md, "cell_number", 0) + 1  # type: ignore[attr-defined]
    shown = kinds | {"figure"} if DRAWS.search(source) and not kinds else kinds
    kind = min(kinds & TITLES.keys(), default="")
    title = options.get("title") or TITLES.get(kind) or options.get("of", "")
    name = TAGS.get(min(kinds & TAGS.keys(), default=""))
    tag = f'<span class="cell__tag">{name}</span>' if name else ""
    return (
        f'<div class="{" ".join(["cell", *(f"cell--{name}" for name in sorted(shown))])}">'
        f'<div class="cell__head"><span class="cell__title">{escape(title)}</span>{tag}'
        f'<button type="button" class="cell__copy" aria-label="Copy: {escape(title or "block")}"'
        " data-search-exclude>"
        f"Copy</button>{script(kinds, number, title)}</div>{code(source, PythonLexer())}{END}"
    )


def script(kinds: Set[str], number: int, title: str) -> str:
    """A link to the block as a script that runs alone, which `export` writes."""
    if kinds & (SHOWN | {"check", "gpu"}):
        return ""
    return (
        f'<a class="cell__script" href="{script_name(number)}" download data-search-exclude '
        f'title="With all that it needs: runs alone" '
        f'aria-label="Script: {escape(title or "block")}, with all that it needs">Script</a>'
    )


def format_text(
    source: str, language: str, css_class: str, options: dict[str, str], md: Markdown, **more: Any
) -> str:
    if "output" not in (more.get("classes") or ()):
        return code(source, TextLexer())
    kinds = getattr(md, "cell_kinds", frozenset())
    how, mark = MARKS.get(min(kinds & MARKS.keys(), default=""), ("checked", "checked"))
    if "gpu" in kinds:
        where = ", ".join(filter(None, [options.get("device", "a GPU"), options.get("date")]))
        how, mark = "recorded", f"recorded on {where}"
    return (
        f'{START}<div class="output output--{how}"><span class="output__mark">{escape(mark)}</span>'
        f"<pre><code>{escape(source.rstrip())}</code></pre></div>{STOP}"
    )


class Join(Postprocessor):
    """Moves each output into its cell, and folds what gives an exercise away."""

    def run(self, text: str) -> str:
        text = JOIN.sub(lambda match: match[1] + END, text)
        text = CELL.sub(stretch, FOLD.sub(fold, text)).replace(END, "</div>")
        return text.replace(START, "").replace(STOP, "")


def stretch(match: re.Match[str]) -> str:
    return match[1] + " cell--long" * (match[2].count("\n") > LONG) + match[2]


def fold(match: re.Match[str]) -> str:
    before = match.string[: match.start()]
    if before.count("<details") > before.count("</details"):
        return match[0]  # the page folds it itself, with words of its own
    kind = match[1]
    if kind == "figure" and 'class="output' in match[0]:
        return match[0]  # what it prints is to be read
    return f'<details class="{kind}"><summary>{FOLDED[kind]}</summary>{match[0]}</details>'


class CellsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.registerExtension(self)
        md.postprocessors.register(Join(md), "cells", -1)
        self.md = md

    def reset(self) -> None:
        self.md.cell_kinds = frozenset()  # type: ignore[attr-defined]
        self.md.cell_number = 0  # type: ignore[attr-defined]


makeExtension = CellsExtension

r"""TeX, as `$…$` and `$$…$$`, becomes KaTeX's HTML and MathML while the site is built.

A reader's browser runs nothing for it. The source stays portable TeX, coloured by convention:
``\mathbf{q}`` is a query, ``\mathbf{k}`` a key, ``\mathbf{v}`` a value (capitals too), ``\alpha``
a weight.
"""

import html
import json
import re
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import quickjs
from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

from literate.extensions.fault import Fault

MODULES = Path(__file__).parents[2] / "node_modules"
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>([.,;:?!)]*)', re.S)
SHORT = 24  # letters of TeX that fit beside each other on a phone
PARTS = {
    r"\\mathbf\{([qQ])\}": "query",
    r"\\mathbf\{([kK])\}": "key",
    r"\\mathbf\{([vV])\}": "value",
    r"\\alpha(?![A-Za-z])": "weight",
}
# As JSON: a long plain string does not come back from this engine.
RENDER = r"""(tex, displayMode) => JSON.stringify(katex.renderToString(tex, {
  displayMode, output: 'htmlAndMathml', throwOnError: true,
  strict: code => code === 'htmlExtension' ? 'ignore' : 'error',
  trust: context => context.command === '\\htmlClass'}))"""


ENGINES = threading.local()  # one a thread: an engine belongs to the thread that made it


def katex() -> Callable[[str, bool], str]:
    """KaTeX, started once: a start is 25 ms, and a page has many formulas."""
    if not hasattr(ENGINES, "render"):
        script = MODULES / "katex/dist/katex.min.js"
        if not script.exists():
            raise FileNotFoundError(f"{script} is not there: `make site` sets it up")
        ENGINES.context = quickjs.Context()
        ENGINES.context.eval(
            "var window = globalThis, self = globalThis;" + script.read_text("utf-8")
        )
        ENGINES.render = ENGINES.context.eval(RENDER)
    return ENGINES.render


@cache
def render(tex: str, display: bool, hues: bool = True) -> str:
    """The HTML of a formula; `ValueError` says in one line what KaTeX did not understand."""
    coloured = tex
    for pattern, name in PARTS.items() if hues else ():
        coloured = re.sub(pattern, lambda m, n=name: rf"\htmlClass{{{n}}}{{{m[0]}}}", coloured)
    try:
        return json.loads(katex()(coloured, display))
    except quickjs.JSException as error:
        if coloured != tex:
            render(tex, display, hues=False)  # which says the same in the words of the page
        said = str(error).partition("\n    at ")[0].rpartition("KaTeX parse error: ")[2]
        raise ValueError(said) from None


class Maths(Postprocessor):
    """Renders what `pymdownx.arithmatex` found."""

    def run(self, text: str) -> str:
        return FORMULA.sub(self.formula, text)

    def formula(self, match: re.Match[str]) -> str:
        tag, display, tex = match[1], match[1] == "div", html.unescape(match[2])
        try:
            body = render(tex.strip(), display)
        except ValueError as error:
            raise Fault(f"this formula is not TeX: {error}", tex.strip()) from None
        # A wide formula scrolls by itself, so the keyboard must reach it.
        wide = ' tabindex="0" role="group" aria-label="formula"' if display else ""
        kind = "maths maths--display" if display else "maths"
        made = f'<{tag} class="{kind}" data-search-exclude{wide}>{body}</{tag}>{match[3]}'
        # A line may begin behind a formula; it must not with the mark that belongs to it.
        bound = match[3] and not display and len(tex) <= SHORT
        return f'<span class="bound">{made}</span>' if bound else made


class MathsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(Maths(md), "maths", 0)


makeExtension = MathsExtension

"""The four parts of attention in their hues: their names in code, inline code and definitions.

Short inline code stays on one line: `(T, D)` is one thing, as a formula of its length is. A long
name may go on behind a dot, where a line would else cut it within a word.

And what Pygments marks in code without another colour here loses its mark: a page of code has a
third fewer elements, which a browser would lay out and a reader's machine would hold.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

ROLES = {
    "query": ("q", "Q", "query", "queries"),
    "key": ("k", "K", "key", "keys"),
    "value": ("v", "V", "value", "values"),
    "weight": ("weights", "weight"),
}
ROLE = {name: role for role, names in ROLES.items() for name in names}
NAMES = "|".join(ROLE)
# In code, Pygments marks each name; in prose, a name stands alone in `…` or **…**. Behind a dot it
# is another's: the weight of a layer is no attention weight.
IN_CODE = re.compile(rf'(?<!<span class="o">\.</span>)<span class="(n|na|nv|pn)">({NAMES})</span>')
# Names, numbers and spaces in the ink of the text: see --md-code-hl-… in tokens.css.
PLAIN = re.compile(r'<span class="(?:n|na|nv|nn|nf|nc|nb|bp|no|mi|mf|w)">([^<]*)</span>')
IN_PROSE = re.compile(rf"<(code|strong)>({NAMES})</\1>")
# With a space, at most 20 letters, and the mark behind it; once, where a docstring is read twice.
SHORT = re.compile(
    r'(?<!<pre>)(?<!<span class="bound">)(<code>(?=[^<]* )[^<\n]{3,20}</code>[.,;:?!)]*)'
)
LONG = re.compile(r"(?<!<pre>)<code>[^<\n]{25,}</code>")
DOT = re.compile(r"(?<=\w\w)\.(?=[a-zA-Z_]\w{4})")  # not before the kind of a file


class Roles(Postprocessor):
    def run(self, text: str) -> str:
        text = IN_CODE.sub(lambda m: f'<span class="{m[1]} {ROLE[m[2]]}">{m[2]}</span>', text)
        text = PLAIN.sub(r"\1", text)
        text = SHORT.sub(r'<span class="bound">\1</span>', text)
        text = LONG.sub(lambda m: DOT.sub(".<wbr>", m[0]), text)
        return IN_PROSE.sub(lambda m: f'<{m[1]} class="{ROLE[m[2]]}">{m[2]}</{m[1]}>', text)


class RolesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(Roles(md), "roles", -10)


makeExtension = RolesExtension

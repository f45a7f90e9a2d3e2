"""The four parts of attention in their hues: their names in code, inline code and definitions.

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


class Roles(Postprocessor):
    def run(self, text: str) -> str:
        text = IN_CODE.sub(lambda m: f'<span class="{m[1]} {ROLE[m[2]]}">{m[2]}</span>', text)
        text = PLAIN.sub(r"\1", text)
        return IN_PROSE.sub(lambda m: f'<{m[1]} class="{ROLE[m[2]]}">{m[2]}</{m[1]}>', text)


class RolesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(Roles(md), "roles", -10)


makeExtension = RolesExtension

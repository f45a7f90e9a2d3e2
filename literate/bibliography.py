"""`python -m literate bibliography`: writes docs/about/sources.md, what is cited and by what.

`sources.toml` beside it has each work once. Pages and docstrings cite in one form, the authors and
*Title* (year), where the title may end at its colon. A comment leaves the title out:
`<!-- source: Dao et al. 2022, figure 2 -->`.
"""

import argparse
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WORKS, PAGE = Path("docs/about/sources.toml"), Path("docs/about/sources.md")
NAME = r"[A-ZÀ-Ž][\w-]+(?:\s+[A-Z][\w-]+)?"
AUTHORS = rf"{NAME}(?:(?:,\s+|\s+and\s+){NAME})*(?:\s+et\s+al\.)?"
CITED = re.compile(rf"(?:({AUTHORS}),\s+)?\*([^*]+)\*\s+\((\d{{4}})\)")
COMMENT = re.compile(rf"<!-- source: ({AUTHORS})() \(?(\d{{4}})\b")
ADDRESS = {
    "arxiv": ("arXiv", "https://arxiv.org/abs/{}"),
    "doi": ("doi", "https://doi.org/{}"),
    "isbn": ("isbn", "https://openlibrary.org/isbn/{}"),
    "url": ("", "{}"),
}
HEAD = """---
search: {boost: 0.1}  # it names what others explain
---

# Sources

What the chapters and the reference cite, each work once, and where. Sections are named there.
{ .lede }

"""


@dataclass(frozen=True)
class Work:
    authors: tuple[str, ...]
    title: str
    year: int
    kind: str  # of its identifier
    name: str

    @property
    def writers(self) -> str:
        *others, last = self.authors
        if last == "et al.":
            return f"{', '.join(others)} {last}"
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def link(self) -> str:
        scheme, address = ADDRESS[self.kind]
        shown = f"{scheme} {self.name}" if scheme else self.name.split("/")[2]
        return f"[{shown}]({address.format(self.name)})"


@dataclass(frozen=True)
class Mention:
    path: Path
    line: int
    authors: str
    title: str  # empty in a comment
    year: int

    def means(self, work: Work) -> bool:
        """Whether authors (all or the first), title (whole or short) and year are its own."""
        return (
            self.year == work.year
            and self.authors in (work.writers, f"{work.authors[0]} et al.")
            and self.title in ("", work.title, work.title.partition(":")[0])
        )


def works() -> list[Work]:
    found = []
    for entry in tomllib.loads(WORKS.read_text("utf-8"))["work"]:
        authors, title, year = (entry.pop(name) for name in ("authors", "title", "year"))
        ((kind, name),) = entry.items()
        found.append(Work(tuple(authors), title, year, kind, name))
    return found


def mentions() -> Iterator[Mention]:
    """Every citation of the pages and the package, in their order."""
    pages = [path for path in sorted(Path("docs").rglob("*.md")) if path != PAGE]
    for path in [*pages, *sorted(Path("attention").rglob("*.py"))]:
        text = path.read_text("utf-8").replace("$n^2$", "n²")
        for pattern in (CITED, COMMENT):
            for match in pattern.finditer(text):
                authors, title = (" ".join((match[group] or "").split()) for group in (1, 2))
                line = text.count("\n", 0, match.start()) + 1
                yield Mention(path, line, authors, title, int(match[3]))


def place(path: Path) -> str:
    """A link to a page, or the name of a module."""
    if path.suffix == ".py":
        return f"`{'.'.join(path.with_suffix('').parts).removesuffix('.__init__')}`"
    heading = re.search(r"^# (.+?)(?: \{.*)?$", path.read_text("utf-8"), re.M)
    return f"[{heading[1] if heading else path.stem}](../{path.relative_to('docs').as_posix()})"


def page() -> str:
    said, lines = list(mentions()), []
    for work in works():
        by = dict.fromkeys(place(each.path) for each in said if each.means(work))
        title = work.title.replace("n²", "$n^2$")
        lines.append(f"- {work.writers}, *{title}* ({work.year}). {work.link}. {', '.join(by)}\n")
    return HEAD + "".join(lines)


def main(arguments: list[str]) -> int:
    argparse.ArgumentParser(prog="python -m literate bibliography").parse_args(arguments)
    PAGE.write_text(page(), "utf-8")
    return 0

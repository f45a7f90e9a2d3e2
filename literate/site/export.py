"""`python -m literate export`: each page also as Markdown, notebook and script; blocks as scripts.

With them come `llms.txt` and the picture of the book for those who link to it, and the figures get
the letters of the book.

They are written beside the HTML, from the page alone: nothing runs. The outputs are those that the
tests compared, and the tests run what is written here.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config import load_config

from literate.pages.page import Page
from literate.pages.syntax import parse
from literate.site import letters, nav, notebooks, plain, social
from literate.slices.slicer import script_name, scripts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate export")
    parser.add_argument("--site-dir", type=Path, default=Path("site"))
    options = parser.parse_args(arguments)
    site = options.site_dir
    if not (site / "index.html").exists():
        print(f"{site} holds no site: run `make site`", file=sys.stderr)
        return 1
    config: Any = load_config("mkdocs.yml")
    docs = Path(config.docs_dir)
    listed = []
    for path in sorted(docs.rglob("*.md")):
        inside = path.relative_to(docs)
        folder = nav.folder(inside.as_posix())
        page = Page.read(path, docs.name / inside)
        for name, text in files(page, path, f"{config.site_url or '/'}{inside.as_posix()}").items():
            (site / folder / name).write_text(text, "utf-8")
        listed.append((inside, folder, page))
    for path in site.rglob("figures/*/*.svg"):
        drawn = docs / path.relative_to(site)
        path.write_text(letters.lettered(drawn.read_text("utf-8")), "utf-8")
    (site / "llms.txt").write_text(llms(config, listed), "utf-8")
    picture = social.picture(config.site_name, config.site_description, docs / "assets")
    (site / social.PLACE).write_bytes(picture)
    return 0


def files(page: Page, path: Path, address: str) -> dict[str, str]:
    """What is written beside the HTML of a page, by name."""
    parts = list(plain.parts(page, address))
    found = {"index.md": as_markdown(parts)}
    if any(part.block for part in parts):
        found[f"{path.stem}.ipynb"] = notebooks.write(parts, path)
        found[f"{path.stem}.py"] = as_script(parts, address)
    places = {block.line: number for number, block in enumerate(page.blocks, 1)}
    for line, script in scripts(page).items():
        found[script_name(places[line])] = script
    return found


def as_markdown(parts: list[plain.Part]) -> str:
    texts = []
    for part in parts:
        if part.block is None:
            texts.append(part.text)
            continue
        texts.append(f"```python\n{part.text.rstrip()}\n```")
        if part.block.output:
            texts.append(f"```text\n{part.block.output.text.rstrip()}\n```")
    return "\n\n".join(text for text in texts if text) + "\n"


def as_script(parts: list[plain.Part], address: str) -> str:
    """Cells as most editors know them; what waits for the reader is no code."""
    texts = [f"# From {plain.linked(address, '')}"] if ":" in address else []
    if any(part.block and "raises" in part.block.kinds for part in parts):
        texts.append("from contextlib import suppress")
    for part in parts:
        block = part.block
        if not part.text.strip():
            continue
        if block and "raises" in block.kinds and compiles(part.text):
            body = "".join(f"    {line}".rstrip() + "\n" for line in part.text.split("\n"))
            texts.append(f"# %%\nwith suppress(Exception):  # it raises\n{body.rstrip()}")
        elif block and block.stays and "raises" not in block.kinds:
            texts.append(f"# %%\n{part.text.rstrip()}")
        else:
            body = "".join(f"# {line}".rstrip() + "\n" for line in part.text.rstrip().split("\n"))
            texts.append(f"# %% [markdown]\n{body}".rstrip())
    return "\n\n".join(texts) + "\n"


def compiles(code: str) -> bool:
    """Whether it is Python: a block may show that it is not."""
    try:
        parse(code)
    except SyntaxError:
        return False
    return True


def llms(config: Any, listed: list[tuple[Path, Path, Page]]) -> str:
    """The pages and what each asks, for programs that read: https://llmstxt.org."""
    order = {path: i for i, (_, path) in enumerate(nav.pages(config.nav))}
    sections: dict[str, list[str]] = {}  # in the order of their first pages
    root = config.site_url or "/"
    for inside, folder, page in sorted(listed, key=lambda one: order.get(one[0].as_posix(), 999)):
        heading = re.search(r"^# (.+)$", plain.plain(page.prose, root), re.M)
        name = heading[1].replace("*", "") if heading else inside.stem
        address = f"{root}{(folder / 'index.md').as_posix()}"
        line = f"- [{name}]({address}){lede(page, f'{root}{inside.as_posix()}')}"
        sections.setdefault(inside.parent.name.capitalize() or "Book", []).append(line)
    told = (f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections.items())
    return f"# {config.site_name}\n\n> {config.site_description}\n" + "".join(told)


def lede(page: Page, address: str) -> str:
    found = re.search(r"^(.+)\n\{ \.lede \}", page.prose, re.M)
    return f": {plain.plain(found[1], address)}" if found else ""

"""A page as Markdown that any reader of Markdown shows: without our comments, marks and HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin

from markdown_it.token import Token

from literate.pages.block import Block
from literate.pages.page import Page, span
from literate.pages.sources import NoSource
from literate.site.reference import reference

COMMENT = re.compile(r"[ \t]*<!--.*?-->\n?|<!--.*?-->", re.S)
MARKS = re.compile(r"[ \t]*\{ ?(?:[.#][\w-]|data-)[^{}\n]*\}[ \t]*$", re.M)
BOXES = re.compile(r"^</?(?:div|figure|details)\b[^>]*>[ \t]*\n?", re.M)
CAPTION = re.compile(r"<figcaption[^>]*>(.*?)</figcaption>", re.S)
SUMMARY = re.compile(r"^<summary>(.*?)</summary>", re.M)
TAGS = {"strong": "**", "code": "`", "b": "**"}
ADMONITION = re.compile(r'^( *)(?:!!!|\?\?\?\+?) \w+(?: "(.*)")?\n((?:\1    .*\n|[ \t]*\n)*)', re.M)
REFERENCE = re.compile(r"^::: ([\w.]+)\n((?:    .*\n|[ \t]*\n(?=    ))*)", re.M)
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s]+)")
SPAN = re.compile(r"<!--[\s\S]*?-->|(`+)(?!`).+?(?<!`)\1(?!`)")


@dataclass(frozen=True)
class Part:
    """A stretch of prose, or a block with its output."""

    text: str
    block: Block | None = None


def parts(page: Page, address: str) -> Iterator[Part]:
    """The page in order; links become addresses of the site, where its file is at `address`."""
    blocks = {block.start: block for block in page.blocks}
    prose, end = "", len(page.head)
    kept: list[str] = []  # the code of boxes
    for fence in page.fences:
        first, last = span(fence)
        prose += page.text[end : page.offsets[first]]
        end = page.offsets[last]
        block = blocks.get(page.offsets[first + 1])
        if block and not inside(page, block):
            yield Part(plain(prose, address, kept))
            yield Part(block.code, block)
            prose, kept = "", []
        elif "{.output}" not in fence.info or (block := owner(page, fence)) and inside(page, block):
            prose += f"{block.indent if block else ''}{keep(fenced(fence), kept)}\n"
    yield Part(plain(prose + page.text[end:], address, kept))


def inside(page: Page, block: Block) -> bool:
    """Whether a block is shown as text: in a box that one opens to read it."""
    return bool(block.indent)


def owner(page: Page, fence: Token) -> Block | None:
    start = page.offsets[span(fence)[0] + 1]
    return next((b for b in page.blocks if b.output and b.output.start == start), None)


def fenced(fence: Token) -> str:
    code = fence.content.rstrip("\n")
    return f"{fence.markup}{fence.info.strip().partition(' ')[0]}\n{code}\n{fence.markup}"


def plain(text: str, address: str, kept: list[str] | None = None) -> str:
    """Prose without what only this book's site understands; code stays as it is.

    `kept` is the code for which `keep` has put something else into the prose.
    """
    code = [*(kept or ())]
    text = SPAN.sub(lambda match: match[0] if match[0][0] == "<" else keep(match[0], code), text)
    text = REFERENCE.sub(lambda match: keep(documented(match), code) + "\n", text)
    text = MARKS.sub("", COMMENT.sub(comment, text))
    text = ADMONITION.sub(quote, text)
    text = CAPTION.sub(lambda match: f"\n*{markdown(match[1])}*", text)
    text = BOXES.sub("", SUMMARY.sub(lambda match: f"**{markdown(match[1])}**", text))
    text = LINK.sub(lambda match: linked(address, match[1]), text)
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n")
    return re.sub(r"\0(\d+)\0", lambda match: given_back(match, code), text)


def documented(match: re.Match[str]) -> str:
    """An entry of the reference; a name that no file defines, the build of the site refuses."""
    try:
        return f"```python\n{reference(match[1], match[2])}\n```"
    except NoSource:
        return f"`{match[1]}`"


def keep(words: str, kept: list[str]) -> str:
    """What stands for code in the prose while that is rewritten."""
    kept.append(words)
    return f"\0{len(kept) - 1}\0"


def given_back(match: re.Match[str], kept: list[str]) -> str:
    """The code; before each of its lines stands what stands before the first."""
    before = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
    first, *lines = kept[int(match[1])].split("\n")
    return "\n".join([first, *(f"{before}{line}" if line else before.rstrip() for line in lines)])


def linked(address: str, target: str) -> str:
    """Where a link of the file at `address` leads on the site, on which a page is a folder."""
    file, mark, anchor = urljoin(address, target).partition("#")
    folder = re.sub(r"(?<=/)index\.md$", "", file)
    return re.sub(r"\.md$", "/", folder) + mark + anchor


def comment(match: re.Match[str]) -> str:
    """Nothing; a line of its own goes with its end."""
    whole = match.start() == 0 or match.string[match.start() - 1] == "\n"
    return "" if whole or not match[0].endswith("\n") else "\n"


def quote(match: re.Match[str]) -> str:
    """An admonition as a quotation that begins with its title."""
    body = re.sub(rf"^{match[1]}    ", "", match[3].rstrip(), flags=re.M)
    body = ADMONITION.sub(quote, body.strip("\n") + "\n").rstrip("\n")
    lines = ([f"**{match[2]}**", ""] if match[2] else []) + body.split("\n")
    return "".join(f"{match[1]}> {line}".rstrip() + "\n" for line in lines) + "\n"


def markdown(html: str) -> str:
    """The few tags of a caption as Markdown."""
    for tag, mark in TAGS.items():
        html = re.sub(rf"</?{tag}>", mark, html)
    return unescape(re.sub(r"<[^>]+>", "", html))

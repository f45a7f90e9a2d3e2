"""What a page would show as code, or as what code printed, and never run."""

import re
from collections.abc import Iterator

from literate.pages.page import Page, span
from literate.pages.prose import CODE, COMMENT

FENCES = "```python, ```text {.output} or ```sh"
# Drawings and frames too: nothing compares what stands in them.
RAW = re.compile(
    r"<(pre|samp|xmp|textarea|svg|canvas|iframe|object|embed|script)\b|<code\b[^>]*>[^<\n]*\n", re.I
)
BOX = re.compile(r"(?:!!!|\?\?\?\+?)(?: |$)")
# What ends with its line: what is indented below it does not go on with it.
ENDS = re.compile(rf"#|{BOX.pattern}|([-*_])(?: *\1){{2,}} *$|</\w+>$")
ITEM = re.compile(r"(?:[-*+]|\d+[.)])[ \t]")
TAB = 4


def never_run(page: Page) -> Iterator[tuple[int, str]]:
    """Lines of the page, and what is wrong there."""
    for fence in page.fences:
        language, line = fence.info.split(" ")[0], span(fence)[0] + 1
        if not language:
            yield line, f"a fence without a language is shown and never run: write {FENCES}"
        elif language == "text" and ".output" not in fence.info:
            yield (
                line,
                "a text that no block printed is compared with nothing: write ```text {.output}",
            )
        elif language not in {"python", "text", "sh"}:
            yield line, f"a fence of {language} is shown and never run: write {FENCES}"
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), page.prose)
    # Words on each of its lines: an indented line below them goes on with them.
    text = CODE.sub(lambda match: "x" + "\nx" * match[0].count("\n"), text)
    for match in RAW.finditer(text):
        name = match[1] or "code"
        line = text.count("\n", 0, match.start()) + 1
        yield line, f"what stands in a <{name}> is compared with nothing: write {FENCES}"
    for line in indented(text):
        yield line, f"an indented block is shown as code and never run: write {FENCES}"
    for block in page.blocks:
        if not block.kinds & {"notest", "source"} and "__main__" in block.code:
            line = block.line + block.code.count("\n", 0, block.code.index("__main__"))
            yield (
                line,
                "a page is no script, so what waits for __main__ never runs: leave the if out",
            )


def indented(text: str) -> Iterator[int]:
    """The lines at which Markdown would begin a block of code by indent."""
    inside = [0]  # how far what stands in each open box and list is indented
    code, above = False, ""
    for number, line in enumerate(text.split("\n"), 1):
        line = re.sub(r"^[> ]*> ?", "", line).expandtabs(TAB)
        words = line.lstrip()
        if not words:
            above = ""
            continue
        indent = len(line) - len(words)
        if not above:  # only after a blank line does a block end, or code begin
            while inside[-1] > indent:
                inside.pop()
            if indent >= inside[-1] + TAB:
                if not code:
                    yield number
                code, above = True, words
                continue
            code = False
        if not code and (BOX.match(words) or ITEM.match(words)):
            while inside[-1] > indent:
                inside.pop()
            inside.append(indent // TAB * TAB + TAB)
        above = "" if ENDS.match(words) else words

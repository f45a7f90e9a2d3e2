"""Where a page shows what never runs: the line of each such place, whatever stands around it."""

from pathlib import Path

import pytest

from literate.pages.page import Page
from literate.rules.shown import never_run

LINES = {
    "code after a comment, without a line between": ("<!-- a\nremark -->\n    print(1)\n", [3]),
    "after code in words that goes on in the next line": ("Then `a\nb`.\n\n    print(1)\n", [4]),
    "a drawing below an empty first line": ("\n<svg></svg>\n", [2]),
    "code below an item that is indented itself": ("  - item\n\n        print(1)\n", [3]),
    "each block of code, but the lines of one once": (
        "Then\n\n    a = 1\n\n    b = 2\n\nand\n\n    c = 3\n",
        [3, 9],
    ),
    "what waits to be a script, below an empty line": (
        '```python\n\nx = 1\nif __name__ == "__main__":\n    print(x)\n```\n',
        [4],
    ),
    "the same at the top of a block": ('```python\nif __name__ == "__main__":\n    1\n```\n', [2]),
    "below an empty line and nothing else": (
        '```python\n\nif __name__ == "__main__":\n    1\n```\n',
        [3],
    ),
}
NOWHERE = {
    "words indented after code that goes on in the next line": "`a\nb`\n    goes on\n",
    "words of an inner item that are a little too far in": "- a\n\n    - b\n\n         its text\n",
    "a piece of the package, which is compared with it": (
        "```python {.source of='literate.__main__.main'}\n"
        'if __name__ == "__main__":\n    sys.exit(1)\n```\n'
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_of(name: str) -> None:
    text, lines = LINES[name]
    assert [line for line, _ in never_run(Page(Path("page.md"), text))] == lines


@pytest.mark.parametrize("name", NOWHERE)
def test_no_line_of(name: str) -> None:
    assert list(never_run(Page(Path("page.md"), NOWHERE[name]))) == []

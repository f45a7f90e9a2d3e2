"""Code, and what looks like its output, that a page would show and never run."""

from pathlib import Path

import pytest
from helpers import failures

from literate.pages.page import Page
from literate.rules.shown import never_run

NEVER = [
    ("Text.\n\n```\nloss 0.9999\n```\n", 3, "a fence without a language is shown"),
    ("~~~\nloss 0.9999\n~~~\n", 1, "a fence without a language is shown"),
    ("```text\nloss 0.9999\n```\n", 1, "a text that no block printed"),
    ("```math\nx = 0.9999\n```\n", 1, "a fence of math is shown and never run: write ```python"),
    ("Then\n\n    import torch\n    print(1)\n\n    print(2)\n", 3, "an indented block is shown"),
    ("Then\n\n\tprint(1)\n", 3, "an indented block"),
    ("> Then\n>\n>     print(1)\n", 3, "an indented block"),
    ("!!! note\n\n    Text.\n\n        print(1)\n", 5, "an indented block"),
    ("- item\n\n        print(1)\n", 3, "an indented block"),
    ("- item\n\nText.\n\n    print(1)\n", 5, "an indented block"),
    ("<!-- a\nremark -->\n\n    print(1)\n", 4, "an indented block"),
    ("    print(1)\n", 1, "an indented block"),
    ("## Then\n    print(1)\n", 2, "an indented block"),
    ("!!! note\n        print(1)\n", 2, "an indented block"),
    ("---\n    print(1)\n", 2, "an indented block"),
    ("</div>\n    print(1)\n", 2, "an indented block"),
    ("Text.\n\n<samp>\nprint(1)\n</samp>\n", 3, "what stands in a <samp> is compared"),
    ("Text.\n\n<pre><code>print(1)\n</code></pre>\n", 3, "what stands in a <pre> is compared"),
    ("<div><code>print(1)\n</code></div>\n", 1, "what stands in a <code> is compared"),
    ("<svg><text>0.9</text></svg>\n", 1, "what stands in a <svg> is compared"),
    (
        '```python\nx = 1\nif __name__ == "__main__":\n    print(x)\n```\n',
        3,
        "a page is no script, so what waits for __main__ never runs",
    ),
]


@pytest.mark.parametrize(("text", "line", "says"), NEVER)
def test_what_never_runs_is_refused(text: str, line: int, says: str) -> None:
    found = list(never_run(Page(Path("page.md"), text)))
    assert {where for where, _ in found} == {line}
    assert found[0][1].startswith(says)


@pytest.mark.parametrize(
    "text",
    [
        "```sh\nmake\n```\n\n```python\n1\n```\n\n```text {.output}\n```\n",
        '!!! note "A"\n\n    Text.\n\n    More.\n\n    - item\n\n        Its text.\n\nText.\n',
        "??? success\n\n    ```python\n    x = 1\n    ```\n\n    `x` is a number.\n",
        "1. item\n\n    Its text.\n\n    - inner\n\n        Its text.\n\n2. item\n    goes on\n",
        "Text goes on\n    here, though indented.\n",
        "> quote\n>\n> goes on\n",
        "```python\n1\n```\n`x` begins a line.\n\n`y` too, and `    z`.\n",
        "<!-- a\n\n    remark -->\n\nText with `<pre>`.\n",
        "<figcaption>By <code>attend</code>.</figcaption>\n",
        "<!-- why -->\n\n```python {.notest}\nif __name__ == '__main__':\n    x\n```\n",
    ],
)
def test_what_runs_or_is_prose_is_not(text: str) -> None:
    assert list(never_run(Page(Path("page.md"), text))) == []


def test_it_fails_at_its_line(run) -> None:
    result, _ = run("# Page\n\n```\n1\n```\n")
    assert "page.md:3: a fence without a language" in failures(result)[0]

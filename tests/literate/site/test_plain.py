"""A page as plain Markdown: nothing of ours is left, and nothing of the page is lost."""

import re
from textwrap import indent

import pytest
from helpers import HERE, page, plain

from literate.site.plain import linked, parts

CASES = {
    "a checked number": ("It is 0.5<!--= x --> now.", "It is 0.5 now."),
    "a claim": ("Words<!--= x > 0 -->.", "Words."),
    "a table's check": (
        "| a |\n| - |\n| 1 |\n\n<!--= x -->\n\nText",
        "| a |\n| - |\n| 1 |\n\nText",
    ),
    "notation that is quoted": (
        "Write `0.5<!--= x -->` or ``{.a}``.",
        "Write `0.5<!--= x -->` or ``{.a}``.",
    ),
    "marks of a heading": ("## Step { .step }", "## Step"),
    "marks of a paragraph": ("Words\n{ .lede }\n", "Words"),
    "braces of a formula": ("$$\n\\frac{a}{b}\n$$", "$$\n\\frac{a}{b}\n$$"),
    "a prediction": (
        '!!! predict "Which?"\n\n    - ( ) One: no.\n    - (x) Two: yes.\n\nAfter.',
        "> **Which?**\n>\n> - ( ) One: no.\n> - (x) Two: yes.\n\nAfter.",
    ),
    "a box in a box": (
        '??? success "Answer"\n\n    !!! note "Why"\n\n        Because.\n',
        "> **Answer**\n>\n> > **Why**\n> >\n> > Because.",
    ),
    "a figure": (
        "<figure markdown>\n![Alt](figures/page/a.svg)\n"
        "<figcaption>So <em>it</em> is &amp; was.</figcaption>\n</figure>",
        "![Alt](https://book.example/part/figures/page/a.svg)\n\n*So it is & was.*",
    ),
    "a box of HTML": (
        "<details markdown>\n<summary>In <code>x</code></summary>\n\nText\n\n</details>\n\nAfter",
        "**In `x`**\n\nText\n\nAfter",
    ),
    "the reference": (
        "::: attention.checks.weights\n    options:\n      members: [state, packed]\n\nText",
        "```python\n"
        "def state(theirs: Any) -> None:\n"
        '    """What a `state_dict` of somebody\'s attention is."""\n\n\n'
        "def packed(name: str, x: Tensor, parts: int, expected: str) -> None:\n"
        '    """The rows of several projections, one below the other."""\n'
        "```\n\nText",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_our_notation(name: str) -> None:
    text, expected = CASES[name]
    assert plain(f"{text}\n") == expected


ODD = 'a = [f](x)\n\n\n\nb = """\n<!-- no -->\n{ .c }  \n!!! note\n</div>\n`"""  # ` and ``'


@pytest.mark.parametrize("depth", [1, 2])
def test_code_in_a_box_stays_as_it_is(depth: int) -> None:
    def box(text: str) -> str:
        return "??? note\n\n" + indent(text, "    ") + "\n"

    text = f"See `x](y)`.\n\n```python\n{ODD}\n```\n\nAlso [y](z.md) and ``](w)``."
    for _ in range(depth):
        text = box(text)
    quoted = plain(text)
    for _ in range(depth):
        quoted = re.sub("^> ?", "", quoted, flags=re.M)
    assert f"\n```python\n{ODD}\n```\n" in quoted
    assert "`x](y)`" in quoted
    assert quoted.endswith("Also [y](https://book.example/part/z/) and ``](w)``.")


def test_a_fence_keeps_its_marks() -> None:
    text = "````\n```\n[f](x)\n````\n\n~~~ text\n`\n~~~\n"
    assert plain(text) == "````\n```\n[f](x)\n````\n\n~~~text\n`\n~~~"


def test_a_mistake_stays_in_its_box() -> None:
    text = (
        "```python {.exercise}\nx\n```\n\n```python {.check}\nassert x\n```\n\n"
        '??? failure "If so"\n\n    ```python {.mistake}\n    y\n    ```\n\n'
        "    ```text {.output}\n    AssertionError\n    ```\n\n"
        "```python {.solution}\nz\n```\n"
    )
    found = list(parts(page(text), HERE))
    assert [part.text for part in found if part.block] == ["x\n", "assert x\n", "z\n"]
    box = "> **If so**\n>\n> ```python\n> y\n> ```\n>\n> ```text\n> AssertionError\n> ```"
    assert box in [part.text for part in found]


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("other.md", "https://book.example/part/other/"),
        ("other.md#a", "https://book.example/part/other/#a"),
        ("../index.md", "https://book.example/"),
        ("index.md", "https://book.example/part/"),
        ("figures/a.svg", "https://book.example/part/figures/a.svg"),
        ("../x/my-index.md", "https://book.example/x/my-index/"),
    ],
)
def test_a_link_leads_to_the_site(target: str, address: str) -> None:
    assert linked(HERE, target) == address
    assert plain(f"See [it]({target}).\n") == f"See [it]({address})."


def test_addresses_and_anchors_stay() -> None:
    for target in ("https://a.example/b.md", "#here", "mailto:a@b.example"):
        assert plain(f"See [it]({target}).\n") == f"See [it]({target})."

"""Numbers that a block types into what it prints."""

import pytest
from helpers import failures, page

from literate.rules.typed import typed


def found(code: str, kinds: str = "") -> list[tuple[int, str]]:
    return list(typed(page(f"# Page\n\n```python{kinds}\n{code}\n```\n")))


@pytest.mark.parametrize(("code", "numbers"), [
    ('print("below 0.01")', ["0.01"]),
    ('print(f"{x} of 2048, {y:6.25f}")', ["2048"]),
    ('print(f"{x + 1.5:>{width}} of 1.5")', []),
    ('print("{} of 36".format(x), 12)', ["36"]),
    ('print(", ".join(f"{y} of 36" for y in x))', ["36"]),
    ('print("36 of them")\nprint("36 again" if x < 37 else "38")', ["36", "36", "38"]),
    ('print("1,490 of 2,048", 2048)', ["1,490"]),
    ('assert x < 0.01\nprint("below 0.01")', []),
    ('x = 2_048\nprint("of 2048")', []),
    ('x = 1 << 29\nprint("1 to 9, x29, v1.36b, 1,4901")', []),
    ('print(re.search(r"of 36", x)[0], re.compile("36").findall(x))', []),
    ('x = "of 36"\nlog("of 36")', []),
    ("print(36)", []),
    ("print('of 36'", []),

])  # fmt: skip
def test_what_is_printed_as_words(code: str, numbers: list[str]) -> None:
    assert [number for _, number in found(code)] == numbers


def test_what_is_only_shown_prints_nothing() -> None:
    code = 'x = 1\nprint("of 36")'
    assert found(code) == [(5, "36")]
    assert found(code, " {.notest}") == []


def test_a_typed_number_fails_at_its_line(run) -> None:
    text = "# Page\n\n```python\nprint('of 36')\n```\n\n```text {.output}\nof 36\n```\n"
    said = "page.md:4: the block types 36 into what it prints: compute it"
    assert said in failures(run(text)[0])[0]

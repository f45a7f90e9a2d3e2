"""Where things stand on a page: the line of each, counted from the first, and its characters."""

import pytest
from helpers import page

from literate.pages.page import PageError
from literate.rules import guards, shown, unfailing
from literate.running import records

TEXT = """# Page

A half is 0.5<!--= 1 / 2 -->, a quarter 25 %<!--= 1 / 4 -->, which is true<!--= True -->.

| | a |
| - | - |
| x | 0.7 |
| y | 20% |

<!--= [[0.7], [0.2]] -->

| a | b |
| - | - |
| 1 | 0.7 |
| x | 0.8 |
<!--= rows -->

```python
print(1)
```

```text {.output}
1
```

It is 0.9999, and `0.99`.
"""


def lines(text: str) -> list[int]:
    """All lines that anything is said of."""
    found = page(text)
    places = [step.line for step in found.steps]
    places += [block.output.line for block in found.blocks if block.output]
    places += [cell.line for table in found.tables for row in table.rows for cell in row if cell]
    for guard in (guards.unchecked, unfailing.unfailing, shown.never_run):
        places += [line for line, _ in guard(found)]
    return places


def test_lines_are_counted_from_the_first() -> None:
    said = lines(TEXT)
    assert said[:7] == [3, 3, 3, 10, 16, 19, 23]
    assert {7, 8, 14, 15} < {*said}
    assert lines("\n" + TEXT) == [line + 1 for line in said]


def test_what_is_found_stands_where_it_says() -> None:
    found = page(TEXT)
    assert [TEXT[check.start : check.end] for check in found.checks] == ["0.5", "25 %", ""]
    assert TEXT[found.checks[-1].start :].startswith("<!--= True -->")
    cells = [[cell and cell.printed + cell.unit for cell in row]
             for table in found.tables for row in table.rows]  # fmt: skip
    # A first column of words names the rows; one with a number in it does not.
    assert cells == [["0.7"], ["20%"], ["1", "0.7"], [None, "0.8"]]
    for table in found.tables:
        assert TEXT[slice(*table.comment)] == f"<!--= {table.expression} -->"
        for cell in [cell for row in table.rows for cell in row if cell]:
            assert TEXT[cell.start :].startswith(cell.printed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.5<!--= a --><!--= b", "the comment of a checked number has no -->"),
        ("0.5<!--= a -->123456789", "'12345678' would go on with 0.5: put all of it before"),
        ("as many as **5**<!--= a -->", "put the comment of **5** directly behind its digits"),
        ("<!-- = a -->", "a checked number is written 0.5<!--= expression -->, without a space"),
        ("0.5<!--= a b -->", "'a b' is not an expression: write 0.5<!--= expression -->"),
        ("| 1<!--= a | b --> |", "the | in 'a | b' would end the cell of the table"),
        ("so %<!--= a -->", "no number stands before %<!--= a -->"),
        (
            "is minus\n0.5<!--= a -->",
            "the sign of 0.5 stands apart from it: put it directly before",
        ),
        ("is −\n0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("−**0.5<!--= a -->**", "the sign of 0.5 stands apart"),
        ("**−**0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("−<b>0.5<!--= a --></b>", "the sign of 0.5 stands apart"),
        ("−&nbsp;0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("is minus **0.5<!--= a -->**", "the sign of 0.5 stands apart"),
        ("is − **0.5<!--= a -->**", "the sign of 0.5 stands apart"),
        ("(0.25,−0.5<!--= a -->)", "the sign of 0.5 stands apart"),
        ("Minus 0.5<!--= a -->", "write the sign of the number itself, + or −"),
        ("is &#8722;0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("$-$0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("−\\$0.5<!--= a -->", "the sign of 0.5 stands apart"),
        ("is ‐0.5<!--= a -->", "‐0.5 is not read as one number: write a minus sign as −"),
        ("(–0.5<!--= a -->)", "(–0.5 is not read as one number: write a minus sign as −"),
        ("a negative 0.5<!--= a -->", "write the sign of the number itself, + or −"),
        ("12<!--= a -->*5*", "'*5*' would go on with 12"),
        ("1 128.0<!--= a -->", "1 128.0 is not read as one number: separate thousands"),
        ("0,500<!--= a -->", "0,500 is not read as one number: write a decimal with a point"),
    ],
)
def test_a_fault_has_its_line(text: str, says: str) -> None:
    for above in ("", "\n", "# Page\n\n"):
        with pytest.raises(PageError) as error:
            page(above + text + "\n")
        number = (above + text.partition("<")[0]).count("\n") + 1
        assert str(error.value).startswith(f"page.md:{number}: ")
        assert says in str(error.value)


def test_a_number_after_a_number_is_one_of_its_own() -> None:
    """But three digits after a space may be meant as thousands."""
    (check,) = page("In row 5 0.25<!--= 1 / 4 --> of it.\n").checks
    assert check.printed == "0.25"
    (check,) = page("It is minus\n\n0.25<!--= 1 / 4 -->\n").checks
    assert check.printed == "0.25"
    (check,) = page("In row 5 1.5<!--= 3 / 2 --> of it.\n").checks
    assert check.printed == "1.5"
    with pytest.raises(PageError, match="separate thousands with a comma or a narrow space"):
        page("There are 12 288<!--= n --> of it.\n")


def test_what_is_counted() -> None:
    text = TEXT + "\n```python {.fresh}\nx = 1\n```\n\n![a](figures/page/a.svg)\n"
    assert records.counts(page(text)) == {
        **{"blocks": 2, "outputs": 1, "numbers": 2, "claims": 1, "tables": 2, "figures": 1},
        "assertions": 0,
        "fresh": 1,
    }


def test_a_record_keeps_the_values_that_are_near() -> None:
    """Within the rounding of float32 a recorded value stays; a new number has the new one."""
    found = page("It is 0.5<!--= a --> and 0.25<!--= b --> and 0.1<!--= c -->, true<!--= d -->.\n")
    starts = [check.start for check in found.checks if check.printed]
    old = {"numbers": [["a", 0.5, 1e-5], ["x", 0.25]]}
    new = records.updated(
        old, found, dict(zip(starts, [0.5000009, 0.25, 0.123456789], strict=True))
    )
    assert new["numbers"] == [["a", 0.5, 1e-5], ["b", 0.25], ["c", 0.1234568]]
    assert new["counts"] == records.counts(found)
    far = records.updated(old, found, dict(zip(starts, [0.500002, 0.25, 1e-10], strict=True)))
    assert far["numbers"] == [["a", 0.500002], ["b", 0.25], ["c", 1e-10]]


def test_a_record_keeps_how_far_another_run_came() -> None:
    found = page("It is 0.5<!--= a --> and 0.25<!--= b -->.\n")
    starts = [check.start for check in found.checks]
    old = {"counts": {}, "numbers": [["a", 0.5], ["x", 0.25]]}

    def spread(first: float, record: dict) -> dict:
        return records.spread(record, found, dict(zip(starts, [first, 9.0], strict=True)))

    assert spread(0.5000004, old) == old
    once = spread(0.50123, old)
    assert once == {"counts": {}, "numbers": [["a", 0.5, 0.002], ["x", 0.25]]}
    assert spread(0.5001, once) == once
    assert spread(0.49, once)["numbers"][0] == ["a", 0.5, 0.01]


@pytest.mark.parametrize(
    ("number", "above"), [(0.00123, 0.002), (0.003, 0.003), (4.2, 5.0), (95.0, 100.0)]
)
def test_one_digit_above(number: float, above: float) -> None:
    assert records.above(number) == above


def test_a_stale_record_is_said_with_both_values() -> None:
    found = page("Words,\nand 0.5<!--= a --> and 0.25<!--= b -->.\n")
    starts = [check.start for check in found.checks]

    def stale(first: float, *numbers: list) -> tuple[int, str] | None:
        values = dict(zip(starts, [first, 0.25], strict=True))
        return records.stale({"numbers": numbers}, found, values)

    assert stale(0.5, ["a", 0.5], ["b", 0.25]) is None
    assert stale(0.5, ["a", 0.500004, 1e-9]) is None
    said = "a is 0.5, but in the record of the page a is 0.50006"
    assert stale(0.5, ["a", 0.50006]) == (2, said)
    assert stale(0.5, ["z", 0.5]) == (2, "a is 0.5, but in the record of the page z is 0.5")
    assert stale(0.0, ["a", 5e-7]) is None
    assert stale(0.0, ["a", 2e-6]) is not None

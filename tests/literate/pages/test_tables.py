"""A table below which an expression stands is filled by it."""

import pytest
from helpers import counts, failures

PAGE = """# Page

```python
import torch

shares = torch.tensor([[0.7, 0.2], [0.25, -0.75]])
```

<figure markdown>

| | I | love |
| --- | --- | --- |
| I | 0.70 | 0.200 |
| love | 25% | −0.75 |

<!--= shares -->

</figure>

> | a | b |
> | - | - |
> | 0.7 | 0.2 |
<!--= shares[0] -->
"""
PAGE = PAGE.replace("\n<!--= shares[0] -->", "\n> <!--= shares[0] -->")


def test_a_right_table_passes(run) -> None:
    assert counts(run(PAGE)[0]) == (3, 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("0.70", "0.71", 13, "the table says 0.71, but shares has 0.70 there"),
        ("0.200", "0.201", 13, "the table says 0.201, but shares has 0.200 there"),
        ("25%", "26%", 14, "the table says 26%, but shares has 25% there"),
        ("−0.75", "0.75", 14, "the table says 0.75, but shares has −0.75 there"),
        ("0.70 | 0.200", "0.200 | 0.70", 13, "the table says 0.200, but shares has 0.700"),
        ("0.70 | 0.200", "0.70", 16, "rows of [1, 2] cells, but shares has [2, 2]"),
        ("| love | 25% | −0.75 |\n", "", 15, "rows of [2] cells, but shares has [2, 2]"),
        ("0.70", "x", 16, "a cell of the table of shares is no number"),
        ("<!--= shares -->", "<!--= share -->", 16, "NameError: name 'share'"),
        ("<!--= shares -->", "<!--= shares.T -->", 13, "says 0.200, but shares.T has 0.250"),
        ("<!--= shares -->", "<!--= 3 -->", 16, "3 is 3: expected a tensor or lists"),
        ("| 0.7 | 0.2 |", "| 0.7 | 0.3 |", 22, "the table says 0.3, but shares[0] has 0.2 there"),
    ],
)
def test_a_wrong_table_fails_at_its_line(run, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    first = failures(run(PAGE.replace(old, new))[0])[0]
    assert f"page.md:{line}: " in first, first
    assert says in first, first


def test_a_damaged_table_is_repaired(run) -> None:
    damaged = PAGE.replace("0.70", "9.99").replace("25%", "1%").replace("−0.75", "1.00")
    _, path = run(damaged.replace("| 0.7 | 0.2 |", "| 0.0 | 0.0 |"), "--update-docs")
    assert path.read_text("utf-8") == PAGE


def test_the_numbers_of_a_table_need_no_other_check(run) -> None:
    result, _ = run(PAGE.replace("<!--= shares -->\n", ""))
    assert "page.md:13: nothing checks 0.70" in failures(result)[0]

"""The mathematics of the explorer is that of the package, and its address holds its state."""

import re

from attend import FOUND, digits, same, states
from javascript import node


def test_the_module_computes_what_the_package_computes() -> None:
    cases = states()
    for state, found in zip(cases, node(FOUND, cases), strict=True):
        same(state, found)
        digits(state, found)
    empty = [s for s in cases if s["mask"] == "beyond"]
    assert len(cases) >= 300
    assert len(empty) > 30
    assert {s["heads"] for s in cases} >= {1, 2, 3, 4, 5, 6, 7, 8}


def test_any_state_comes_back_from_its_address() -> None:
    cases = states()
    start = {**cases[0], "words": ["a", "b"], "x": [[1], [2]], "wq": [[1]], "wk": [[1]]}
    start |= {"wv": [[1]], "scale": 1, "mask": "none", "window": 3, "heads": 1}
    expression = """data.cases.map(state => {
  const fragment = address.write(state, data.start)
  return [fragment, address.read(fragment, data.start)]
})"""
    for case, (fragment, back) in zip(
        cases, node(expression, {"cases": cases, "start": start}), strict=True
    ):
        assert back == case
        assert re.fullmatch(r"[\w.*+%&=-]*", fragment)  # nothing that a mail would break off

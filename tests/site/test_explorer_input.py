"""What a reader types into the explorer, gets wrong, and shares by its address."""

import json
import re
from pathlib import Path

import torch
from javascript import browse, node
from test_attend import states

from attention import Causal, SlidingWindow, dot_product_attention


def test_a_change_is_seen_and_kept_in_the_address(built: Path, tmp_path: Path) -> None:
    script = """
await visit()
await type("x.4.1", "−.5")
await type("words.4", "lamp")
await type("mask", "beyond")
await type("window", "2")
await type("heads", "3")
const first = seen()
await visit(first.hash)
return [first, seen()]"""
    first, again = browse(built, script, tmp_path)
    assert first["hash"].startswith("#words=I*can%27t*find*the*lamp*switch&x=")
    assert first["hash"].endswith("&mask=beyond&window=2&heads=3")
    assert first["tables"]["Embeddings"][4] == ["lamp", "0.13", "−.5", "0.68"]
    assert again["tables"].pop("Embeddings")[4] == ["lamp", "0.13", "-0.5", "0.68"]
    del first["tables"]["Embeddings"]
    assert again["tables"] == first["tables"]
    entry = torch.tensor([[0.21], [0.52], [0.03], [0.73], [0.13], [0.22]])  # what head 0 sees
    rule = Causal() & ~SlidingWindow(2)
    _, weights = dot_product_attention(entry, entry, entry, rule, scale=1.0, return_weights=True)
    shown = [[f"{weight:.4f}" for weight in row] for row in weights]
    assert [row[1:] for row in first["tables"]["Weights, head 0"]] == shown
    assert first["tables"]["Scores, head 0"][0] == ["I", *["−∞"] * 6]
    assert weights[4].argmax() == 1
    assert first["says"] == [f"In head 0, lamp attends most to can't, {shown[4][1]}."]
    assert again["says"] == ["In head 0, I may attend to nothing."]


BAD = {
    "x.4.1": ["abc", "", "1e99", "0,5", "0.1234567", "100.5", "--1", "NaN", "Infinity", "0x10"],
    "wk.2.0": ["."],
    "scale": ["1 2"],
    "window": ["9", "1.5"],
    "words.3": [" ", "a*b", "a" * 17],
}
NUMBER = "a number from −100 to 100, with a point and at most six decimals, such as 0.5"
WANTED = {
    "x.4.1": f"light, entry 1: write {NUMBER}.",
    "wk.2.0": f"W_k, row 2, column 0: write {NUMBER}.",
    "scale": f"Scale: write {NUMBER}.",
    "window": "Window: write a whole number from 1 to 8.",
    "words.3": "Token 3: write 1 to 16 characters, without * and without a space at either end.",
}


def test_bad_input_gets_a_sentence_and_the_last_result_stays(built: Path, tmp_path: Path) -> None:
    script = f"""
await visit()
const found = [], results = () => page.querySelector("[data-at=results]").textContent
const start = results()
for (const [name, values] of Object.entries({json.dumps(BAD)})) for (const value of values) {{
  const good = field(name).value
  await type(name, value)
  const beside = field(name).closest("fieldset").querySelector("[role=status]").textContent
  const kept = results() === start && seen().hash === ""
  found.push([name, beside, kept, field(name).ariaInvalid])
  await type(name, good)
  found.at(-1).push(seen().says.length, field(name).ariaInvalid)
}}
return found"""
    found = browse(built, script, tmp_path)
    assert found == [
        [name, WANTED[name], True, "true", 1, None] for name, values in BAD.items() for _ in values
    ]


DAMAGED = [
    "scale=x",
    "scale=",
    "scale=1e99",
    "scale=1&heads=2",  # three columns cannot be cut in two
    "heads=0",
    "mask=toString",
    "window=0",
    "window=1.5",
    "nothing=1",
    "__proto__=1",
    "words=a",
    "words=a*b*c",  # and six embeddings
    "words=%3Cb%3E*%20x*c*d*e*f",  # a space at an end
    "x=1+2+3*4+5",
    "wq=1+0*0+1*0+0",  # queries of two entries, keys of three
]


def test_a_damaged_address_gives_the_start_and_a_sentence(built: Path, tmp_path: Path) -> None:
    script = f"""
await visit()
const start = JSON.stringify(seen().tables), found = []
for (const fragment of {DAMAGED!r}) {{
  if (found.length) {{ // another state to fall back on, which it must not
    page.defaultView.location.hash = "scale=2"
    await wait(50)
    page.defaultView.location.hash = fragment
  }}
  else await visit("#" + fragment)
  await wait(600)
  found.push([JSON.stringify(seen().tables) === start, ...seen().says])
}}
await visit("#explorer")
found.push([JSON.stringify(seen().tables) === start, ...seen().says])
return found"""
    *damaged, anchor = browse(built, script, tmp_path)
    said = "This address holds no sentence that can be shown, so this is the start."
    usual = "I attends most to itself, 0.2256."
    assert damaged == [[True, said, usual]] * len(DAMAGED)
    assert anchor == [True, usual]  # it is where the page begins, and no state


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

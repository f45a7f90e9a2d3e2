"""What a reader types into the explorer, gets wrong, and shares by its address."""

import torch
from attend import FOUND, digits, same, states
from explorer import Explorer
from playwright.sync_api import expect

from attention import Causal, SlidingWindow, dot_product_attention


def test_a_change_is_seen_and_kept_in_the_address(explorer: Explorer) -> None:
    typed = {"x.4.1": "−.5", "words.4": "lamp", "mask": "beyond", "window": "2", "heads": "3"}
    for name, value in typed.items():
        explorer.type(name, value)
    first = explorer.seen()
    explorer.visit(first["hash"])
    again = explorer.seen()
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
    assert first["says"] == [f"In head 0, “lamp” attends most to “can't”, {shown[4][1]}."]
    assert again["says"] == ["In head 0, “I” may attend to nothing."]


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
    "wk.2.0": f"Matrix of the keys, row 2, column 0: write {NUMBER}.",
    "scale": f"Scale: write {NUMBER}.",
    "window": "Window: write a whole number from 1 to 8.",
    "words.3": "Token 3: write 1 to 16 characters, without * and without a space at either end.",
}


def test_bad_input_gets_a_sentence_and_the_last_result_stays(explorer: Explorer) -> None:
    page = explorer.page
    results = page.locator("[data-at=results]")
    start = results.text_content()
    for name, values in BAD.items():
        field = page.locator(f'[name="{name}"]')
        beside = page.locator("fieldset", has=field).locator("[role=status]")
        for value in values:
            good = explorer.type(name, value)
            assert beside.text_content() == WANTED[name]
            assert (results.text_content(), explorer.seen()["hash"]) == (start, "")
            assert field.get_attribute("aria-invalid") == "true"
            explorer.type(name, good)
            assert len(explorer.seen()["says"]) == 1
            assert field.get_attribute("aria-invalid") is None


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


def test_a_damaged_address_gives_the_start_and_a_sentence(explorer: Explorer) -> None:
    start, scales = explorer.seen()["tables"], explorer.page.locator("[name=scale]")
    said = "This address holds no sentence that can be shown, so this is the start."
    usual = "“I” attends most to itself, 0.2256."
    for fragment in DAMAGED:
        explorer.visit("#" + fragment)
        seen = explorer.seen()
        assert (seen["tables"], seen["says"]) == (start, [said, usual]), fragment
        for words, scale in [("scale=2", "2"), (fragment, "1")]:  # after another to fall back on
            explorer.page.evaluate("words => { location.hash = words }", words)
            expect(scales).to_have_value(scale)
        explorer.wait()
        seen = explorer.seen()
        assert (seen["tables"], seen["says"]) == (start, [said, usual]), fragment
    explorer.visit("#explorer")  # where the page begins, and no state
    assert explorer.seen()["says"] == [usual]


def test_a_browser_computes_what_the_package_computes(explorer: Explorer) -> None:
    cases = states()
    found = explorer.page.evaluate(
        f"""async data => {{
  const attend = await import("/assets/js/attend.js")
  const address = await import("/assets/js/address.js")
  return JSON.parse(JSON.stringify({FOUND})) // where −∞ is null, as in node
}}""",
        cases,
    )
    assert len(cases) >= 300
    for state, one in zip(cases, found, strict=True):
        same(state, one)
        digits(state, one)

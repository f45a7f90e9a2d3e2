"""Few queries on many keys, and the bytes that one query needs."""

from functools import partial

import pytest
from cells import LOW, QUERIES, asked, compared, ms, part, table
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)


def decode() -> str:
    rows = []
    for queries in QUERIES:
        cells = asked(queries)
        shown = [compared(cell, "dense") for cell in cells.values()]
        rows.append([str(queries), *shown, compared(cells["grouped"], "repeated")])
    head = ["queries", "causal", "window", "grouped", "requests", "copied"]
    return table(head, rows, "decode", "decode")


def roof() -> str:
    """One query of each head, by how many keys and how they are shared."""
    cells = part("decode", "decode")["cells"]
    rows = []
    for name, cell in cells.items():
        if not name.startswith("one query") or "window" in name:
            continue
        heads = " on ".join(map(str, cell["heads"]))
        rows.append([heads, str(cell["keys"]), ms(cell), ms(cell, "read"), compared(cell, "dense")])
    rows.sort(key=lambda row: (len(row[0]), int(row[1])))
    head = ["heads", "keys", "ours, ms", "a sum, ms", "tensor"]
    return table(head, rows, "decode", "decode")


@pytest.mark.parametrize("make", [decode, roof])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_decoding_holds() -> None:
    found = {n: asked(n) for n in QUERIES}
    dense = {
        (n, kind): cell["ways"]["dense"]["ratio"]
        for n, cells in found.items()
        for kind, cell in cells.items()
    }
    assert min(dense.values()) >= LOW
    says(
        "Most is gained under a window, which leaves each query 256 keys of 8192.",
        all(dense[n, "window"] == max(dense[n, kind] for kind in found[n]) for n in QUERIES),
    )
    times = [asked(1)[kind]["ways"]["auto"]["ms"] for kind in ("causal", "grouped")]
    later = [
        part("decode", "later")["cells"][name]["ways"]["auto"]["ms"]
        for name in ("one query", "one query, grouped heads")
    ]
    says(
        "nearly three times as long, and not quite twice in the later one",
        2.5 < times[1] / times[0] < 3 and 1.8 < later[1] / later[0] < 2,
    )


def test_what_the_page_says_of_operations_and_bytes_holds() -> None:
    rates_ = part("masks", "elsewhere")  # GFLOP/s, of the same machine
    product = max(cell["product"] for cell in rates_["cells"].values())
    assert rates_["machine"] == part("decode", "decode")["machine"]
    cells = part("decode", "decode")["cells"].items()
    one = [x for name, x in cells if name.startswith("one query") and "window" not in name]
    assert {x["heads"][1] for x in one} == {8}
    read = {(x["heads"][0], x["keys"]): x["ways"]["read"]["ms"] for x in one}
    # Operations in the time of a byte: keys and values of 8 heads.
    done = {at: product * 1e6 * ms / (2 * 8 * at[1] * 64 * 4) for at, ms in read.items()}
    near = [x for (_, keys), x in done.items() if keys <= 8192]
    says(
        "It is one to one and a half operations in the time of one byte with up to 8192 keys",
        len(near) == 4 and 1 < min(near) < max(near) < 1.55,
    )
    says(
        "From 8192 to 16384 keys the sum takes four times as long, not twice.",
        max(read) == (32, 16384) and abs(read[32, 16384] / read[32, 8192] - 4) < 0.1,
    )
    says("there it is nearly three.", 2.75 < done[32, 16384] < 3)
    says(
        "in this run, by this count, arithmetic decides at 8192 keys, and bytes at 16384.",
        done[32, 8192] < 2 < done[32, 16384],
    )
    again = {
        (x["heads"][0], x["keys"]): x["ways"] for x in part("decode", "later")["cells"].values()
    }
    slower = [
        product * 1e6 * again[32, n]["read"]["ms"] / (2 * 8 * n * 64 * 4) for n in (8192, 16384)
    ]
    says("In the later run the sum was slower, and bytes decided at both.", min(slower) > 2)
    times = [x["ways"]["auto"]["ms"] / x["ways"]["read"]["ms"] for x in one if x["heads"][0] == 32]
    says("With 32 heads our call takes more than three times as long as the sum", min(times) > 3)
    times = [again[32, n]["auto"]["ms"] / again[32, n]["read"]["ms"] for h, n in read if h == 32]
    says("and in the later run at least twice as long.", min(times) >= 2)

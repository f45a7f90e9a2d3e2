"""The tables of chapter 16 that no block computes: they are those that the script wrote."""

import json
import re
from itertools import pairwise

from pages import ROOT, says

PARTS = {"scores": "`q @ k.mT`", "scale": "`/ 8`", "softmax": "`softmax`", "average": "`@ v`"}
HELD = {part: name for part, name in PARTS.items() if part != "average"}
HELD |= {"eager": "all of `eager`"}
AT = ("512", "1024", "2048")


def test_the_tables_show_what_was_measured() -> None:
    measured = json.loads((ROOT / "benchmarks/cost.json").read_text("utf-8"))
    lengths = measured["lengths"]
    page = (ROOT / "docs/speed/what-attention-costs.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S.*?) \|$", page, re.M)
    shown = [row.split(" | ") for row in rows if re.search(r"\d\.\d", row)]
    pairs = [(kind, way) for kind in ("ms", "mib") for way in ("eager", "fused")]
    whole = [
        [length, *(f"{each[kind][way]:.1f}" for kind, way in pairs)]
        for length, each in lengths.items()
    ]
    parts = [[f"{lengths[length]['ms'][part]:.1f}" for length in AT] for part in PARTS]
    given = [
        [name, *(f"{lengths['1024']['ms'][part + end]:.1f}" for end in ("", ", held"))]
        for part, name in HELD.items()
    ]
    assert shown[-len(given) :] == given
    shown = shown[: -len(given)]
    assert shown[: len(whole)] == whole
    tokens = [f"{length} tokens, ms" if i == 0 else f"{length}, ms" for i, length in enumerate(AT)]
    for head in (
        ["tokens", *(f"{way}, {unit}" for unit in ("ms", "MiB") for way in ("eager", "fused"))],
        ["operation", "FLOPs an entry", *tokens],
        ["1024 tokens", "new table, ms", "given, ms"],
    ):
        assert f"\n\n| {' | '.join(head)} |\n| --- " in page
    assert [row[0] for row in shown[len(whole) :]] == [*PARTS.values()]
    assert [row[2:] for row in shown[len(whole) :]] == parts
    sums = str(2 * 64)  # operations on an entry: 64 products are added
    assert [row[1] for row in shown[len(whole) :]] == [sums, "1", "a few", sums]
    where = f"{measured['machine']}, torch {measured['torch']}, {measured['date']}"
    assert page.count(f"<!-- source: benchmarks/cost.py: {where} -->") == 3


def test_what_the_page_says_of_them_holds() -> None:
    lengths = json.loads((ROOT / "benchmarks/cost.json").read_text("utf-8"))["lengths"]
    ms = [each["ms"] for each in lengths.values()]
    after = [each for length, each in lengths.items() if int(length) >= 1024]
    page = "speed/what-attention-costs.md"
    says(
        page,
        "The time is still quadratic: from 1024 on, both take about four times as long for twice "
        "the text.",
        all(
            3.6 < two[way] / one[way] < 4.4
            for one, two in pairwise(ms[1:])
            for way in ("eager", "fused")
        ),
    )
    says(
        page,
        "But there the fused kernel takes about a third of the time of `eager`.",
        all(0.3 < each["fused"] / each["eager"] < 0.4 for each in ms[1:]),
    )
    says(
        page,
        "from 1024 on, less than twice as many for twice the text. So the memory of this kernel is "
        "linear in the text.",
        all(two["mib"]["fused"] < 2 * one["mib"]["fused"] for one, two in pairwise(after)),
    )
    tables = {length: 2 * 8 * int(length) ** 2 * 4 / 2**20 for length in lengths}
    mib = {length: each["mib"] for length, each in lengths.items()}
    says(
        page,
        "Memory is as we counted. At 1024 tokens `eager` takes two tables of 32 MiB each. The "
        "fused kernel takes a few MiB",
        tables["1024"] == 2 * 32
        and all(
            abs(each["eager"] - tables[length]) < 2 and each["fused"] < 10
            for length, each in mib.items()
        ),
    )
    says(
        page,
        "at 1024 tokens, the one operation of `/ 8` takes more time than the 128 of `@ v`",
        ms[1]["scale"] > ms[1]["average"],
    )
    says(
        page,
        "from 512 to 1024 tokens the entries quadruple, and the division takes thirty times as "
        "long.",
        28 < ms[1]["scale"] / ms[0]["scale"] < 34,
    )
    now = ms[1]
    shown = {
        "scale": now["scale"],
        "scale, held": now["scale, held"],
        "eager, held, beside fused": round(now["eager, held"] / now["fused"], 2),
    }
    text = (ROOT / "docs" / page).read_text("utf-8")
    for name, number in shown.items():
        assert f"{number}<!-- source: benchmarks/cost.json, {name}, 1024 tokens -->" in text
    third = f"{ms[2]['fused'] / ms[2]['eager']:.2f}"
    assert f"{third}<!-- source: benchmarks/cost.json, fused beside eager, 2048 tokens -->" in text
    short = {name: ms[0][name] for name in ("eager", "eager, held")}
    for name, number in short.items():
        assert f"{number:.1f}<!-- source: benchmarks/cost.json, {name}, 512 tokens -->" in text
    assert short["eager, held"] > 0.95 * short["eager"]
    for part in ("scale", "softmax"):  # to get a table costs more than to fill it
        assert now[part] > 2 * now[f"{part}, held"]

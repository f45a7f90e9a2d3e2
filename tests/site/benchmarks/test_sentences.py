"""The numbers in the sentences of the chapter that no block computes, each with its source.

A function gives those of one section, in their order: as the page prints each, and what it names
as its source.
"""

import math
import re

from cells import (
    BATCH_MASKS,
    MASKS,
    asked,
    batch,
    beside,
    brief,
    figures,
    forward,
    moves,
    ms,
    part,
    ratio,
    ratios,
)
from pages import ROOT

PAGE = ROOT / "docs/speed/benchmarks.md"
Numbers = list[tuple[str, str]]


def family(name: str) -> str:
    """Of the processor that ran a part of masks.json."""
    return part("masks", name)["machine"].split()[3].strip(",")


def one_machine() -> Numbers:
    return [
        *((family(name), f"masks.json, {name}, family") for name in ("forward", "elsewhere")),
        (ratio(forward(512)["causal"], "is_causal"), "masks.json, causal at 512 tokens, is_causal"),
        (ratio(forward(64)["none"], "dense"), "masks.json, none at 64 tokens"),
        (ratio(forward(8192)["none"], "dense"), "masks.json, none at 8192 tokens"),
        (ms(forward(8192)["none"]), "masks.json, ours, none at 8192 tokens"),
        (ratio(forward(2048)["none"], "formula"), "masks.json, none at 2048 tokens"),
        (ratio(forward(2048)["none"], "eager"), "masks.json, eager, none at 2048 tokens"),
    ]


def percent(times: float) -> str:
    return f"{100 * (times - 1):.0f}"


def two_runs() -> Numbers:
    cut, both = "window", "again and before"
    second = part("masks", "again")["cells"]["2048"]
    apart = sorted(100 * move for move in moves().values())
    farthest, most, least = (
        str(x) for x in (math.ceil(apart[-2]), int(apart[-3]), math.ceil(apart[-4]))
    )
    return [
        (ratio(forward(2048)[cut], "dense"), f"masks.json, {cut} at 2048 tokens"),
        (ratio(second[cut], "dense"), f"masks.json, {cut} at 2048 tokens, again"),
        *(
            (percent(times), f"masks.json, {said}, {cut} at 2048 tokens, {both}")
            for said, times in (
                ("ours", 2 - beside(cut, "ms", "auto")),
                ("dense", beside(cut, "ms", "dense")),
            )
        ),
        (farthest, f"masks.json, 2048 tokens, {both}"),
        (most, "masks.json, 2048 tokens, the largest three, least"),
        (least, "masks.json, 2048 tokens, the smallest four, most"),
    ]


def busy_machine() -> Numbers:
    busy = part("masks", "loaded")["cells"]["8192"]
    return [
        (ratio(busy["window"], "dense"), "masks.json, window at 8192 tokens, loaded"),
        (
            f"{busy['window']['ways']['dense']['ratio'] / ratios(8192, 'dense')['window']:.2f}",
            "masks.json, window at 8192 tokens, loaded beside alone",
        ),
        *(
            (
                f"{busy['documents at random']['ways']['dense'][end]:.2f}",
                f"masks.json, documents at random at 8192 tokens, loaded, {end}",
            )
            for end in ("low", "high")
        ),
    ]


def short_texts() -> Numbers:
    none = forward(64)["none"]["ways"]
    return [
        (
            f"{none['auto']['ms'] - none['dense']['ms']:.3f}",
            "masks.json, none at 64 tokens, ours less the tensor",
        ),
        (family("short"), "masks.json, short, family"),
        (f"{min(brief().values()):.2f}", "masks.json, short, the least"),
    ]


def memory() -> Numbers:
    parts = part("memory", "memory")["cells"]
    return [
        *(
            (figures(parts[name]["8192"][at]), f"memory.json, {name}, 8192 tokens")
            for name, at in (("auto, window", 1), ("to_tensor, window", 0))
        ),
        (
            f"{parts['auto, window']['8192'][1] / parts['is_causal']['8192'][1]:.2f}",
            "memory.json, window beside causal, 8192 tokens",
        ),
    ]


def apart_by(turn: str) -> str:
    """By how many per cent half of the rounds are at most away from their ratio, rounded up."""
    cells = part("masks", "batches")["cells"].values()
    found = [each[f"{mask}, {turn}"]["dense"] for each in cells for mask in BATCH_MASKS]
    off = [max(x["high"] - x["ratio"], x["ratio"] - x["low"]) / x["ratio"] for x in found]
    return str(math.ceil(100 * max(off)))


def batches() -> Numbers:
    left = "padding on the left"
    return [
        *(
            (
                f"{batch(n, 'causal and padding', 'again'):.2f}",
                f"masks.json, causal and padding at {n} tokens, again",
            )
            for n in (512, 64)
        ),
        *(
            (f"{batch(128, left, turn, run)}", f"masks.json, {said}{left} at 128 tokens, {turn}")
            for turn, run, said in (
                ("again", "batches", ""),
                ("new", "batches, before", "batches, before, "),
                ("new", "batches", ""),
            )
        ),
        *((apart_by(turn), f"masks.json, half of the rounds, {turn}") for turn in ("again", "new")),
    ]


def crowded(way: str) -> dict[str, float]:
    """How many times as long each mask takes at 8192 tokens among two other programs."""
    busy, alone = (part("masks", name)["cells"]["8192"] for name in ("busy", "elsewhere"))
    return {n: busy[n]["ways"][way]["ms"] / alone[n]["ways"][way]["ms"] for n in MASKS}


def another_machine() -> Numbers:
    there, there_too = (part("masks", "elsewhere")["cells"][n] for n in ("8192", "2048"))
    slower = {way: crowded(way) for way in ("auto", "dense")}
    products = [times for name, times in slower["auto"].items() if name != "window"]
    learning = part("masks", "learning")["cells"]["2048"]
    return [
        (ratio(there["none"], "dense"), "masks.json, dense, none at 8192 tokens, elsewhere"),
        (
            ratio(there_too["documents"], "flex"),
            "masks.json, flex, documents at 2048 tokens, elsewhere",
        ),
        *(
            (f"{end(found):.1f}", f"masks.json, {way}, busy beside elsewhere, {said}")
            for way, found in (("onednn", products), ("dense", slower["dense"].values()))
            for said, end in (("least", min), ("most", max))
        ),
        (f"{slower['auto']['window']:.1f}", "masks.json, window, busy beside elsewhere"),
        *(
            (ratio(learning[name], way), f"masks.json, {way}, {name} at 2048 tokens, learning")
            for name, way in (("none", "dense"), ("causal", "is_causal"))
        ),
    ]


def by_hand() -> Numbers:
    middle, long = (part("by_hand", "forward")["cells"][n] for n in ("2048", "8192"))
    return [
        *(
            (f"{end(long[n]['by hand']['ratio'] for n in MASKS[2:]):.2f}", f"by_hand.json, {said}")
            for end, said in ((min, "8192 tokens, the least"), (max, "8192 tokens, the most"))
        ),
        (
            f"{middle['documents']['by hand']['ratio']:.2f}",
            "by_hand.json, documents at 2048 tokens",
        ),
    ]


def decoding() -> Numbers:
    later = part("decode", "later")["cells"]
    decoded = [x for name, x in part("decode", "decode")["cells"].items() if "one query" in name]
    return [
        (ratio(asked(1)["grouped"], "repeated"), "decode.json, one query, grouped heads"),
        (
            ratio(later["one query, grouped heads"], "repeated"),
            "decode.json, one query, grouped heads, later",
        ),
        (ms(asked(1)["causal"]), "decode.json, one query, ms"),
        (ms(asked(1)["grouped"]), "decode.json, one query, grouped heads, ms"),
        (ms(asked(1)["causal"], "read"), "decode.json, one query, a sum, ms"),
        (ms(asked(1)["grouped"], "read"), "decode.json, one query, grouped heads, a sum, ms"),
        (ms(later["one query"], "read"), "decode.json, one query, a sum, ms, later"),
        (str(max(x["keys"] for x in decoded)), "decode.json, one query, keys, the most"),
    ]


def modules() -> Numbers:
    plain = {
        (x["batch"], x["tokens"]): x
        for x in part("modules", "modules")["cells"]["all"]
        if not (x["train"] or x["weights"])
    }
    return [
        (ms(plain[1, 16], "ours"), "modules.json, 16 tokens"),
        (ratio(plain[1, 16], "torch"), "modules.json, 16 tokens, beside torch"),
        (ratio(plain[1, 2048], "torch"), "modules.json, 2048 tokens, without weights"),
        *(
            (ratio(plain[size, n], "linear"), f"modules.json, linear, {n} tokens, without weights")
            for size, n in ((8, 128), (4, 1024), (1, 2048))
        ),
    ]


SECTIONS = [one_machine, two_runs, busy_machine, short_texts, memory, batches, another_machine]
SECTIONS += [by_hand, decoding, modules]


def test_the_sentences_show_what_was_measured() -> None:
    shown = [number for section in SECTIONS for number in section()]
    pattern = r"([\d.]+)<!-- source: benchmarks/(\w+\.json, [^\n]*?) -->"
    assert re.findall(pattern, PAGE.read_text("utf-8")) == shown

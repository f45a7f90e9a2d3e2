"""What to take for a shape: the last table of the chapter, of all measurements."""

from collections.abc import Iterable

import pytest
from cells import BATCH_MASKS, LENGTHS, MASKS, QUERIES, asked, batch, brief, part, ratios
from pages import ROOT

PAGE = ROOT / "docs/speed/benchmarks.md"
OF_ALL = "<!-- source: benchmarks/masks.json, decode.json and modules.json: the tables above -->"


def which() -> str:
    """What to take for a shape, and how many times as long the rival takes."""
    tensor = {n: ratios(n, "dense") for n in LENGTHS}
    flags = [ratios(n, "is_causal")["causal"] for n in LENGTHS[1:]]
    cut = ("window", "documents", "documents at random")
    decoded = part("decode", "decode")["cells"]
    decoding = {n: asked(n) for n in QUERIES}
    both = part("modules", "modules")["cells"]["all"]
    flex = [*ratios(2048, "flex").values(), *ratios(8192, "flex").values()]
    for each in part("masks", "elsewhere")["cells"].values():
        flex += [each[n]["ways"]["flex"]["ratio"] for n in MASKS if "flex" in each[n]["ways"]]
    rows = {
        ("no mask, or a causal one and as many queries as keys", "either", "torch's function"): [
            *(tensor[n]["none"] for n in LENGTHS[1:]),
            *flags,
            brief()["64", "none", "dense"],
            brief()["64", "causal", "is_causal"],
        ],
        ("the same, 2048 tokens or more, by [oneDNN](#another-library)", "ours", "torch's"): [
            cells[name]["ways"][way]["ratio"]
            for cells in part("masks", "elsewhere")["cells"].values()
            for name, way in (("none", "dense"), ("causal", "is_causal"))
        ],
        ("a window or packed texts, one sequence of 512 tokens or more", "ours", "the tensor"): [
            tensor[n][name] for n in LENGTHS[1:] for name in cut
        ],
        ("a prefix or padding, one sequence of 2048 tokens or more", "ours", "the tensor"): [
            tensor[n][name] for n in LENGTHS[2:] for name in ("prefix", "padding")
        ],
        ("a prefix or padding, one sequence of 512 tokens", "ours", "the tensor"): [
            tensor[512][name] for name in ("prefix", "padding")
        ],
        ("a mask, and one sequence of 64 tokens", "either", "the tensor"): [
            brief()["64", name, "dense"] for name in MASKS[1:]
        ],
        ("a batch of texts of up to 128, a new mask for each call", "the tensor", "the tensor"): [
            batch(n, mask, "new") for n in (64, 128) for mask in BATCH_MASKS
        ],
        ("the same, one mask for many layers", "either", "the tensor"): [
            batch(n, mask, "again") for n in (64, 128) for mask in BATCH_MASKS
        ],
        ("a batch whose longest text has 256, one mask for many layers", "ours", "the tensor"): [
            batch(256, mask, "again") for mask in BATCH_MASKS
        ],
        ("the same, a new mask for each call", "measure", "the tensor"): [
            batch(256, mask, "new") for mask in BATCH_MASKS
        ],
        ("a batch whose longest text has 512", "ours", "the tensor"): [
            batch(512, mask, turn) for mask in BATCH_MASKS for turn in ("again", "new")
        ],
        (
            "few queries on many keys, under a window",
            "ours, or the keys cut by hand",
            "the tensor",
        ): [cells["window"]["ways"]["dense"]["ratio"] for cells in decoding.values()],
        ("one query, and heads that share keys", "ours", "the tensor"): [
            x["ways"]["dense"]["ratio"] for name, x in decoded.items() if "one query, gr" in name
        ],
        ("more queries, and heads that share keys", "ours", "the tensor"): [
            decoding[n]["grouped"]["ways"]["dense"]["ratio"] for n in QUERIES[1:]
        ],
        ("the same", "no copies", "copied keys"): [
            decoding[n]["grouped"]["ways"]["repeated"]["ratio"] for n in QUERIES[1:]
        ],
        ("a module without weights, not in training", "ours", "torch's module"): [
            x["ways"]["torch"]["ratio"] for x in both if not (x["weights"] or x["train"])
        ],
        ("a module without weights, in training", "ours", "torch's module"): [
            x["ways"]["torch"]["ratio"] for x in both if x["train"] and not x["weights"]
        ],
        (
            "a module, and the weights of each head, in training or not",
            "ours for one short text, else either",
            "torch's module",
        ): [x["ways"]["torch"]["ratio"] for x in both if x["weights"]],
        ("a compiler, time for it, and no gradients", "measure both", "FlexAttention"): flex,
    }
    early = "second, earlier"
    at = ["first, third", early, *3 * ["first"], "third", *5 * ["first"]]
    at += [early, "second", *5 * [early], "first; second, earlier"]
    lines = [
        [*said, where, span(found)] for (said, found), where in zip(rows.items(), at, strict=True)
    ]
    lines.append(["half precision on a CPU, or heads of another width", "measure", "–", "–", "–"])
    head = ["you have", "take", "beside ours", "machine", "times as long"]
    ruled = [head, ["---", "---", "---", "---", "---:"], *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in ruled) + f"\n\n{OF_ALL}"


def span(found: Iterable[float]) -> str:
    """The smallest and the largest ratio."""
    each = [*found]
    return f"{min(each):.2f} to {max(each):.2f}"


@pytest.mark.parametrize("make", [which])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")

"""The tables of chapter 22 that no block computes: they are those that the scripts wrote."""

import ast
import json
import re
from pathlib import Path

import pytest
import torch

from attention import Causal, Documents, PrefixLM, SlidingWindow
from attention.backends.spans import walk
from attention.blocks import plan

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/speed/benchmarks.md"
MASKS = ("none", "causal", "window", "documents", "documents at random", "prefix", "padding")
CUT = {"documents": "equal texts", "documents at random": "unequal texts"}
LENGTHS = (64, 512, 2048, 8192)
CALLS = {
    "is_causal": "torch, causal",
    "dense, window": "torch, window as a tensor",
    "auto, causal": "ours, causal",
    "auto, window": "ours, window",
    "auto, documents": "ours, unequal texts",
    "auto, prefix": "ours, prefix",
}
MODES = [(False, False), (False, True), (True, False), (True, True)]


def part(script: str, name: str) -> dict:
    return json.loads((ROOT / f"benchmarks/{script}.json").read_text("utf-8"))[name]


def source(script: str, name: str) -> str:
    where = part(script, name)
    assert where["threads"] == 2
    said = f"{where['machine']}, two threads, torch {where['torch']}, {where['date']}"
    return f"<!-- source: benchmarks/{script}.py: {said} -->"


def table(head: list[str], rows: list[list[str]], script: str, name: str) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\n{source(script, name)}"


def figures(number: float) -> str:
    """To three figures, without an exponent."""
    return f"{float(f'{number:.3g}'):g}"


def ms(cell: dict, way: str = "auto") -> str:
    return figures(cell["ways"][way]["ms"])


def ratio(cell: dict, way: str) -> str:
    return f"{cell['ways'][way]['ratio']:.2f}" if way in cell["ways"] else "–"


def forward(length: int) -> dict:
    return part("masks", "forward")["cells"][str(length)]


def rates() -> str:
    cells = part("masks", "forward")["cells"]
    head = [*(f"after {length} tokens" for length in cells), "among other programs"]
    busy = part("masks", "loaded")["cells"]["8192"]
    rates = [f"{c['product']:.1f}" for c in (*cells.values(), busy)]
    assert source("masks", "forward") == source("masks", "loaded")
    return table(head, [rates], "masks", "forward")


def same() -> str:
    """One kernel on both sides; but not under a causal mask of 512 tokens."""
    pairs = {"none": "dense", "causal": "is_causal"}
    rows = [
        [f"{name}, `is_causal`" if name == "causal" else name]
        + [
            "–" if (name, length) == ("causal", 512) else ratio(forward(length)[name], way)
            for length in LENGTHS
        ]
        for name, way in pairs.items()
    ]
    head = ["mask", *(f"{length} tokens" for length in LENGTHS)]
    return table(head, rows, "masks", "forward")


def long() -> str:
    rows = [
        [
            CUT.get(name, name),
            f"{100 * cell['share']:.1f} %",
            ms(cell),
            ratio(cell, "dense"),
            ratio(cell, "flex"),
        ]
        for name, cell in ((name, forward(8192)[name]) for name in MASKS)
    ]
    return table(["mask", "heard", "ours, ms", "tensor", "FlexAttention"], rows, "masks", "forward")


def middle() -> str:
    both = part("masks", "backward")["cells"]["2048"]
    rows = [
        [CUT.get(name, name), ms(cell)]
        + [ratio(cell, way) for way in ("dense", "flex", "formula")]
        + [ratio(both[name], "dense")]
        for name, cell in ((name, forward(2048)[name]) for name in MASKS)
    ]
    head = ["mask", "ours, ms", "tensor", "Flex", "formula", "training"]
    assert source("masks", "forward") == source("masks", "backward")
    return table(head, rows, "masks", "forward")


def short() -> str:
    few, more = forward(64), forward(512)
    rows = [
        [CUT.get(name, name), ms(few[name])]
        + [ratio(cell[name], way) for cell in (few, more) for way in ("dense", "formula")]
        for name in MASKS
    ]
    head = ["mask", "64: ours, ms", "64: tensor", "64: formula", "512: tensor", "512: formula"]
    return table(head, rows, "masks", "forward")


def asked(queries: int) -> dict[str, dict]:
    """The cells of decoding with so many queries, by what they attend to."""
    cells = part("decode", "decode")["cells"]
    if queries > 1:
        kinds = ("causal", "window", "grouped", "four requests")
        return {kind: cells[f"{queries} queries, {kind}"] for kind in kinds}
    return {
        "causal": cells["one query"],
        "window": cells["one query, window"],
        "grouped": cells["one query, grouped heads"],
        "four requests": cells["four requests"],
    }


def decode() -> str:
    rows = []
    for queries in (1, 4, 16, 128, 512):
        cells = asked(queries)
        shown = [ratio(cell, "dense") for cell in cells.values()]
        rows.append([str(queries), *shown, ratio(cells["grouped"], "repeated")])
    head = ["queries", "causal", "window", "grouped", "requests", "copied"]
    return table(head, rows, "decode", "decode")


def modules() -> str:
    rows: dict[str, dict] = {}
    for cell in part("modules", "modules")["cells"]["all"]:
        size = ", ".join(str(cell[name]) for name in ("batch", "tokens", "embed_dim"))
        rows.setdefault(size, {})[cell["train"], cell["weights"]] = cell
    shown = [
        [size, ms(each[False, False], "ours")] + [ratio(each[mode], "torch") for mode in MODES]
        for size, each in rows.items()
    ]
    head = ["input", "ours, ms", "plain", "weights", "training", "both"]
    return table(head, shown, "modules", "modules")


def memory() -> str:
    cells = part("memory", "memory")["cells"]
    rows = [
        [CALLS[name], *(figures(cells[name][n][k]) for k in (0, 1) for n in ("2048", "8192"))]
        for name in CALLS
    ]
    head = ["MiB", "2048", "8192", "2048, training", "8192, training"]
    return table(head, rows, "memory", "memory")


def loaded() -> str:
    busy = part("masks", "loaded")["cells"]["8192"]
    rows = [
        [
            CUT.get(name, name),
            ms(forward(8192)[name]),
            ms(busy[name]),
            ratio(forward(8192)[name], "dense"),
            ratio(busy[name], "dense"),
        ]
        for name in MASKS
    ]
    head = ["mask", "ours, ms", "under load, ms", "tensor", "under load"]
    return table(head, rows, "masks", "loaded")


TABLES = [rates, same, long, middle, short, decode, modules, memory, loaded]


@pytest.mark.parametrize("make", TABLES)
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def typed(name: str) -> object:
    """What a block of the page sets a name to."""
    for node in ast.walk(ast.parse("\n".join(blocks()))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    raise AssertionError(name)


def blocks() -> list[str]:
    return re.findall(r"^```python[^\n]*\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def bars() -> dict:
    names = {"dense": "tensor", "flex": "FlexAttention"}
    return {
        CUT.get(mask, mask): {
            names[way]: forward(8192)[mask]["ways"][way]["ratio"]
            for way in names
            if way in forward(8192)[mask]["ways"]
        }
        for mask in MASKS
    }


def ceiling() -> dict:
    cells = [(name, forward(8192)[name]) for name in MASKS]
    return {CUT.get(n, n): (each["share"], each["ways"]["auto"]["ms"]) for n, each in cells}


def ratios(length: int, way: str) -> dict[str, float]:
    cells = {name: forward(length)[name]["ways"] for name in MASKS}
    return {name: each[way]["ratio"] for name, each in cells.items() if way in each}


def test_what_the_page_says_of_forward_holds() -> None:
    same = [ratios(n, "dense")["none"] for n in LENGTHS]
    same += [ratios(n, "is_causal")["causal"] for n in LENGTHS if n != 512]
    assert (min(same), max(same)) == (0.92, 1.05)
    assert 1.0 not in same
    assert sum(abs(ratio - 1) < 0.025 for ratio in same) == 4
    tenths = [forward(64)[name]["ways"]["auto"]["ms"] for name in ("none", "causal")]
    assert 0.08 < min(tenths) < max(tenths) < 0.13  # about a tenth of a millisecond
    shares = {n: 256 * s * 8 * 8192**2 / t / 1e6 for n, (s, t) in ceiling().items()}
    assert 0.82 < shares["none"] / forward(8192)["product"] < 0.85  # five sixths
    hidden = MASKS[1:]  # ahead under all of them, at 2048 tokens and more
    assert all(ratios(n, "dense")[name] > 1.5 for n in (2048, 8192) for name in hidden)
    for length in (2048, 8192):
        flex = ratios(length, "flex")
        assert len(flex) == 4
        assert min(flex.values()) > 1.05  # ahead
    assert min(flex, key=flex.__getitem__) == "documents"  # the shortest of the bars
    both = part("masks", "backward")["cells"]["2048"]
    assert all(both[name]["ways"]["dense"]["ratio"] > 1.6 for name in hidden)
    assert min(ratios(2048, "formula").values()) == 3.3
    few = ratios(64, "dense")
    assert [name for name in MASKS if few[name] < 0.95] == ["none"]  # behind
    assert few["none"] == 0.94
    assert [name for name in MASKS if few[name] > 1.05] == ["causal"]
    assert few["causal"] == 1.06  # just ahead
    formula = ratios(64, "formula")
    assert (min(formula.values()), max(formula.values())) == (1.12, 1.71)
    assert (formula["none"], formula["padding"]) == (1.12, 1.71)
    more = ratios(512, "dense")
    equal = {"none", "prefix"}
    assert all((more[name] > 1.05) == (name not in equal) for name in MASKS)
    assert all(0.95 <= more[name] <= 1.05 for name in equal)


def test_what_the_page_says_of_a_busy_machine_holds() -> None:
    alone, busy = (part("masks", name)["cells"]["8192"] for name in ("forward", "loaded"))
    longer = {n: busy[n]["ways"]["auto"]["ms"] / alone[n]["ways"]["auto"]["ms"] for n in MASKS}
    assert max(longer, key=longer.__getitem__) == "window"
    tensor = {n: busy[n]["ways"]["dense"]["ratio"] for n in MASKS}
    assert 0.5 < tensor["window"] / ratios(8192, "dense")["window"] < 0.6  # of the gain
    assert all(tensor[n] > 1.5 for n in MASKS[1:])


def test_a_mask_is_cut_into_as_many_calls_as_the_page_says() -> None:
    place = torch.arange(8192)
    cuts = torch.randperm(8192, generator=torch.Generator().manual_seed(0))[:7, None]
    calls = []
    for mask in (  # in the order of the page
        Causal() & SlidingWindow(256),
        Causal() & Documents((place >= cuts).sum(dim=0)[None]),
        Causal() & Documents((place * 8 // 8192)[None]),
        PrefixLM(2048),
    ):
        made = plan(mask, 8192, 8192)
        assert made is not None
        calls.append(str(len(list(walk(made, 8)))))
    said = r"(\d+)<!-- source: the plan of the mask -->"
    assert re.findall(said, PAGE.read_text("utf-8")) == calls


def test_what_the_page_says_of_decoding_holds() -> None:
    found = {n: asked(n) for n in (1, 4, 16, 128, 512)}
    dense = {
        (n, kind): cell["ways"]["dense"]["ratio"]
        for n, cells in found.items()
        for kind, cell in cells.items()
    }
    ahead = ("window", "grouped", "four requests")
    ahead_not = {key for key, r in dense.items() if key[1] in ahead and r <= 1.05}
    assert ahead_not == {(16, "grouped")}
    assert all(dense[n, "causal"] > 1.05 for n in (128, 512))
    equal = [(n, "causal") for n in (1, 4, 16)] + [(16, "grouped")]
    assert all(0.95 <= dense[key] <= 1.05 for key in equal)


def test_what_the_page_says_of_modules_and_memory_holds() -> None:
    cells = part("modules", "modules")["cells"]["all"]
    ratios = {
        mode: [x["ways"]["torch"]["ratio"] for x in cells if (x["train"], x["weights"]) == mode]
        for mode in MODES
    }
    ahead = {mode: [n for n, r in enumerate(each) if r > 1.05] for mode, each in ratios.items()}
    assert ahead == {
        MODES[0]: [0, 1, 2, 3, 4],
        MODES[1]: [0, 1],
        MODES[2]: [0, 1, 2],
        MODES[3]: [3],
    }
    assert min(ratio for each in ratios.values() for ratio in each) >= 0.95  # behind in no cell
    assert max(ratios[False, False]) == ratios[False, False][4]
    memory = part("memory", "memory")["cells"]
    tensor, causal = memory["dense, window"], memory["is_causal"]
    assert 64 + 256 < tensor["8192"][0] < 64 + 256 + 40
    assert memory["to_tensor, window"]["8192"][0] == 1090
    for name in ("window", "documents", "prefix"):
        ours = memory[f"auto, {name}"]
        assert ours["8192"][0] < 50
        assert 3 < ours["8192"][1] / ours["2048"][1] < 5
        assert 1.15 < ours["8192"][1] / causal["8192"][1] < 2.2


def test_the_numbers_that_blocks_hold_are_those_measured() -> None:
    assert typed("ratios") == bars()
    assert typed("found") == ceiling()
    assert typed("product") == forward(8192)["product"]


def said() -> list[str]:
    """The numbers of the sentences that no block computes, each with its source."""
    all_ = part("modules", "modules")["cells"]["all"]
    cells = {(c["batch"], c["tokens"], c["train"], c["weights"]): c for c in all_}
    busy, parts = part("masks", "loaded")["cells"]["8192"], part("memory", "memory")["cells"]

    none = forward(64)["none"]["ways"]

    def longer(name: str) -> str:
        found = [cells[name]["ways"]["auto"]["ms"] for cells in (busy, forward(8192))]
        return f"{found[0] / found[1]:.2f}"

    shown = [
        (ratio(forward(64)["causal"], "is_causal"), "masks.json, causal at 64 tokens"),
        (ratio(forward(2048)["none"], "dense"), "masks.json, none at 2048 tokens"),
        (ms(forward(8192)["none"]), "masks.json, none at 8192 tokens"),
        (ratio(forward(2048)["none"], "formula"), "masks.json, none at 2048 tokens"),
        (ratio(forward(2048)["none"], "eager"), "masks.json, eager, none at 2048 tokens"),
        (
            f"{1e3 * (none['auto']['ms'] - none['dense']['ms']):.0f}",
            "masks.json, none at 64 tokens, ours less the tensor",
        ),
        *(
            (ratio(forward(64)[name], "formula"), f"masks.json, {name} at 64 tokens")
            for name in ("none", "padding")
        ),
        (ratio(asked(1)["grouped"], "repeated"), "decode.json, one query, grouped heads"),
        (ratio(busy["window"], "dense"), "masks.json, window at 8192 tokens, loaded"),
        *(
            (longer(name), f"masks.json, {name} at 8192 tokens, loaded and forward")
            for name in ("none", "window", "documents at random", "documents", "prefix")
        ),
        (ms(cells[1, 16, False, False], "ours"), "modules.json, 16 tokens"),
        (ratio(cells[1, 16, False, False], "torch"), "modules.json, 16 tokens, beside torch"),
        (
            ratio(cells[1, 2048, False, False], "torch"),
            "modules.json, 2048 tokens, without weights",
        ),
        (ms(cells[1, 2048, False, False], "torch"), "modules.json, torch, 2048 tokens"),
        (ms(cells[1, 2048, False, True], "torch"), "modules.json, torch, 2048 tokens with weights"),
        *(
            (figures(parts[name]["8192"][at]), f"memory.json, {name}, 8192 tokens")
            for name, at in (("auto, window", 1), ("to_tensor, window", 0))
        ),
        (
            f"{parts['auto, window']['8192'][1] / parts['is_causal']['8192'][1]:.2f}",
            "memory.json, window beside causal, 8192 tokens",
        ),
    ]
    return [f"{number}<!-- source: benchmarks/{source} -->" for number, source in shown]


def test_the_sentences_show_what_was_measured() -> None:
    pattern = r"[\d.]+<!-- source: benchmarks/\w+\.json, [^\n]*?-->"
    assert re.findall(pattern, PAGE.read_text("utf-8")) == said()

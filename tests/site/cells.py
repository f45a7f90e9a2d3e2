"""The results of the benchmarks, and how the book prints them."""

import json

from pages import ROOT

MASKS = ("none", "causal", "window", "documents", "documents at random", "prefix", "padding")
CUT = {"documents": "equal texts", "documents at random": "unequal texts"}
LENGTHS = (64, 512, 2048, 8192)
BATCHES = (64, 128, 256, 512)
BATCH_MASKS = {
    "padding": "padded",
    "causal and padding": "padded, causal",
    "padding on the left": "left, causal",
    "four texts": "four texts",
}
QUERIES = (1, 4, 16, 128, 512)
LOW, HIGH = 0.95, 1.05  # between them is equal
PERHAPS = 1.2  # up to there, for whichever takes longer


def parts(script: str) -> dict[str, dict]:
    """What a script measured, by the name of its run."""
    return json.loads((ROOT / f"benchmarks/{script}.json").read_text("utf-8"))


def part(script: str, name: str) -> dict:
    return parts(script)[name]


def source(script: str, name: str) -> str:
    """The comment below its table."""
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


def marked(times: float) -> str:
    """A ratio as a table prints it: bold is ahead or behind, italic perhaps, plain equal."""
    if not 1 / PERHAPS <= times <= PERHAPS:
        return f"**{times:.2f}**"
    return f"{times:.2f}" if LOW <= times <= HIGH else f"*{times:.2f}*"


def compared(cell: dict, way: str) -> str:
    """Another way beside ours, marked; a dash where it was not measured."""
    return marked(cell["ways"][way]["ratio"]) if way in cell["ways"] else "–"


def forward(length: int) -> dict:
    """The cells of one text of so many tokens, by its mask."""
    return part("masks", "forward")["cells"][str(length)]


def ratios(length: int, way: str) -> dict[str, float]:
    """How many times as long as ours that way takes, by mask."""
    cells = {name: forward(length)[name]["ways"] for name in MASKS}
    return {name: each[way]["ratio"] for name, each in cells.items() if way in each}


def brief() -> dict[tuple[str, str, str], float]:
    """The ratios of one short text: of each length, mask and way of torch's."""
    cells = part("masks", "short")["cells"]
    return {
        (n, name, way): cells[n][name][way]["ratio"]
        for n in cells
        for name in MASKS
        for way in cells[n][name]
        if way != "auto"
    }


def asked(queries: int) -> dict[str, dict]:
    """The cells of decoding with so many queries, by what they attend to.

    Of many queries, as `auto` has computed them since it takes `onednn`.
    """
    cells = part("decode", "later" if queries >= 128 else "decode")["cells"]
    if queries > 1:
        kinds = ("causal", "window", "grouped", "four requests")
        return {kind: cells[f"{queries} queries, {kind}"] for kind in kinds}
    return {
        "causal": cells["one query"],
        "window": cells["one query, window"],
        "grouped": cells["one query, grouped heads"],
        "four requests": cells["four requests"],
    }


def batch(length: int, mask: str, turn: str, run: str = "batches") -> float:
    """How many times as long the tensor takes for a batch, its mask new or there again."""
    return part("masks", run)["cells"][str(length)][f"{mask}, {turn}"]["dense"]["ratio"]


def beside(name: str, what: str, way: str = "dense") -> float:
    """A cell of 2048 tokens in the second run, beside the first."""
    first, second = (part("masks", run)["cells"]["2048"][name] for run in ("forward", "again"))
    return second["ways"][way][what] / first["ways"][way][what]


def moves() -> dict[str, float]:
    """What part of itself each ratio to the tensor differs by in the second run."""
    return {name: abs(beside(name, "ratio") - 1) for name in MASKS}

"""The tables of chapter 20 that no block computes: what `benchmarks/gpu.py` measured."""

import itertools
import json
import re
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from gpu_clock import SAMPLES
from pages import ROOT
from pages import says as page_says

from attention.backends.triton import hopper_backward, hopper_kernel
from attention.backends.triton.configs import DECODE, splits
from attention.backends.triton.hopper import CONFIGS, LEAST

KEPT = json.loads((ROOT / "benchmarks/gpu.json").read_text("utf-8"))
PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
says = partial(page_says, "speed/a-gpu-kernel.md")
WAYS = {
    "portable": "forward", "hopper": "for Hopper", "cudnn": "cuDNN",
    "flash 2": "FlashAttention 2", "flash 4": "FlashAttention 4", "flex": "FlexAttention",
}  # fmt: skip
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
LONG = LENGTHS[1:]
OF = {"full": "none", "causal": "causal"}
ENDS = ("least", "most")
KEYS = (1024, 4096, 16384, 131072)
WINDOWS = (2048, 8192, 16384)
WINDOW = "16/16 heads of 128, window of 256, backward"


def cell(part: str, name: str) -> dict[str, dict]:
    """The ways of a shape; `triton` is our kernel for Hopper where it takes that, else portable."""
    ways = KEPT[part]["cells"]["shapes"][name]
    if part == "forward":
        ways = ways | {"flex": KEPT["forward, flex"]["cells"]["shapes"][name]["flex"]}
    if part not in ("forward", "backward"):
        return ways
    return ways | {({"hopper", "portable"} - {*ways}).pop(): ways["triton"]}


def square(part: str, n: int, width: int, mask: str) -> dict[str, dict]:
    heads = 2048 // width
    return cell(part, f"{2**14 // n} × {n} × {n}, {heads}/{heads} heads of {width}, {mask}, {part}")


def source(part: str) -> str:
    """Versions are those of every part."""
    found = {
        f"{kept['gpu']['name']}, bfloat16, torch {kept['torch']}, triton {kept['triton']}, "
        f"cuDNN {kept['cudnn']}, "
        for kept in KEPT.values()
    }
    assert len(found) == 1
    return f"<!-- source: benchmarks/gpu.py: {found.pop()}{KEPT[part]['date']} -->"


def table(part: str, head: list[str], rows: list[list[str]], texts: int = 1) -> str:
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\n{source(part)}"


def rate(way: dict) -> str:
    return f"{way['tflops']:.0f}"


def rates(part: str, width: int, ways: tuple[str, ...], names: dict[str, str]) -> str:
    rows = [
        [said, str(n), *(rate(square(part, n, width, mask)[way]) for way in ways)]
        for mask, said in OF.items()
        for n in LENGTHS
    ]
    return table(part, ["mask", "tokens", *(names[way] for way in ways)], rows)


def forward(width: int) -> str:
    return rates("forward", width, tuple(WAYS), WAYS)


def backward() -> str:
    ways = tuple(WAYS)[:-1]
    return rates("backward", 128, ways, WAYS | {"portable": "portable"})


def sparing() -> str:
    rows = []
    for name, ways in KEPT["sparing"]["cells"]["shapes"].items():
        if "backward" in name:
            continue
        queries, keys = re.findall(r"× (\d+)", name)
        flash = ways.get("flash 2, window") or ways["flash 2, last"]
        what = "window of 256" if "window" in name else "causal"
        others = (flash, ways["flex"], ways["cudnn, tensor"])
        times = [f"{ways['triton']['ms']:#.3g}", *(f"{way['ratio']:.2f}" for way in others)]
        rows.append([what, queries, keys, *times])
    head = ["mask", "queries", "keys", "ours, ms"]
    return table("sparing", [*head, "FlashAttention 2", "FlexAttention", "torch, tensor"], rows)


def decode() -> str:
    rows = []
    for batch in (1, 16, 64):
        for keys in KEYS:
            ways = cell("decode", f"{batch} × 1 × {keys}, 64/8 heads of 128, full, forward")
            ours = ways["triton"]
            others = [f"{ways[way]['ratio']:.2f}" for way in ("cudnn", "flash 2")]
            rows.append(
                [str(batch), str(keys), f"{ours['ms']:#.3g}", f"{ours['gbs']:.0f}", *others]
            )
    head = ["texts", "keys", "ours, ms", "ours, GB/s", "cuDNN", "FlashAttention 2"]
    return table("decode", head, rows, 0)


def shares(part: str, least: int) -> str:
    """What part of the others' rates the kernels for Hopper reach, with so many tokens or more."""
    lines = ["| width | mask | of cuDNN's | of FlashAttention 4's |"]
    lines += ["| ---: | --- | ---: | ---: |"]
    for width, (mask, said) in itertools.product((128, 64), OF.items()):
        found = [
            [beside(square(part, n, width, mask), "hopper", way) for n in LENGTHS if n >= least]
            for way in ("cudnn", "flash 4")
        ]
        ends = " | ".join(f"{min(each):.2f} to {max(each):.2f}" for each in found)
        lines.append(f"| {width} | {said} | {ends} |")
    return "\n".join(lines) + f"\n\n<!-- source: benchmarks/gpu.json: {part} -->"


def ceilings(part: str, name: str) -> list[float]:
    return [top[name] for top in KEPT[part]["cells"]["ceilings"]]


def decoding(texts: int, keys: int) -> dict[str, dict[str, float]]:
    return cell("decode", f"{texts} × 1 × {keys}, 64/8 heads of 128, full, forward")


def of_one_text() -> dict[int, float]:
    """How many times as long cuDNN takes, by the keys of one text."""
    return {n: decoding(1, n)["cudnn"]["ratio"] for n in (2**i for i in range(10, 18))}


def shown() -> dict[str, str]:
    """Every sourced number in the prose, by what its comment says."""
    full = square("forward", 8192, 128, "full")
    products = ceilings("forward", "tflops")
    copies = [x for part in KEPT for x in ceilings(part, "gbs")]
    last, short = decoding(64, 131072), decoding(1, 1024)
    few = square("forward", 1024, 64, "causal")
    long = [decoding(64, n)["flash 2"]["ratio"] for n in KEYS]
    slowest = min(ceilings("backward", "tflops"))
    ranges = {
        "{} of cuDNN's rate, backward, portable": [
            beside(square("backward", n, 128, mask), "portable", "cudnn")
            for mask in OF for n in LONG
        ],
        "seven products beside one alone, {}": [
            7 / 5 * square("backward", n, 128, "full")["hopper"]["tflops"] / slowest
            for n in LONG[1:]
        ],
    }  # fmt: skip
    grouped = [
        ways
        for name, ways in KEPT["grouped"]["cells"]["shapes"].items()
        if "1 × 2048 ×" not in name
    ]
    assert len(grouped) == 8
    ranges["grouped heads, {}"] = [ways["cudnn"]["ratio"] for ways in grouped]
    ranges["grouped heads, {} of FlashAttention 4"] = [ways["flash 4"]["ratio"] for ways in grouped]
    for way, said in (("flash 2, window", "FlashAttention 2"), ("flex", "FlexAttention")):
        ranges[f"window, backward, {said}, {{}}"] = [
            cell("sparing", f"1 × {n} × {n}, {WINDOW}")[way]["ratio"] for n in WINDOWS
        ]
    one = of_one_text()
    behind = [n for n, ratio in one.items() if ratio < 0.99]
    return {
        "one text, ahead up to": f"{max(n for n in one if n < min(behind))}",
        "one text, behind from": f"{min(behind)}",
        "one text, behind up to": f"{max(behind)}",
        **{
            name.format(end): f"{pick(numbers):.2f}"
            for name, numbers in ranges.items()
            for end, pick in zip(ENDS, (min, max), strict=True)
        },
        "cuDNN, backward, 4096 tokens, no mask": rate(
            square("backward", 4096, 128, "full")["cudnn"]
        ),
        "slowest product, backward": f"{slowest:.0f}",
        "slowest product": f"{min(products):.0f}",
        "fastest product": f"{max(products):.0f}",
        "slowest copy": f"{min(copies):,.0f}",
        "fastest copy": f"{max(copies):,.0f}",
        "forward, 8192 tokens, no mask": rate(full["portable"]),
        "cuDNN, 8192 tokens, no mask": rate(full["cudnn"]),
        "forward beside the fastest product": f"{full['portable']['tflops'] / max(products):.2f}",
        "forward beside the slowest product": f"{full['portable']['tflops'] / min(products):.2f}",
        "64 texts, FlashAttention 2, most": f"{max(long):.2f}",
        "64 texts of 131072 keys, GB/s": f"{last['triton']['gbs']:,.0f}",
        "bytes of the first row at the rate of the last": (
            f"{short['triton']['gbs'] / last['triton']['gbs']:.2f}"
        ),
        "one text of 1024 keys, ms": f"{short['triton']['ms']:#.3g}",
        "one text of 1024 keys, cuDNN, ms": f"{short['cudnn']['ms']:#.3g}",
        "width 64, 1024 tokens, causal": f"{beside(few, 'hopper', 'cudnn'):.2f}",
    }


def beside(ways: dict[str, dict], one: str, other: str) -> float:
    """The rate of one, of that of another."""
    return ways[one]["tflops"] / ways[other]["tflops"]


def test_the_tables_are_those_of_the_script() -> None:
    page = PAGE.read_text("utf-8")
    derived = shares("forward", 2048), shares("backward", 1024)
    for text in (forward(128), backward(), sparing(), decode(), *derived):
        assert page.count(text) == 1, text
    assert page.count("<!-- source: benchmarks/gpu.py:") == 4


def test_every_measured_number_is_the_one_of_the_script() -> None:
    page = PAGE.read_text("utf-8")
    found = re.findall(r"([\d.,]+)<!-- source: benchmarks/gpu\.json, ([^\n]*?) -->", page)
    known = shown()
    assert {said for _, said in found} == set(known)
    for number, said in found:
        assert number == known[said], said


@pytest.mark.parametrize("words", [
    "Here and on the way back a text has 16 heads, 128 wide, or 32 heads, 64 wide, and all texts "
    "together have 16,384 ",
    "in each of three rounds. (There are two rounds for the texts of grouped heads beside cuDNN "
    "and for FlexAttention in the next table, which had a run of its own, beside ours alone.)",
    "Its rate as a part of theirs, from 2048 tokens on:",
    "Those for Hopper, as a part of the others' rates, from 1024 tokens on:",
    "With 64 heads of queries on 8 of keys, from 4096 to 32768 tokens, ours reaches",
    "Of 1024 tokens under the causal mask it computes half as much again as is counted: whole "
    "tiles, and rows past the end. There it reaches 0.60 times cuDNN's rate.",
    "Here is one text, with heads 128 wide. Under the window it has 16 heads; in the causal rows "
    "64, eight to a head of keys.",
    "Here are 64 query heads, 128 wide, eight to a head of keys",
    "with 64 queries each: two groups at width 128, three at width 64",
    "with 3, two tiles, and with 1 none",
])  # fmt: skip
def test_the_page_says(words: str) -> None:
    """What the tests here and those of the kernels hold, in these words."""
    page = re.sub(r"<!--.*?-->", "", PAGE.read_text("utf-8"))
    assert page.count(words) == 1


def test_the_groups_of_warps_are_those_of_the_table() -> None:
    assert {width: config.consumers for width, config in CONFIGS.items()} == {64: 3, 128: 2}


def test_below_how_many_tokens_the_portable_kernel_is_taken() -> None:
    name = r"([\d.,]+)<!-- source: attention\.backends\.triton\.hopper\.LEAST, (\w+) -->"
    least = LEAST[64]._asdict()
    assert re.findall(name, PAGE.read_text("utf-8")) == [(str(n), k) for k, n in least.items()]


def test_the_median_is_of_so_many_calls() -> None:
    name = "takes the median of {}<!-- source: benchmarks/gpu_clock.py, SAMPLES --> calls,"
    assert name.format(SAMPLES) in PAGE.read_text("utf-8")


def test_the_versions_of_the_prose_are_those_of_the_script() -> None:
    kept = KEPT["forward"]
    says(f"(We took version {kept['flash-attn-4']}.)", kept["flash-attn-4"] == "4.0.0b36")
    cudnn = int(kept["cudnn"])
    major, minor, patch = cudnn // 10000, cudnn % 10000 // 100, cudnn % 100
    date = datetime.fromisoformat(kept["date"])
    assert (
        f"on {date.day} {date:%B %Y} on an {kept['gpu']['name']}, an H100 with more and faster "
        f"memory, in bfloat16, with torch {kept['torch']}, cuDNN {major}.{minor}.{patch} "
        f"and Triton {kept['triton']} "
    ) in PAGE.read_text("utf-8")


def test_what_the_page_says_of_the_tables_holds() -> None:
    there = {
        part: {(n, mask): square(part, n, 128, mask) for n in LENGTHS for mask in OF}
        for part in ("forward", "backward")
    }
    took = {at: {way: x["ms"] for way, x in ways.items()} for at, ways in there["forward"].items()}
    says("`forward` is ahead of FlashAttention 2 in every row, and without a mask within a tenth "
         "of FlexAttention; under the causal mask it is ahead of it in every row, though the two "
         "were not timed in the same rounds. It is behind cuDNN in every row.",
         all(ms["cudnn"] < ms["portable"] < ms["flash 2"] for ms in took.values())
         and all(0.9 < took[n, "full"]["portable"] / took[n, "full"]["flex"] < 1.1
                 for n in LENGTHS)
         and all(took[n, "causal"]["portable"] < took[n, "causal"]["flex"]
                 for n in LENGTHS))  # fmt: skip
    first = {at: min(ms, key=ms.__getitem__) for at, ms in took.items()}
    says(
        "From 2048 tokens on FlashAttention 4 is the fastest, and cuDNN in shorter texts.",
        all(way == ("flash 4" if n >= 2048 else "cudnn") for (n, _), way in first.items()),
    )
    ahead = {at: ways["cudnn"]["ratio"] for at, ways in there["forward"].items()}
    says("In texts of 512 and 1024 tokens this kernel is behind cuDNN.",
         max(x for (n, _), x in ahead.items() if n <= 1024) < 1)  # fmt: skip
    least, most = (shown()[f"{end} of cuDNN's rate, backward, portable"] for end in ENDS)
    says(f"From 1024 tokens on they reach {least} to {most} of cuDNN's rate, with five sevenths in "
         "between.",
         float(least) < 5 / 7 < float(most))  # fmt: skip
    back = {(n, width): beside(square("backward", n, width, "causal"), "hopper", "cudnn")
            for n in LENGTHS for width in (64, 128)}  # fmt: skip
    wide = [square("forward", n, 64, "full")["cudnn"]["ratio"] for n in LENGTHS if n >= 2048]
    causal = [ahead[n, "causal"] for n in LENGTHS if n >= 2048]
    says("In long texts our forward is faster, by up to about a tenth under the causal mask and at "
         "width 64 without one. Under the causal mask so are the gradients for Hopper, but for the "
         "longest texts.",
         min(*wide, *causal) > 1 and {round(10 * max(each)) for each in (wide, causal)} == {11}
         and all((x > 1) == (at[0] < 16384) for at, x in back.items()))  # fmt: skip
    says("In texts of 512 tokens, at width 128, these kernels are the fastest of all.",
         all(ways["hopper"]["ms"] == min(way["ms"] for way in ways.values())
             for (n, _), ways in there["backward"].items() if n == 512))  # fmt: skip
    full = there["forward"][8192, "full"]
    tenths = round(10 * full["portable"]["tflops"] / full["cudnn"]["tflops"])
    says("494: seven tenths of cuDNN's rate.", tenths == 7)
    made = {at: 7 / 5 * ways["hopper"]["tflops"] for at, ways in there["backward"].items()}
    says(
        "In no other row of that table is our rate higher.",
        max(made, key=made.__getitem__) == (4096, "full"),
    )
    for part, words in (
        ("forward", "FlashAttention 4 is ahead of it in every row."),
        ("backward", "FlashAttention 4 makes five products, and from 1024 tokens on it is ahead."),
    ):
        pairs = [(square(part, n, width, mask), n) for width in (64, 128) for mask in OF
                 for n in LENGTHS]  # fmt: skip
        says(
            words,
            all(
                beside(ways, "hopper", "flash 4") < 1
                for ways, n in pairs
                if n >= (2048 if part == "forward" else 1024)
            ),
        )
    level = [ahead[n, "full"] for n in LENGTHS if n >= 2048]
    causal_64 = [beside(square("forward", n, 64, "causal"), "hopper", "cudnn") for n in LENGTHS]
    says(
        "Without a mask it is about level with cuDNN at width 128, and in long texts ahead under "
        "the causal mask and at width 64.",
        0.97 < min(level) <= max(level) < 1.03 and min(*causal, *wide, *causal_64[-2:]) > 1,
    )
    others = [
        x["ratio"]
        for name, ways in KEPT["sparing"]["cells"]["shapes"].items()
        for way, x in ways.items()
        if "forward" in name and way != "triton"
    ]
    says("Ours is ahead of all three others.", min(others) > 1)
    decoded = {
        (batch, keys): decoding(batch, keys) for batch in (1, 16, 64) for keys in KEYS
    }  # fmt: skip
    beyond = {at: ways["cudnn"]["ratio"] for at, ways in decoded.items()}
    one = of_one_text()
    says(
        "With one text and up to 4096 keys ours is ahead of cuDNN. From 8192 to 65536 keys it is "
        "a little behind.",
        all(x > 1 if n <= 4096 else 0.94 < x < 0.99 for n, x in one.items() if n < 131072),
    )
    says("With 16 texts it is behind, most of "
         "all with 1024 keys. Two programs share the keys of a head there; perhaps it is the "
         "second kernel. With 64 texts there is none, and next to no loss.",
         max(beyond[16, keys] for keys in KEYS) < 1
         and beyond[16, 1024] == min(beyond[16, keys] for keys in KEYS)
         and splits(16 * 8, 1024 // DECODE.hopper[128].columns) == 2
         and splits(64 * 8, 1024 // DECODE.hopper[128].columns) == 1
         and min(beyond[64, keys] for keys in KEYS) > 0.97)  # fmt: skip
    says("With 131072 keys ours and cuDNN's take the same time: bytes are all that counts.",
         all(abs(beyond[batch, KEYS[-1]] - 1) < 0.02 for batch in (1, 16, 64)))  # fmt: skip


def test_the_products_of_the_block_are_those_of_the_table() -> None:
    ways = square("backward", 4096, 128, "full")
    ours, cudnn = rate(ways["hopper"]), rate(ways["cudnn"])
    alone = min(ceilings("backward", "tflops"))
    lines = f"ours, cudnn = {ours}, {cudnn}  # TFLOP/s, of five products each\n"
    lines += f"alone = {alone:.0f}  # a product alone, at its slowest\n"
    assert PAGE.read_text("utf-8").count(lines) == 1


def test_the_gradients_for_hopper_are_taken_where_they_were_faster() -> None:
    name = r"([\d.,]+)<!-- source: attention\.backends\.triton\.hopper_backward\.LEAST -->"
    least = hopper_backward.LEAST._asdict()
    found = re.findall(name, PAGE.read_text("utf-8"))
    assert found == [*dict.fromkeys(map(str, least.values()))]  # one, while they are the same
    for width, mask, n in itertools.product((64, 128), OF, LENGTHS):
        ways = square("backward", n, width, mask)
        faster = ways["hopper"]["ms"] <= ways["portable"]["ms"]
        assert faster == (n >= least[mask]), (width, mask, n)


def test_the_lines_of_the_figure_are_those_of_the_table() -> None:
    block = re.search(r"^lengths = .*?^}$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert block
    drawn: dict = {}
    exec(block[0], drawn)
    assert drawn["lengths"] == [*LENGTHS]
    names = {said: way for way, said in WAYS.items() if way != "flex"}
    measured = [square("forward", n, 128, "causal") for n in LENGTHS]
    assert drawn["rates"] == {
        said: [round(ways[way]["tflops"]) for ways in measured] for said, way in names.items()
    }
    ahead = [beside(ways, "hopper", "cudnn") > 1 for ways in measured]
    behind = [beside(ways, "hopper", "flash 4") for ways in measured]
    says(
        "From 2048 tokens on the kernel for Hopper is ahead of cuDNN, and a little behind "
        "FlashAttention 4.",
        ahead == [n >= 2048 for n in LENGTHS] and 0.95 < min(behind) <= max(behind) < 1,
    )
    says(
        "The kernel for Hopper runs close below FlashAttention 4. Both begin below cuDNN and are "
        "above it from the third point on. `forward` is well below these three, and FlashAttention "
        "2 is lowest.",
        all(
            (ways["cudnn"]["tflops"] < ways["flash 4"]["tflops"]) == (n >= LENGTHS[2])
            and max(
                ways["portable"]["tflops"] / ways[way]["tflops"]
                for way in ("hopper", "cudnn", "flash 4")
            )
            < 0.8
            and ways["flash 2"]["tflops"] == min(way["tflops"] for way in ways.values())
            for n, ways in zip(LENGTHS, measured, strict=True)
        ),
    )


def test_the_rates_of_the_paper_are_those_of_the_block() -> None:
    page = PAGE.read_text("utf-8")
    products, powers = re.findall(r"([\d.]+)<!-- source: Shah et al\. 2024, section 3", page)
    assert (products, powers) == ("989", "3.9")  # TFLOP/s, section 3.1
    assert f"products = 4 * 128 / {products}\npowers = 1 / {powers}\n" in page


def test_rounds_are_as_many_as_the_page_says() -> None:
    rounds = {part: kept["cells"]["rounds"] for part, kept in KEPT.items()}
    twice = ("grouped", "forward, flex", "decode, written")
    assert rounds == dict.fromkeys(rounds, 3) | dict.fromkeys(twice, 2)


def test_what_each_change_gained_is_what_the_kernel_says() -> None:
    name = r"([\d.]+)<!-- source: attention/backends/triton/hopper_kernel\.py, (\w+) -->"
    said = {what: number for number, what in re.findall(name, PAGE.read_text("utf-8"))}
    kernel = re.sub(r"\n\s*# ", " ", Path(hopper_kernel.__file__).read_text("utf-8"))
    found = re.search(r"the one gained (\d) %, the other (\d) %", kernel)
    assert found
    sums = re.search(r"On an H200 that gained (\d) %", kernel)
    assert sums
    assert said == {"shares": found[1], "queries": found[2], "sums": sums[1]}


def test_the_forward_for_hopper_is_taken_where_it_was_faster() -> None:
    for width, least in LEAST.items():
        for mask, few in (("full", least.full), ("causal", least.causal)):
            for n in LENGTHS:
                ways = square("forward", n, width, mask)
                faster = ways["hopper"]["ms"] <= ways["portable"]["ms"]
                assert faster == (n >= few), (width, mask, n)

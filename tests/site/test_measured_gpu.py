"""The tables of chapter 20 that no block computes: what `benchmarks/gpu.py` measured."""

import itertools
import json
import re
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from gpu_clock import SAMPLES
from pages import says as page_says

from attention.backends.triton import hopper_backward
from attention.backends.triton.hopper import CONFIGS, LEAST

ROOT = Path(__file__).parents[2]
KEPT = json.loads((ROOT / "benchmarks/gpu.json").read_text("utf-8"))
PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
says = partial(page_says, "speed/a-gpu-kernel.md")
WAYS = {
    "portable": "forward", "hopper": "for Hopper", "cudnn": "cuDNN",
    "flash 2": "FlashAttention 2", "flex": "FlexAttention",
}  # fmt: skip
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
LONG = LENGTHS[1:]
OF = {"full": "none", "causal": "causal"}
ENDS = ("least", "most")
KEYS = (1024, 4096, 16384, 131072)
WINDOW = "16/16 heads of 128, window of 256, backward"


def cell(part: str, name: str) -> dict[str, dict]:
    """The ways of a shape; in this record `triton` was our kernel for Hopper wherever it could."""
    ways = KEPT[part]["cells"]["shapes"][name]
    if part == "backward":  # the kernels for every GPU were timed a day before
        ways = ways | {"portable": KEPT["backward, portable"]["cells"]["shapes"][name]["portable"]}
    return ways if part in ("decode", "sparing") else {"hopper": ways["triton"], **ways}


def square(part: str, n: int, width: int, mask: str) -> dict[str, dict]:
    heads = 2048 // width
    return cell(part, f"{2**14 // n} × {n} × {n}, {heads}/{heads} heads of {width}, {mask}, {part}")


def source(part: str) -> str:
    """Versions are those of every part; dates are not."""
    found = {
        f"{kept['gpu']['name']}, bfloat16, torch {kept['torch']}, triton {kept['triton']}, "
        f"cuDNN {kept['cudnn']}, "
        for kept in KEPT.values()
    }
    assert len(found) == 1
    before = f"; portable {KEPT['backward, portable']['date']}" if part == "backward" else ""
    return f"<!-- source: benchmarks/gpu.py: {found.pop()}{KEPT[part]['date']}{before} -->"


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
    return rates("forward", width, ("portable", "hopper", "cudnn", "flash 2", "flex"), WAYS)


def backward() -> str:
    ways = ("portable", "hopper", "cudnn", "flash 2")
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


def ceilings(part: str, name: str) -> list[float]:
    return [top[name] for top in KEPT[part]["cells"]["ceilings"]]


def shown() -> dict[str, str]:
    """Every sourced number in the prose, by what its comment says."""
    full, causal = (square("forward", 8192, 128, mask) for mask in OF)
    products = ceilings("forward", "tflops")
    slow = {n: square("forward", n, 128, "causal")["hopper"]["range"] for n in (512, 1024)}
    copies = [x for part in KEPT for x in ceilings(part, "gbs")]
    last = cell("decode", "64 × 1 × 131072, 64/8 heads of 128, full, forward")
    short = cell("decode", "1 × 1 × 1024, 64/8 heads of 128, full, forward")
    wide = {mask: [square("forward", n, 64, mask) for n in LENGTHS] for mask in OF}
    back = {
        width: [square("backward", n, width, mask)["cudnn"]["ratio"] for mask in OF for n in LONG]
        for width in (64, 128)
    }
    few = square("backward", 512, 128, "causal")["hopper"]["range"]
    portable = [
        ways["cudnn"]["ratio"]
        for name, ways in KEPT["backward, portable"]["cells"]["shapes"].items()
        if "of 128" in name and "512" not in name
    ]
    assert len(portable) == 2 * len(LONG)
    busy = [
        7 / 5 * square("backward", n, 128, "full")["hopper"]["tflops"]
        / min(ceilings("backward", "tflops"))
        for n in LONG[1:]
    ]  # fmt: skip
    grouped = [
        ways["cudnn"]["ratio"]
        for name, ways in KEPT["grouped"]["cells"]["shapes"].items()
        if "1 × 2048 ×" not in name
    ]
    assert len(grouped) == 8
    return {
        "grouped heads, least": f"{min(grouped):.2f}",
        "grouped heads, most": f"{max(grouped):.2f}",
        "least of cuDNN's rate, backward": f"{min(back[128]):.2f}",
        "most of cuDNN's rate, backward": f"{max(back[128]):.2f}",
        "least of cuDNN's rate, backward, width 64": f"{min(back[64]):.2f}",
        "most of cuDNN's rate, backward, width 64": f"{max(back[64]):.2f}",
        "least of cuDNN's rate, backward, portable": f"{min(portable):.2f}",
        "most of cuDNN's rate, backward, portable": f"{max(portable):.2f}",
        "cuDNN, backward, 4096 tokens, no mask": rate(
            square("backward", 4096, 128, "full")["cudnn"]
        ),
        "slowest product, backward": f"{min(ceilings('backward', 'tflops')):.0f}",
        "seven products beside one alone, least": f"{min(busy):.2f}",
        "seven products beside one alone, most": f"{max(busy):.2f}",
        "backward, 512 tokens, causal, least ms": f"{few[0]:.3g}",
        "backward, 512 tokens, causal, most ms": f"{few[1]:.3g}",
        "slowest product": f"{min(products):.0f}",
        "fastest product": f"{max(products):.0f}",
        "slowest copy": f"{min(copies):,.0f}",
        "fastest copy": f"{max(copies):,.0f}",
        "forward, 8192 tokens, no mask": rate(full["portable"]),
        "cuDNN, 8192 tokens, no mask": rate(full["cudnn"]),
        "for Hopper, 8192 tokens, no mask": rate(full["hopper"]),
        **{
            f"for Hopper, {n} tokens, causal, {end} ms": f"{time:.3g}"
            for n, both in slow.items()
            for end, time in zip(("least", "most"), both, strict=True)
        },
        "forward beside the fastest product": f"{full['portable']['tflops'] / max(products):.2f}",
        "forward beside the slowest product": f"{full['portable']['tflops'] / min(products):.2f}",
        "for Hopper beside cuDNN, 8192 tokens, no mask": f"{full['cudnn']['ratio']:.2f}",
        "for Hopper beside cuDNN, 8192 tokens, causal": f"{causal['cudnn']['ratio']:.2f}",
        "64 texts of 131072 keys, GB/s": f"{last['triton']['gbs']:,.0f}",
        "one text of 1024 keys, ms": f"{short['triton']['ms']:#.3g}",
        "one text of 1024 keys, cuDNN, ms": f"{short['cudnn']['ms']:#.3g}",
        **{
            f"text of {n} tokens, window, backward, FlashAttention 2": f"{past['ratio']:.2f}"
            for n in (2048, 8192, 16384)
            for past in [cell("sparing", f"1 × {n} × {n}, {WINDOW}")["flash 2, window"]]
        },
        "width 64, 8192 tokens, no mask": f"{wide['full'][-2]['cudnn']['ratio']:.2f}",
        "width 64, 1024 tokens, causal": f"{wide['causal'][1]['cudnn']['ratio']:.2f}",
    }


def test_the_tables_are_those_of_the_script() -> None:
    page = PAGE.read_text("utf-8")
    for text in (forward(128), backward(), sparing(), decode()):
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
    "Here and on the way back a text has 16 heads, 128 wide, and all texts together have 16,384 ",
    "in each of three rounds (two for the texts of grouped heads beside cuDNN)",
    "With 64 heads of queries on 8 of keys, from 4096 to 32768 tokens, it reaches",
    "At width 64, with 32 heads, long texts are ahead: 1.11 times cuDNN's rate at 8192 tokens ",
    "a short text loses more: 0.61 at 1024 tokens under the causal mask",
    "to 0.306 ms at 512 tokens, and from 0.182 to 0.332 ms at 1024.",
    "Here is one text, with heads 128 wide. Under the window it has 16 heads; in the causal rows "
    "64, eight to a head of keys.",
    "By the middle of three ratios, ours is ahead of all three others. (At 512 queries on "
    "2048 keys the rounds lie far apart, and in one FlashAttention 2 was ahead.)",
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
    name = "takes the median of {}<!-- source: benchmarks/gpu_clock.py, SAMPLES --> calls"
    assert name.format(SAMPLES) in PAGE.read_text("utf-8")


def test_the_versions_of_the_prose_are_those_of_the_script() -> None:
    kept = KEPT["forward"]
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
    says("`forward` is ahead of FlashAttention 2 in every row, and close to FlexAttention without "
         "a mask. Behind cuDNN it is everywhere.",
         all(ms["cudnn"] < ms["portable"] < ms["flash 2"] for ms in took.values())
         and all(0.96 < took[n, "full"]["portable"] / took[n, "full"]["flex"] < 1.05
                 for n in LENGTHS))  # fmt: skip
    short = [ways["cudnn"]["ratio"] for (n, _), ways in there["forward"].items() if n <= 2048]
    says("Short texts are behind.", max(short) < 1)
    least, most = (shown()[f"{end} of cuDNN's rate, backward, portable"] for end in ENDS)
    says(f"The portable ones reached {least} to {most} of what cuDNN reached the day before, with "
         "five sevenths in between.", float(least) < 5 / 7 < float(most))  # fmt: skip
    wide = [square("backward", n, 64, "causal")["cudnn"]["ratio"] for n in LONG]
    says("At width 64 the gradients for Hopper are ahead under the causal mask, from 1024 tokens "
         "on.", min(wide) > 1)  # fmt: skip
    full = there["forward"][8192, "full"]
    tenths = round(10 * full["portable"]["tflops"] / full["cudnn"]["tflops"])
    says("498: seven tenths of cuDNN's rate.", tenths == 7)
    others = [
        x["ratio"]
        for name, ways in KEPT["sparing"]["cells"]["shapes"].items()
        for way, x in ways.items()
        if "forward" in name and way != "triton"
    ]
    says("By the middle of three ratios, ours is ahead of all three others.", min(others) > 1)
    flex = {
        n: cell("sparing", f"1 × {n} × {n}, {WINDOW}")["flex"]["ratio"] for n in (2048, 8192, 16384)
    }
    says("In the two shorter ones FlexAttention is ahead of us too.",
         flex[2048] < 1 and flex[8192] < 1 < flex[16384])  # fmt: skip
    least = cell("grouped", "1 × 2048 × 2048, 64/8 heads of 128, full, forward")["cudnn"]
    says("at 2048 without a mask it is a tenth behind.", least["ratio"] == 0.9)
    one, several = (
        [
            cell("decode", f"{batch} × 1 × {keys}, 64/8 heads of 128, full, forward")["cudnn"]
            for batch in batches
            for keys in KEYS
        ]
        for batches in ((1,), (16, 64))
    )
    says("With one text ours is ahead or level.", min(way["ratio"] for way in one) >= 1)
    beside = [way["ratio"] for way in several]
    says("With 16 and 64 texts cuDNN is a little ahead in most rows: it takes nine tenths of our "
         "time or more.",
         0.9 <= min(beside) <= max(beside) < 1.02
         and 2 * sum(x < 1 for x in beside) > len(beside))  # fmt: skip
    square_, flash = (
        cell("sparing", "1 × 512 × 2048, 64/8 heads of 128, causal, forward")[way]["range"]
        for way in ("triton", "flash 2, last")
    )
    assert square_[0] < flash[0] < flash[1] < square_[1]  # so ours was behind in a round


def test_the_products_of_the_block_are_those_of_the_table() -> None:
    ways = square("backward", 4096, 128, "full")
    ours, cudnn = rate(ways["hopper"]), rate(ways["cudnn"])
    alone = min(ceilings("backward", "tflops"))
    lines = f"ours, cudnn = {ours}, {cudnn}  # TFLOP/s, of five products each\n"
    lines += f"alone = {alone:.0f}  # a product alone, at its slowest\n"
    assert PAGE.read_text("utf-8").count(lines) == 1


def test_the_gradients_for_hopper_are_taken_where_they_were_faster() -> None:
    name = r"([\d.,]+)<!-- source: attention\.backends\.triton\.hopper_backward\.LEAST, (\w+) -->"
    least = hopper_backward.LEAST._asdict()
    assert re.findall(name, PAGE.read_text("utf-8")) == [(str(n), k) for k, n in least.items()]
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
    names = {"for Hopper": "hopper", "cuDNN": "cudnn", "forward": "portable"}
    names |= {"FlashAttention 2": "flash 2"}
    measured = [square("forward", n, 128, "causal") for n in LENGTHS]
    assert drawn["rates"] == {
        said: [round(ways[way]["tflops"]) for ways in measured] for said, way in names.items()
    }
    ahead = [ways["hopper"]["tflops"] > ways["cudnn"]["tflops"] for ways in measured]
    assert ahead == [n >= 4096 for n in LENGTHS]


def test_the_rates_of_the_paper_are_those_of_the_block() -> None:
    page = PAGE.read_text("utf-8")
    products, powers = re.findall(r"([\d.]+)<!-- source: Shah et al\. 2024, section 3", page)
    assert (products, powers) == ("989", "3.9")  # TFLOP/s, section 3.1
    assert f"products = 4 * 128 / {products}\npowers = 1 / {powers}\n" in page


def test_rounds_are_as_many_as_the_page_says() -> None:
    rounds = {part: kept["cells"]["rounds"] for part, kept in KEPT.items()}
    assert rounds == dict.fromkeys(rounds, 3) | {"grouped": 2}


def test_the_forward_for_hopper_is_taken_where_it_was_faster() -> None:
    """By the fastest of the rounds: some short calls waited for Python."""
    for width, least in LEAST.items():
        for mask, few in (("full", least.full), ("causal", least.causal)):
            for n in LENGTHS:
                ways = square("forward", n, width, mask)
                faster = ways["hopper"]["range"][0] <= ways["portable"]["range"][0]
                assert faster == (n >= few), (width, mask, n)

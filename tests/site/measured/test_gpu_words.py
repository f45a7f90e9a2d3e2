"""What the chapter on a GPU kernel says of its tables: a function has the sentences of each."""

from collections.abc import Sequence
from functools import partial

from gpu_cells import (
    KEPT,
    KEYS,
    LENGTHS,
    OF,
    beside,
    decoding,
    of_one_text,
    portable_gradients,
    square,
)
from pages import ROOT
from pages import says as page_says

from attention.backends.triton.configs import DECODE, splits

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
says = partial(page_says, PAGE)
LONG = [n for n in LENGTHS if n >= 2048]


def rows(part: str, width: int = 128) -> dict[tuple[int, str], dict[str, dict]]:
    return {(n, mask): square(part, n, width, mask) for n in LENGTHS for mask in OF}


def causal(part: str, width: int, lengths: Sequence[int]) -> list[float]:
    """The rates of the kernels for Hopper, as parts of that of cuDNN."""
    return [beside(square(part, n, width, "causal"), "hopper", "cudnn") for n in lengths]


def forward() -> None:
    there = rows("forward")
    took = {at: {way: x["ms"] for way, x in ways.items()} for at, ways in there.items()}
    says(
        "`forward` is ahead of FlashAttention 2 in every row, and without a mask within a tenth "
        "of FlexAttention; under the causal mask it is ahead of it in every row, though the two "
        "were not timed in the same rounds. It is behind cuDNN in every row.",
        all(ms["cudnn"] < ms["portable"] < ms["flash 2"] for ms in took.values())
        and all(0.9 < took[n, "full"]["portable"] / took[n, "full"]["flex"] < 1.1 for n in LENGTHS)
        and all(took[n, "causal"]["portable"] < took[n, "causal"]["flex"] for n in LENGTHS),
    )
    first = {at: min(ms, key=ms.__getitem__) for at, ms in took.items()}
    says(
        "From 2048 tokens on FlashAttention 4 is the fastest, and cuDNN in shorter texts.",
        all(way == ("flash 4" if n >= 2048 else "cudnn") for (n, _), way in first.items()),
    )
    full = there[8192, "full"]
    tenths = round(10 * full["portable"]["tflops"] / full["cudnn"]["tflops"])
    says("494: seven tenths of cuDNN's rate.", tenths == 7)


def forward_for_hopper() -> None:
    ahead = {at: ways["cudnn"]["ratio"] for at, ways in rows("forward").items()}
    says(
        "In texts of 512 and 1024 tokens this kernel is behind cuDNN.",
        max(x for (n, _), x in ahead.items() if n <= 1024) < 1,
    )
    wide = [square("forward", n, 64, "full")["cudnn"]["ratio"] for n in LONG]
    masked = [ahead[n, "causal"] for n in LONG]
    says(
        "In long texts our forward is faster, by up to about a tenth under the causal mask and at "
        "width 64 without one. Under the causal mask so are the gradients for Hopper, but for the "
        "longest texts.",
        min(*wide, *masked) > 1
        and {round(10 * max(each)) for each in (wide, masked)} == {11}
        and all(
            (x > 1) == (n < 16384)
            for width in (64, 128)
            for n, x in zip(LENGTHS, causal("backward", width, LENGTHS), strict=True)
        ),
    )
    level = [ahead[n, "full"] for n in LONG]
    says(
        "Without a mask it is about level with cuDNN at width 128, and in long texts ahead under "
        "the causal mask and at width 64.",
        0.97 < min(level) <= max(level) < 1.03
        and min(*masked, *wide, *causal("forward", 64, LENGTHS[-2:])) > 1,
    )


def gradients() -> None:
    there = rows("backward")
    least, most = (f"{end(portable_gradients()):.2f}" for end in (min, max))
    says(
        f"From 1024 tokens on they reach {least} to {most} of cuDNN's rate, with five sevenths in "
        "between.",
        float(least) < 5 / 7 < float(most),
    )
    says(
        "In texts of 512 tokens, at width 128, these kernels are the fastest of all.",
        all(
            there[512, mask]["hopper"]["ms"] == min(way["ms"] for way in there[512, mask].values())
            for mask in OF
        ),
    )
    made = {at: 7 / 5 * ways["hopper"]["tflops"] for at, ways in there.items()}
    says(
        "In no other row of that table is our rate higher.",
        max(made, key=made.__getitem__) == (4096, "full"),
    )


def beside_flash_4() -> None:
    for part, least, words in (
        ("forward", 2048, "FlashAttention 4 is ahead of it in every row."),
        (
            "backward",
            1024,
            "FlashAttention 4 makes five products, and from 1024 tokens on it is ahead.",
        ),
    ):
        of_its_rate = [
            beside(ways, "hopper", "flash 4")
            for width in (64, 128)
            for (n, _), ways in rows(part, width).items()
            if n >= least
        ]
        says(words, max(of_its_rate) < 1)


def left_out() -> None:
    others = [
        x["ratio"]
        for name, ways in KEPT["sparing"]["cells"]["shapes"].items()
        for way, x in ways.items()
        if "forward" in name and way != "triton"
    ]
    says("Ours is ahead of all three others.", min(others) > 1)


def one_query() -> None:
    one = of_one_text()
    says(
        "With one text and up to 4096 keys ours is ahead of cuDNN. From 8192 to 65536 keys it is "
        "a little behind.",
        all(x > 1 if n <= 4096 else 0.94 < x < 0.99 for n, x in one.items() if n < 131072),
    )
    ahead = {
        texts: {n: decoding(texts, n)["cudnn"]["ratio"] for n in KEYS} for texts in (1, 16, 64)
    }
    tiles = 1024 // DECODE.hopper[128].columns
    says(
        "With 16 texts it is behind, most of all with 1024 keys. Two programs share the keys of a "
        "head there; perhaps it is the second kernel. With 64 texts there is none, and next to no "
        "loss.",
        max(ahead[16].values()) < 1
        and ahead[16][1024] == min(ahead[16].values())
        and splits(16 * 8, tiles) == 2
        and splits(64 * 8, tiles) == 1
        and min(ahead[64].values()) > 0.97,
    )
    says(
        "With 131072 keys ours and cuDNN's take the same time: bytes are all that counts.",
        all(abs(each[131072] - 1) < 0.02 for each in ahead.values()),
    )


def test_what_the_page_says_of_the_tables_holds() -> None:
    for sentences in (forward, forward_for_hopper, gradients, beside_flash_4, left_out, one_query):
        sentences()

"""What the reference of `multi_head` says of products as convolutions, held to the measurement."""

import re
from functools import partial

from cells import PERHAPS, part, ratio, table
from pages import DOCS, ROOT
from pages import says as page_says

from attention import affine

PAGE = "reference/multi_head.md"
says = partial(page_says, PAGE)
SHAPES = ((128, 384), (256, 768), (512, 512), (512, 1536))  # width, rows of the matrix
TOKENS = (128, 256, 512, 1000, 1024, 2048)


def matrices() -> str:
    """How many times as long `linear` takes as the convolution."""
    cells = part("linear", "linear")["cells"]["all"]
    found = {(x["rows"], x["width"], x["outputs"]): ratio(x, "torch") for x in cells}
    rows = [[str(n), *(found[n, *shape] for shape in SHAPES)] for n in TOKENS]
    head = ["tokens", *(f"{outputs} × {width}" for width, outputs in SHAPES)]
    return table(head, rows, "linear", "linear")


def test_the_table_shows_what_was_measured() -> None:
    page = ROOT / "docs/reference/multi_head.md"
    assert matrices() in page.read_text("utf-8")


def test_what_the_page_says_of_products_holds() -> None:
    kept = part("modules", "modules")
    # The chapter speaks of this section where it speaks of the machine of the modules.
    assert kept["machine"] == part("linear", "linear")["machine"]
    cells = {
        (x["rows"], x["width"], x["outputs"]): x for x in part("linear", "linear")["cells"]["all"]
    }
    found = [cells[2048, *shape]["ways"]["torch"]["ratio"] for shape in SHAPES]
    page_says(
        "speed/benchmarks.md",
        "and with many tokens, a product [as a convolution](../reference/multi_head.md"
        "#large-products-as-convolutions) takes about half of the time.",
        all(1.9 < x < 2.2 for x in found),
    )
    says(
        "four of the eight matrices that we measured",
        (len(SHAPES), len({k[1:] for k in cells})) == (4, 8),
    )
    largest, small = (
        [n for (n, *shape_), x in cells.items() if shape_ == shape and float(ratio(x, "torch")) < 1]
        for shape in ([4096, 4096], [64, 192])
    )
    says(
        "With the largest, `4096 × 4096`, the convolution is the slower one up to "
        f"`{max(largest)}` tokens; with the smallest, `192 × 64`, it is slower up to "
        f"`{max(small)}` tokens.",
        all(max(rows) < min({n for n, *_ in cells} - {*rows}) for rows in (largest, small)),
    )
    (narrow,) = part("linear", "narrow")["cells"]["all"]
    says(
        "Forbid oneDNN to take more than 8, by `ONEDNN_MAX_CPU_ISA=AVX2`, and for 2048 tokens and "
        f"the matrix of `512 × 512`, `linear` takes {ratio(narrow, 'torch')} times as long, no "
        f"longer {ratio(cells[2048, 512, 512], 'torch')}.",
        (narrow["rows"], narrow["width"], narrow["outputs"]) == (2048, 512, 512)
        and "ONEDNN_MAX_CPU_ISA=AVX2" in (ROOT / "benchmarks/linear.py").read_text("utf-8"),
    )
    says("1000 tokens become 1024", affine.rounded_up(1000) == 1024)
    more = len({affine.rounded_up(n) for n in range(1025, 2049)}) - 1
    says("the powers of two, and three between each power and the next", more == 3)
    says("from 256 tokens and about 17 million multiplications on", affine.MIN_ROWS == 256)
    new = [x["ours"]["ratio"] for x in part("linear", "linear")["cells"]["new"]]
    assert min(new) > PERHAPS  # also where the number of tokens is new each time


def test_the_sentences_show_what_was_measured() -> None:
    pattern = r"([\d.]+)<!-- source: benchmarks/(\w+\.json, [^\n]*?)-->"
    text = (DOCS / PAGE).read_text("utf-8")
    assert re.findall(pattern, text) == [
        (ratio(x, "torch"), f"linear.json, {said}512 by 512, 2048 tokens ")
        for said, name in (("narrow, ", "narrow"), ("", "linear"))
        for x in part("linear", name)["cells"]["all"]
        if (x["rows"], x["width"], x["outputs"]) == (2048, 512, 512)
    ]

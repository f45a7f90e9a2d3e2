"""From how many tokens on a GPU kernel is taken, and what each of its changes gained."""

import itertools
import re
from pathlib import Path

from gpu_cells import LENGTHS, OF, square
from pages import ROOT

from attention.backends.triton import hopper_backward, hopper_kernel
from attention.backends.triton.hopper import CONFIGS, LEAST

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"


def test_below_how_many_tokens_the_portable_kernel_is_taken() -> None:
    name = r"([\d.,]+)<!-- source: attention\.backends\.triton\.hopper\.LEAST, (\w+) -->"
    least = LEAST[64]._asdict()
    assert re.findall(name, PAGE.read_text("utf-8")) == [(str(n), k) for k, n in least.items()]


def test_the_forward_for_hopper_is_taken_where_it_was_faster() -> None:
    for width, least in LEAST.items():
        for mask, few in (("full", least.full), ("causal", least.causal)):
            for n in LENGTHS:
                ways = square("forward", n, width, mask)
                faster = ways["hopper"]["ms"] <= ways["portable"]["ms"]
                assert faster == (n >= few), (width, mask, n)


def test_the_gradients_for_hopper_are_taken_where_they_were_faster() -> None:
    name = r"([\d.,]+)<!-- source: attention\.backends\.triton\.hopper_backward\.LEAST -->"
    least = hopper_backward.LEAST._asdict()
    found = re.findall(name, PAGE.read_text("utf-8"))
    assert found == [*dict.fromkeys(map(str, least.values()))]  # one, while they are the same
    for width, mask, n in itertools.product((64, 128), OF, LENGTHS):
        ways = square("backward", n, width, mask)
        faster = ways["hopper"]["ms"] <= ways["portable"]["ms"]
        assert faster == (n >= least[mask]), (width, mask, n)


def test_the_groups_of_warps_are_those_of_the_table() -> None:
    assert {width: config.consumers for width, config in CONFIGS.items()} == {64: 3, 128: 2}


def test_what_each_change_gained_is_what_the_kernel_says() -> None:
    name = r"([\d.]+)<!-- source: attention/backends/triton/hopper_kernel\.py, (\w+) -->"
    said = {what: number for number, what in re.findall(name, PAGE.read_text("utf-8"))}
    kernel = re.sub(r"\n\s*# ", " ", Path(hopper_kernel.__file__).read_text("utf-8"))
    found = re.search(r"the one gained (\d) %, the other (\d) %", kernel)
    assert found
    sums = re.search(r"On an H200 that gained (\d) %", kernel)
    assert sums
    assert said == {"shares": found[1], "queries": found[2], "sums": sums[1]}

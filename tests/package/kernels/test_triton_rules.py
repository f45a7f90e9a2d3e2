"""A mask as the few numbers of our GPU kernels."""

import pytest
import torch
from interpreter import DEVICE

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow
from attention.backends.triton import launch, rules, triton
from attention.dispatch import kernels
from attention.masks.shifted import Shifted

from .halves import SHORT, halves

LEFT = Padding(torch.tensor([2, 0, 99], dtype=torch.int32), side="left")
RULED = [
    Causal(),
    SlidingWindow(1),
    SlidingWindow(3),
    SlidingWindow(1 << 40),
    Causal() & SlidingWindow(3),
    SHORT,
    LEFT,
    LEFT & SHORT & SlidingWindow(5),
    Padding(torch.tensor([3])) & LEFT,
    Shifted(Causal() & SHORT, 2),
    Shifted(Causal(), 3),
    Shifted(Shifted(LEFT, 1) & Causal(), 2),
    SHORT.over(7) & LEFT.over(7),
]


@pytest.mark.parametrize("mask", RULED, ids=repr)
@pytest.mark.parametrize(("queries", "keys"), [(7, 7), (3, 7), (9, 7), (1, 7)])
def test_a_rule_says_what_its_mask_says(mask: Mask, queries: int, keys: int) -> None:
    rule = rules.ruled(mask, keys)
    assert rule is not None
    position = torch.arange(keys - queries, keys)[:, None]
    key = torch.arange(keys)
    keep = (key >= position - rule.left) & (key <= position + rule.right)
    if rule.spans is not None:
        start, stop = rule.spans[:, :1, None, None], rule.spans[:, 1:, None, None]
        keep = keep & (key >= start) & (key < stop)
    assert torch.equal(keep.expand(mask.shape(queries, keys)), mask.to_tensor(queries, keys))


@pytest.mark.untyped  # its annotation says signed numbers, and it takes any
def test_lengths_of_8_bits_are_shifted_without_wrapping() -> None:
    lengths = torch.tensor([3, 6], dtype=torch.uint8)
    test_a_rule_says_what_its_mask_says(Shifted(Padding(lengths), 4), 7, 7)


class Even(Causal):
    """What takes over from a mask may say something else."""

    def __call__(self, batch, head, query, key):
        return key % 2 == 0


OTHER = [PrefixLM(2), ~Causal(), Causal() | SlidingWindow(2), Even(), Causal() & Even()]


@pytest.mark.parametrize("mask", [*OTHER, Documents(torch.zeros(1, 7).long())], ids=repr)
def test_other_masks_have_none(mask: Mask) -> None:
    assert rules.ruled(mask, 7) is None


def test_a_stretch_for_all_is_one_for_each() -> None:
    rule = rules.ruled(Padding(torch.tensor([7], device=DEVICE)), 9)
    assert launch.spans(rule, 3).tolist() == [[0, 7]] * 3
    assert launch.spans(rules.Rule(), 3) is None


@pytest.mark.parametrize("queries", [20, 1])
def test_a_mask_for_a_batch_of_none(queries: int) -> None:
    query = torch.ones(0, 1, queries, 64, dtype=torch.float16, device=DEVICE)
    rule = rules.ruled(Padding(torch.zeros(0, dtype=torch.int64, device=DEVICE)), queries)
    assert triton(query, query, query, rule, None, 1.0, None, 0.0)[0].shape == query.shape


def test_a_mask_that_does_not_fit_has_no_rule() -> None:
    query, key = halves(2, 4, 5), halves(2, 2, 7)
    documents = Documents(torch.zeros(2, 7, dtype=torch.long, device=DEVICE))
    assert kernels.rule(query, key, documents) is None
    assert kernels.rule(query[0, 0], key[0, 0], Causal()) is not None
    with pytest.raises(ValueError, match="^mask is for a batch of 3 but query has batch axes"):
        kernels.rule(query, key, SHORT.to(DEVICE))
    with pytest.raises(ValueError, match="^Documents is made for 7 keys: got 6$"):
        kernels.rule(query, key[..., :6, :], documents)


def test_a_rule_that_spares_nothing_is_left_to_torch() -> None:
    query, key = halves(1, 2, 2), halves(1, 2, 7)
    assert kernels.sparing(query, key, key, SlidingWindow(7)) is None
    assert kernels.sparing(query, key, key, SlidingWindow(6)) is not None  # the last misses one

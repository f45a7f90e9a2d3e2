"""A mask is a value: it is compared, copied, and moves with all that it holds."""

import copy
import pickle
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
import torch

from attention import Causal, Mask, Padding, PrefixLM, SlidingWindow, dot_product_attention
from attention.holding import held

from .kinds import LENGTHS, MASKS


def test_a_mask_is_a_value() -> None:
    assert Causal() == Causal()
    assert Causal() & SlidingWindow(2) == Causal() & SlidingWindow(2)
    assert Causal() & SlidingWindow(2) != Causal() | SlidingWindow(2)
    assert len({Causal(), Causal(), SlidingWindow(2), SlidingWindow(3)}) == 3
    assert repr(~(Causal() & PrefixLM(2) | SlidingWindow(3))) == (
        "~((Causal() & PrefixLM(length=2)) | SlidingWindow(width=3))"
    )
    padding = Padding(LENGTHS)
    assert padding == padding
    assert padding != Padding(LENGTHS)  # tensors have no single answer to ==
    assert len({padding, Padding(LENGTHS)}) == 2


@pytest.mark.parametrize("name", MASKS)
def test_copies_and_pickles(name: str) -> None:
    mask = MASKS[name]
    for other in (copy.deepcopy(mask), pickle.loads(pickle.dumps(mask))):
        assert torch.equal(other.to_tensor(4, 5), mask.to_tensor(4, 5))
        assert repr(other) == repr(mask)


class Until(Mask):
    """What it holds its slots say."""

    __slots__ = ()

    def __init__(self, lengths: torch.Tensor) -> None:
        self.lengths = lengths

    def __call__(self, batch, head, query, key):
        return key < self.lengths[0]


class Slotted(Until):
    __slots__ = ("lengths", "unset")


class _XPrivate(Mask):
    __slots__ = ("__lengths",)

    def __init__(self, lengths: torch.Tensor) -> None:
        self.__lengths = lengths

    def __call__(self, batch, head, query, key):
        return key < self.__lengths[0]


class One(Until):
    __slots__ = "lengths"


class Settings(NamedTuple):
    more: int


@dataclass
class Config:
    owner: Mask
    lengths: torch.Tensor


class Configured(Mask):
    """It holds itself, and a data class that holds it too, and the class of its settings."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.me, self.kind, self.config = self, Settings, Config(self, lengths)

    def __call__(self, batch, head, query, key):
        return key < self.config.lengths[0]


@dataclass(frozen=True)
class Derived(Mask):
    """It has another tensor of the one that it is given."""

    lengths: torch.Tensor

    def __post_init__(self) -> None:
        object.__setattr__(self, "pair", (self.lengths, self.lengths + 1))

    def __call__(self, batch, head, query, key):
        return key < self.pair[1][0]


def test_what_a_mask_holds_is_found_wherever_it_lies() -> None:
    query = torch.empty(1, 1, 3, 4, device="meta")
    with pytest.raises(ValueError, match=r"^Config holds lengths on cpu: expected meta"):
        dot_product_attention(query, query, query, Configured(torch.tensor([2])))
    x, lengths = torch.randn(1, 1, 3, 4).requires_grad_(), torch.tensor([2])
    context = dot_product_attention(x, x, x, Configured(lengths), backend="tiled")
    lengths.fill_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        context.sum().backward()


@dataclass(frozen=True)
class Made(Mask):
    """One tensor is no argument."""

    count: torch.Tensor
    lengths: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", self.count.clone())

    def __call__(self, batch, head, query, key):
        return key < self.lengths[0]


class Told(Padding):
    """It is made of something else than what its base holds."""

    def __init__(self, ids: torch.Tensor) -> None:
        super().__init__((ids != 0).sum(-1, keepdim=True))


class Both(Mask):
    """A pair, and a data class that is no mask and holds it."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.pair = Settings(2), {"lengths": [lengths]}
        self.size = lengths.shape
        self.config = Config(self, lengths)

    def __call__(self, batch, head, query, key):
        return key < self.config.lengths[0]


class Listed(Mask):
    """What it holds lies in a list, behind itself."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.tables = [self, lengths]

    def __call__(self, batch, head, query, key):
        return key < self.tables[1][0]


@pytest.mark.parametrize("kind", [_XPrivate, One, Derived, Made, Told, Configured, Both, Listed])
def test_a_mask_moves_whole(kind: type[Mask]) -> None:
    first = kind(torch.tensor([2]))
    mask = first.to("meta")
    assert {tensor.device.type for *_, tensor in held(first)} == {"cpu"}
    assert type(mask) is kind
    assert mask.to_tensor(3, 3, device="meta").is_meta
    assert {tensor.device.type for *_, tensor in held(mask)} == {"meta"}
    assert kind is not Derived or mask.pair[1].is_meta
    assert kind is not Configured or mask.config.owner is mask is mask.me
    assert kind is not Both or mask.pair[1]["lengths"][0].is_meta


class Holding(Mask):
    def __init__(self, inner: Mask) -> None:
        self.inner, self.name = inner, "held"

    def __call__(self, batch, head, query, key):
        return self.inner(batch, head, query, key)


@pytest.mark.parametrize("make", [Slotted, lambda x: Holding(Slotted(x)), lambda x: ~Slotted(x)])
def test_any_mask_moves_with_what_it_holds(make) -> None:
    mask = make(torch.tensor([2]))
    moved = mask.to("meta")
    assert type(moved) is type(mask)
    assert moved.to_tensor(3, 3, device="meta").shape == (3, 3)
    assert mask.to_tensor(3, 3).device.type == "cpu"
    query = torch.empty(1, 1, 3, 4, device="meta")
    with pytest.raises(ValueError, match=r"^Slotted holds lengths on cpu: expected meta, as mask"):
        dot_product_attention(query, query, query, mask)
    assert dot_product_attention(query, query, query, moved).device.type == "meta"

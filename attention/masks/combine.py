"""Masks made of masks."""

from dataclasses import dataclass
from typing import ClassVar

from jaxtyping import Bool, Int
from torch import Tensor

from attention import checks
from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, both, row, stretches, within


@dataclass(frozen=True, repr=False)
class Pair(Mask):
    """Two masks as one."""

    left: Mask
    right: Mask
    sign: ClassVar[str]

    def __post_init__(self) -> None:
        checks.pair(self.sign, self.left, self.right, Mask)

    @property
    def _parts(self) -> tuple[Mask, ...]:
        return self.left, self.right

    @property
    def batch(self) -> int | None:
        return joint(self.left.batch, self.right.batch)

    @property
    def heads(self) -> int | None:
        return joint(self.left.heads, self.right.heads)

    @property
    def keys(self) -> int | None:
        return joint(self.left.keys, self.right.keys)

    @property
    def relative(self) -> bool:
        return self.left.relative and self.right.relative

    def over(self, keys: int) -> Mask:
        left, right = self.left.over(keys), self.right.over(keys)
        # Anew only where one is another: of one query on 512 keys that took 8 % of the time.
        same = left is self.left and right is self.right
        return self if same else type(self)(left, right)

    def answers(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> tuple[Bool[Tensor, "..."] | bool, Bool[Tensor, "..."] | bool]:
        """What each says, looked at; where it has one sequence or head, that stands for all."""
        left, right = (
            part.__call__(row(batch, part.batch), row(head, part.heads), query, key)
            for part in (self.left, self.right)
        )
        if isinstance(key, Tensor):  # numbers are answered as Python, or NumPy, does
            checks.both_truths(left, right, self.left, self.right)
        return left, right

    def __repr__(self) -> str:
        return f"({self.left!r} {self.sign} {self.right!r})"


@dataclass(frozen=True, repr=False)
class And(Pair):
    """A query attends where both masks let it: `left & right`."""

    sign = "&"

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        left, right = self.answers(batch, head, query, key)
        return left & right

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        (a, b), (c, d) = self.left.span(first, last, keys), self.right.span(first, last, keys)
        return within(max(a, c), min(b, d), keys)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        stretch = (first, last, start, stop)
        return self.left.full(*stretch) and self.right.full(*stretch)

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval] | None:
        left, right = stretches(self.left, query, keys), stretches(self.right, query, keys)
        return None if left is None or right is None else both(left, right)

    def first(self, keys: int) -> Int[Tensor, "batch"] | int:
        left, right = self.left.first(keys), self.right.first(keys)
        if isinstance(right, Tensor):  # asked of a tensor: its device may not be the default one
            left, right = right, left
        return left.clamp(min=right) if isinstance(left, Tensor) else max(left, right)


@dataclass(frozen=True, repr=False)
class Or(Pair):
    """A query attends where one mask lets it: `left | right`."""

    sign = "|"

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        left, right = self.answers(batch, head, query, key)
        return left | right

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        (a, b), (c, d) = self.left.span(first, last, keys), self.right.span(first, last, keys)
        return min(a, c), max(b, d)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        stretch = (first, last, start, stop)
        return self.left.full(*stretch) or self.right.full(*stretch)

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval] | None:
        left, right = stretches(self.left, query, keys), stretches(self.right, query, keys)
        return None if left is None or right is None else [*left, *right]


@dataclass(frozen=True, repr=False)
class Of(Mask):
    """A mask made of one other."""

    mask: Mask

    @property
    def _parts(self) -> tuple[Mask, ...]:
        return (self.mask,)

    @property
    def batch(self) -> int | None:
        return self.mask.batch

    @property
    def heads(self) -> int | None:
        return self.mask.heads


@dataclass(frozen=True, repr=False)
class Not(Of):
    """A query attends where the mask does not let it: `~mask`.

    Dynamo traces `&` and `|` but not `~`: make this one outside of what is compiled.
    """

    @property
    def keys(self) -> int | None:
        return self.mask.keys

    @property
    def relative(self) -> bool:
        return self.mask.relative

    def over(self, keys: int) -> Mask:
        told = self.mask.over(keys)
        return self if told is self.mask else Not(told)

    def __invert__(self) -> Mask:
        return self.mask  # which says more of its rule

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        keep = self.mask.__call__(batch, head, query, key)
        if isinstance(key, Tensor):
            checks.truth(keep, self.mask)
        return not keep if isinstance(keep, bool) else ~keep  # `not None` would be True

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval] | None:
        hidden = stretches(self.mask, query, keys)
        if hidden is None:
            return None
        seen: list[Interval] | None = [(0, keys)]
        for start, stop in hidden:
            seen = seen and both(seen, [(0, start), (stop, keys)])
        return seen

    def __repr__(self) -> str:
        return f"~{self.mask!r}"


def joint(left: int | None, right: int | None) -> int | None:
    """The count of two together: one that is missing, or is 1, goes with any other, even with 0."""
    return right if left is None or (left == 1 and right is not None) else left

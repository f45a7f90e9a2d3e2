"""What every mask is: a rule about positions."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention import checks
from attention.holding import held
from attention.masks.inherited import forget
from attention.masks.intervals import Interval, Position

if TYPE_CHECKING:
    import torch.nn.attention.flex_attention

Seen = Bool[Tensor, "..."] | bool  # made once: of a rule for each call it took half of the time
Rule = Callable[[Position, Position, Position, Position], Seen]


class Mask:
    """A rule that says which query may attend to which key.

    A mask is called with positions and says `True` where the query may *attend*. Positions are
    absolute and aligned at the end: with `T` queries and `S` keys, query `i` stands at position
    `i + S − T`. So the last query always stands where the last key stands, which is what
    decoding with a cache needs.

    `&`, `|` and `~` make new masks. In a notebook a mask shows itself as a picture.

    What a rule says follows from the positions, from what the mask holds, and from what its code
    reads in its own module: what was made of a mask serves the next call with an equal one.

    Examples:
        A mask of your own, every other key:

        >>> from attention import Causal, Mask
        >>> class Even(Mask):
        ...     def __call__(self, batch, head, query, key):
        ...         return key % 2 == 0
        >>> (Causal() & Even()).to_tensor(2, 4).int().tolist()
        [[1, 0, 1, 0], [1, 0, 1, 0]]
    """

    __array_ufunc__ = None  # so that NumPy's & and | come to ours, and not for each entry

    def __init_subclass__(cls, **keywords: Any) -> None:
        """A new rule takes over nothing that was said of an old one."""
        super().__init_subclass__(**keywords)
        checks.properties(cls)
        forget(cls, Mask)

    def __call__(self, batch: Position, head: Position, query: Position, key: Position) -> Seen:
        """Whether the query at one position may attend to the key at another.

        The arguments are those of FlexAttention's `mask_mod`: indices of batch and head,
        positions of query and key, as tensors that broadcast or as numbers. A rule that uses an
        index needs the property `batch` or `heads` too.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")

    # While compiling, PyTorch 2.11 asks this of an object that is called: call its `__call__`.
    def __bool__(self) -> bool:
        raise TypeError("a mask is neither true nor false: combine masks with &, | and ~")

    @property
    def _parts(self) -> tuple["Mask", ...]:
        """The masks that it is made of: where it is wrong, one of them may be named."""
        return ()

    @property
    def batch(self) -> int | None:
        """How many sequences the mask tells apart; None if all are alike."""
        return None

    @property
    def heads(self) -> int | None:
        """How many heads the mask tells apart; None if all are alike."""
        return None

    @property
    def keys(self) -> int | None:
        """How many keys the mask is made for; None if for any number."""
        return None

    @property
    def relative(self) -> bool:
        """Whether the rule asks for distances alone, so that positions may count from anywhere.

        Examples:
            >>> from attention import Causal, PrefixLM, SlidingWindow
            >>> (Causal() & SlidingWindow(3)).relative, PrefixLM(3).relative
            (True, False)
        """
        return False

    def over(self, keys: int) -> "Mask":
        """This mask, told how many keys there are: some rules count from the last one.

        Args:
            keys: `S`, a count.
        """
        return self

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        """A stretch of keys outside of which the queries of a stretch see nothing.

        It is never too short and may be too long: what it leaves out can be skipped.

        Args:
            first: Position of the first query.
            last: Position of the last query, included.
            keys: `S`, a count.

        Returns:
            The first key, and the one after the last.

        Examples:
            >>> from attention import Causal, SlidingWindow
            >>> (Causal() & SlidingWindow(3)).span(10, 15, keys=100)
            (8, 16)
        """
        return 0, keys

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        """Whether each query of a stretch surely sees each key of a stretch; False in doubt.

        Args:
            first: Position of the first query.
            last: Position of the last query, included.
            start: Position of the first key.
            stop: The position after the last key.

        Examples:
            >>> from attention import Causal, SlidingWindow
            >>> (Causal() & SlidingWindow(3)).full(10, 10, start=8, stop=11)
            True
        """
        return False

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> Sequence[Interval] | None:
        """The keys that each query sees, as stretches from a start to before a stop.

        A query sees what lies in any of them: they may overlap, be empty and reach beyond the
        keys there are. None where the rule is not so simple; then nothing can be planned.

        Args:
            query: Shape `(T,)`, absolute positions.
            keys: `S`, a count.

        Returns:
            Pairs of start and stop, each a number or a tensor that broadcasts to `(batch, T)`.

        Examples:
            >>> import torch
            >>> from attention import SlidingWindow
            >>> SlidingWindow(2).intervals(torch.tensor([5, 6]), keys=8)
            [(tensor([4, 5]), tensor([7, 8]))]
        """
        return None

    def first(self, keys: int) -> Int[Tensor, "batch"] | int:
        """Where the first token of each sequence stands: at 0, or after padding on the left.

        Args:
            keys: `S`, a count.

        Returns:
            A position for each sequence, shape `(batch,)`, or one for all.

        Examples:
            >>> import torch
            >>> from attention import Padding
            >>> Padding(torch.tensor([3, 5]), side="left").first(keys=5)
            tensor([2, 0])
        """
        return 0

    def mask_mod(self, queries: int, keys: int) -> Rule:
        """The mask as FlexAttention's `mask_mod`, which counts queries from 0.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.

        Raises:
            TypeError: A count is no integer.
            ValueError: A count is negative, or the mask is made for another number of keys.

        Examples:
            The first of 2 queries stands at position 1 of 3.

            >>> from attention import Causal
            >>> Causal().mask_mod(2, 3)(0, 0, query=0, key=1)
            True
        """
        queries, keys = checks.counts(self, queries, keys)
        rule, offset = self.over(keys), keys - queries

        def mask_mod(batch: Position, head: Position, query: Position, key: Position) -> Seen:
            return rule.__call__(batch, head, query + offset, key)

        return mask_mod

    def block_mask(
        self,
        queries: int,
        keys: int,
        *,
        device: torch.device | str = "cpu",
        block_size: int | tuple[int, int] = 128,
    ) -> "torch.nn.attention.flex_attention.BlockMask":
        """The mask as a `BlockMask`, with which FlexAttention skips the blocks that are empty.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
            device: Where to make it.
            block_size: How many queries, and how many keys, make a block; two numbers, if not as
                many.

        Returns:
            What `flex_attention` takes as `block_mask`.

        Raises:
            TypeError: A count is no integer.
            ValueError: A count is less than 1, the mask is made for another number of keys, or it
                holds a tensor elsewhere.

        Source:
            Dong et al., *Flex Attention: A Programming Model for Generating Optimized Attention
            Kernels* (2024), section 3.2.
        """
        queries, keys = checks.sizes(queries=queries, keys=keys)
        given = block_size if isinstance(block_size, tuple) else (block_size,)
        sizes = [checks.count("block_size", size, 1) for size in given]
        if len(sizes) not in (1, 2):
            raise ValueError(f"block_size has {len(sizes)} numbers: expected one or two")
        # Late: from PyTorch 2.15 on this loads SymPy, which takes a third as long as torch itself.
        from torch.nn.attention.flex_attention import create_block_mask

        rule: Any = self.mask_mod(queries, keys)
        checks.devices(self, torch.empty(0, device=device).device)  # cuda is cuda:0, say
        return create_block_mask(
            rule, self.batch, self.heads, queries, keys, device, BLOCK_SIZE=(sizes[0], sizes[-1])
        )

    def to_tensor(
        self, queries: int, keys: int, *, device: torch.device | str | None = None
    ) -> Bool[Tensor, "..."]:
        """The mask as a boolean tensor, shape `(T, S)`.

        A mask that tells heads apart gives `(heads, T, S)`; one that tells sequences apart
        gives `(batch, heads, T, S)`, with one head if all are alike.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
            device: Where to make the tensor; torch's default device if not given. What the mask
                holds must lie there.

        Raises:
            TypeError: The rule of a mask of your own gives something other than booleans.
            ValueError: A count is negative, the mask is made for another number of keys or
                holds a tensor elsewhere, or its rule gives another shape or device.

        Examples:
            Two queries on three keys: the first query stands at position 1.

            >>> from attention import Causal
            >>> Causal().to_tensor(2, 3)
            tensor([[ True,  True, False],
                    [ True,  True,  True]])
        """
        tile = self.tile(queries, keys, slice(0, queries), slice(0, keys), device)
        # A copy: a rule may give a tensor that it holds.
        return tile.clone(memory_format=torch.contiguous_format)

    def shape(self, queries: int, keys: int) -> tuple[int, ...]:
        """The shape of `to_tensor`.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
        """
        if self.batch is not None:
            return self.batch, self.heads or 1, queries, keys
        return (queries, keys) if self.heads is None else (self.heads, queries, keys)

    def tile(
        self,
        queries: int,
        keys: int,
        rows: slice,
        columns: slice,
        device: torch.device | str | None = None,
    ) -> Bool[Tensor, "..."]:
        """Some rows and columns of `to_tensor`, made without the others.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
            rows: Which queries, counted from 0: from a start to before a stop, without a step.
            columns: Which keys, in the same way.
            device: As in `to_tensor`.

        Raises:
            TypeError: As in `to_tensor`.
            ValueError: As in `to_tensor`.
        """
        rule = self.mask_mod(queries, keys)
        query = torch.arange(rows.start, rows.stop, device=device)[:, None]
        key = torch.arange(columns.start, columns.stop, device=device)
        checks.devices(self, key.device)
        # Also where none are told apart: what a rule makes of them shows in the axes of its result.
        head = torch.arange(self.heads or 1, device=device)
        batch = torch.arange(1 if self.batch is None else self.batch, device=device)
        head, batch = head[:, None, None], batch[:, None, None, None]
        # A rule may read what it holds of a key: where there is none, it is not asked.
        keep = rule(batch, head, query, key) if columns.stop > columns.start else False
        if isinstance(keep, bool):
            keep = torch.tensor(keep, device=device)
        shape = self.shape(rows.stop - rows.start, columns.stop - columns.start)
        checks.ruled(
            keep,
            self,
            shape,
            key.device,
            lambda part: part.tile(queries, keys, rows, columns, device),
        )
        return keep.expand(shape)

    def to(self, device: torch.device | str) -> "Mask":
        """The same mask with the tensors that it holds on a device; itself if it holds none.

        Args:
            device: Where they are to be.

        Raises:
            TypeError: Its type names no device.
        """
        checks.place(device)
        from attention.masks.moved import moved  # late: only few move

        return moved(self, device, {}) if any(held(self)) else self

    def __and__(self, other: "Mask") -> "Mask":
        from attention.masks.combine import And  # late: it is a mask too

        return And(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        from attention.masks.combine import Or

        return Or(self, other)

    def __rand__(self, other: Any) -> "Mask":
        return self & other  # refused, with a reason

    def __ror__(self, other: Any) -> "Mask":
        return self | other

    def __invert__(self) -> "Mask":
        from attention.masks.combine import Not

        return Not(self)

    def svg(self, queries: int, keys: int) -> str:
        """The mask as a picture: a row for each query, a column for each key, filled where it sees.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
        """
        from attention.masks.drawing import svg

        return svg(self, queries, keys)

    def _repr_html_(self) -> str | None:  # what a notebook shows; None: the text alone
        count = 8 if self.keys is None else self.keys
        cells = (self.batch or 1) * (self.heads or 1) * count**2
        seen = cells <= 64**2 and not any(x.is_meta for *_, x in held(self))
        return self.svg(count, count) if seen else None

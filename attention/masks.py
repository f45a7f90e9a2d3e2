"""Masks: which query may attend to which key. `True` means attend."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

Position = Int[Tensor, "..."] | int


class Mask:
    """A rule that says which query may attend to which key.

    A mask is called with positions and says `True` where the query may *attend*. Positions are
    absolute and aligned at the end: with `T` queries and `S` keys, query `i` stands at position
    `i + S − T`. So the last query always stands where the last key stands, which is what
    decoding with a cache needs.
    """

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        """Whether the query at one position may attend to the key at another.

        The arguments are those of FlexAttention's `mask_mod`: indices of batch and head,
        positions of query and key, as tensors that broadcast or as numbers.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")

    def to_tensor(
        self, queries: int, keys: int, *, device: torch.device | str | None = None
    ) -> Bool[Tensor, "queries keys"]:
        """The mask as a boolean tensor, shape `(T, S)`.

        Args:
            queries: `T`, a count.
            keys: `S`, a count.
            device: Where to make the tensor.

        Raises:
            TypeError: The rule of a mask of your own gives something other than booleans.
            ValueError: A count is negative, or the rule gives another shape or device.

        Examples:
            Two queries on three keys: the first query stands at position 1.

            >>> from attention import Causal
            >>> Causal().to_tensor(2, 3)
            tensor([[ True,  True, False],
                    [ True,  True,  True]])
        """
        for name, count in (("queries", queries), ("keys", keys)):
            if count < 0:
                raise ValueError(f"{name} is {count}: expected a count of at least 0")
        query = torch.arange(keys - queries, keys, device=device)[:, None]
        key = torch.arange(keys, device=device)[None, :]
        keep = self(0, 0, query, key)
        name = type(self).__name__
        if isinstance(keep, bool):
            keep = torch.tensor(keep, device=device)
        if not isinstance(keep, Tensor) or keep.dtype != torch.bool:
            kind = keep.dtype if isinstance(keep, Tensor) else type(keep).__name__
            raise TypeError(f"{name} gives {kind}: expected torch.bool, where True means attend")
        if keep.device != query.device:
            raise ValueError(f"{name} gives a mask on {keep.device}: expected {query.device}")
        if keep.ndim > 2 or any(
            m not in (1, s) for m, s in zip(keep.shape[::-1], (keys, queries), strict=False)
        ):
            shape = tuple(keep.shape)
            raise ValueError(f"{name} gives shape {shape}: expected {(queries, keys)}")
        return keep.expand(queries, keys)


@dataclass(frozen=True)
class Causal(Mask):
    """A query attends to its own position and to those before it.

        keep[i, j]  where  j ≤ i + S − T                                  (T, S)

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3, third item.

    Examples:
        >>> from attention import Causal
        >>> Causal().to_tensor(3, 3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
    """

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        return key <= query

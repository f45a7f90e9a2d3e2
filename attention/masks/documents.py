"""Several documents in one sequence."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn.functional import pad

from attention import checks
from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, row


@dataclass(frozen=True, eq=False)
class Documents(Mask):
    """A query attends to the positions that have its own document's number.

        keep[b, 0, i, j]  where  ids[b, i + S − T] = ids[b, j]            (batch, 1, T, S)

    Args:
        ids: Shape `(batch, S)`, or `(1, S)` for all sequences alike: the number of the document
            that a position belongs to. A document need not be in one piece.

    Raises:
        TypeError: The ids are not a tensor of integers.
        ValueError: The ids have not two axes, or, once used, `S` is another.

    Source:
        Krell et al., *Efficient Sequence Packing without Cross-contamination* (2021),
        section 3.2.

    Examples:
        >>> import torch
        >>> from attention import Documents
        >>> Documents(torch.tensor([[0, 0, 1]])).to_tensor(3, 3).int().tolist()
        [[[[1, 1, 0], [1, 1, 0], [0, 0, 1]]]]
    """

    ids: Int[Tensor, "batch keys"]

    def __post_init__(self) -> None:
        checks.integers("ids", self.ids, "(batch, S)", 2)

    @property
    def batch(self) -> int:
        return self.ids.shape[0]

    @property
    def keys(self) -> int:
        return self.ids.shape[1]

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."]:
        # With more queries than keys the first stand before position 0, in no document.
        inside = query >= 0
        b = row(batch, self.batch)
        return inside & (self.ids[b, query * inside] == self.ids[b, key])

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval] | None:
        ids = self.ids
        changes = ids.diff(dim=-1) != 0  # (batch, S − 1), where the next document begins
        kinds = ids.sort(dim=-1).values.diff(dim=-1) != 0
        if not torch.equal(changes.sum(dim=-1), kinds.sum(dim=-1)):
            return None  # a document in pieces
        edge = torch.arange(keys)[1:]
        starts = (changes * edge).cummax(dim=-1).values
        stops = edge.where(changes, keys).flip(-1).cummin(dim=-1).values.flip(-1)
        starts, stops = pad(starts, (1, 0)), pad(stops, (0, 1), value=keys)
        inside = query >= 0
        here = query * inside
        return [(starts[:, here], stops[:, here] * inside)]

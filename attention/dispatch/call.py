"""What one call asks for."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.masks import Causal, Mask
from attention.transforms import learns


class Call(NamedTuple):
    """The arguments by which it is found how to compute; `scale` says nothing of it."""

    query: Float[Tensor, "*heads queries head_dim"]
    key: Float[Tensor, "*kv_heads keys head_dim"]
    value: Float[Tensor, "*kv_heads keys value_dim"]
    mask: Mask | Bool[Tensor, "..."] | None = None
    bias: Float[Tensor, "..."] | None = None
    softcap: float | None = None
    dropout_p: float = 0.0
    return_weights: bool = False

    @property
    def queries(self) -> int:
        return self.query.size(-2)

    @property
    def keys(self) -> int:
        return self.key.size(-2)

    @property
    def scores(self) -> int:
        """How many there are, of all heads."""
        return self.query.shape[:-1].numel() * self.keys

    @property
    def is_causal(self) -> bool:
        """Whether the mask is what torch's kernel calls so, aligned as ours if T = S."""
        return type(self.mask) is Causal and surely_equal(self.queries, self.keys)

    @property
    def learns(self) -> bool:
        """Whether gradients of queries, keys or values will be asked for."""
        return learns(self.query, self.key, self.value)


def surely_equal(one: int, other: int) -> bool:
    """Whether two sizes are the same: while compiling, in each later call too."""
    if torch.compiler.is_compiling():  # else they are numbers
        from torch.fx.experimental.symbolic_shapes import statically_known_true  # late: SymPy

        return statically_known_true(one == other)
    return one == other

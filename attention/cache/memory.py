"""Keys and values of another sequence, computed once."""

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor

from attention import checks


@dataclass(frozen=True, eq=False, repr=False)
class Memory:
    """Keys and values of a sequence that does not change, for cross-attention step by step.

    A module makes it, and takes it in the place of the key:

        memory = attend.remember(encoded)
        attend(x, memory)   =   attend(x, encoded)

    Unlike what a cache holds, it is not detached: gradients reach the module that made it.

    Args:
        key: Shape `(…, K, S, D)`, projected.
        value: Shape `(…, K, S, E)`, projected; a module makes it as wide as the key.

    Raises:
        TypeError: The key or the value is no tensor, is not floating, or they differ in dtype.
        ValueError: Their shapes or devices do not go together.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3, first item.

    Examples:
        >>> import torch
        >>> from attention import MultiHeadAttention
        >>> attend, encoded = MultiHeadAttention(8, 2), torch.randn(1, 5, 8)
        >>> memory = attend.remember(encoded)
        >>> attend(torch.randn(1, 1, 8), memory).shape
        torch.Size([1, 1, 8])
    """

    key: Float[Tensor, "*batch kv_heads keys head_dim"]
    value: Float[Tensor, "*batch kv_heads keys value_dim"]

    def __post_init__(self) -> None:
        checks.cached(self.key, self.value, None, None)

    def __repr__(self) -> str:
        return f"Memory(length={self.key.shape[-2]})"

    def reorder(self, index: Int[Tensor, "sequences"]) -> "Memory":
        """Other sequences, in another order, fewer of them, or some of them several times.

        Args:
            index: Shape `(sequences,)`: which sequence of the batch stands there.

        Raises:
            TypeError: The index is not a tensor of integers.
            ValueError: The index names a sequence that is not remembered.
        """
        checks.order(index, self.key, "memory")
        index = index.long()
        return Memory(self.key.index_select(0, index), self.value.index_select(0, index))

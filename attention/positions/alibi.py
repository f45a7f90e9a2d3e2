"""Positions as a bias: what is far away scores less."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention import checks
from attention.positions.base import Positions


def slopes(heads: int) -> list[float]:
    """How fast the score falls with the distance, in each head.

        slope[h] = 2^(−8 (h + 1) / heads)

    where the number of heads is a power of 2. For another number: the slopes of the next power
    below, and then every second one of the next power above, as many as are missing.

    Args:
        heads: A count, at least 1.

    Raises:
        TypeError: The count is no integer.
        ValueError: The count is less than 1.

    Source:
        Press, Smith and Lewis, *Train Short, Test Long* (2022), section 3; other numbers of heads
        are in the code of the paper, and in BLOOM.

    Examples:
        >>> from attention.positions.alibi import slopes
        >>> slopes(3)
        [0.0625, 0.00390625, 0.25]
    """
    heads = checks.count("heads", heads, 1)
    below = 1 << heads.bit_length() - 1
    falling = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    between = [2 ** (-4 * h / below) for h in range(1, 2 * (heads - below), 2)]
    return falling + between


@dataclass(frozen=True)
class ALiBi(Positions):
    """A key scores the less the farther away it is, in each head at a pace of its own.

        bias[h, i, j] = −slope[h] · |i + S − T − j|                          (H, T, S)

    The paper adds it under a causal mask, where the distance needs no bars. Some code adds
    `slope[h] · j` instead: a row differs by one number, which softmax does not see.

    Source:
        Press, Smith and Lewis, *Train Short, Test Long: Attention with Linear Biases Enables
        Input Length Extrapolation* (2022), section 3.

    Examples:
        One query, the last of three tokens:

        >>> import torch
        >>> from attention import ALiBi
        >>> ALiBi().bias(torch.zeros(2, 1, 4), keys=3).tolist()
        [[[-0.125, -0.0625, 0.0]], [[-0.0078125, -0.00390625, 0.0]]]
    """

    def bias(
        self, query: Float[Tensor, "*batch heads queries head_dim"], keys: int
    ) -> Float[Tensor, "heads queries keys"]:
        """What is added to the scores of these queries, shape `(H, T, S)`.

        Args:
            query: The queries, shape `(…, H, T, D)`, which end where the keys end.
            keys: `S`, a count.
        """
        *_, heads, queries, _ = query.shape
        device = query.device
        precise = torch.promote_types(query.dtype, torch.float32)
        steep = torch.tensor(slopes(int(heads)), dtype=precise, device=device)[:, None, None]
        at = torch.arange(keys - queries, keys, device=device)[:, None]
        distance = (at - torch.arange(keys, device=device)).abs()
        return (steep * -distance).to(query.dtype)

"""Positions as rotations of queries and keys."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from attention import checks
from attention.positions.base import Positions
from attention.positions.tables import cos_sin, frequencies

Layout = Literal["half", "interleaved"]


def half_split(
    x: Float[Tensor, "... width"],
    cos: Float[Tensor, "... half_width"],
    sin: Float[Tensor, "... half_width"],
) -> Float[Tensor, "... width"]:
    """Turn number `i` of the first half with number `i` of the second."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def interleaved(
    x: Float[Tensor, "... width"],
    cos: Float[Tensor, "... half_width"],
    sin: Float[Tensor, "... half_width"],
) -> Float[Tensor, "... width"]:
    """Turn each number of even index with its right neighbour."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)


LAYOUTS = {"half": half_split, "interleaved": interleaved}


@dataclass(frozen=True, kw_only=True)
class Rotary(Positions):
    """Queries and keys are rotated, so that a score depends on the distance alone.

    With `angle[p, i] = p · base^(−2i / width)`, at position `p` each pair of numbers turns:

        (a, b)  becomes  (a cos(angle) − b sin(angle),  b cos(angle) + a sin(angle))

    Which numbers make a pair is the layout: in halves, `i` and `i + width / 2`, as Llama has it
    in transformers and GPT-NeoX everywhere; interleaved, `2i` and `2i + 1`, as in the paper, in
    Meta's own Llama and in GPT-J. Weights trained with one are wrong with the other. Angles are
    computed in float64 and applied in float32, or in float64 to float64. Arguments are given by
    name, since the first of other libraries is the width.

    Args:
        base: How much slower than the first pair the last one would turn, without unit, above 0.
        width: How many numbers of each head turn, from the first on; all of them if not given.
        layout: `half` or `interleaved`.

    Raises:
        TypeError: The base or the width has the wrong type.
        ValueError: The base is not above 0, the width is odd or less than 2, or the layout has
            another name; later, heads are narrower than the width, or all of a head turns and
            its width is odd.

    Source:
        Su et al., *RoFormer: Enhanced Transformer with Rotary Position Embedding* (2021),
        section 3.2.2, equations 14 and 15; a part of each head: Black et al., *GPT-NeoX-20B*
        (2022), section 2.1.1.

    Examples:
        Twice the same two vectors at a distance of 3, and the same score:

        >>> import torch
        >>> from attention import Rotary
        >>> query, key = torch.tensor([[1.0, 2.0, 3.0, 4.0], [2.0, 0.0, 1.0, 1.0]]).split(1)
        >>> rotary = Rotary(layout="interleaved")
        >>> def score(query_at, key_at):
        ...     at = torch.tensor([query_at]), torch.tensor([key_at])
        ...     return (rotary.rotate(query, at[0]) @ rotary.rotate(key, at[1]).T).item()
        >>> round(score(4, 1), 4), round(score(904, 901), 4)
        (4.4224, 4.4224)
    """

    base: float = 10_000.0
    width: int | None = None
    layout: Layout = "half"

    def __post_init__(self) -> None:
        # As a float: an integer may be too large for the powers.
        object.__setattr__(self, "base", checks.above_zero("base", self.base))
        if self.width is not None:
            object.__setattr__(self, "width", checks.even("width", self.width))
        checks.layout(self.layout, LAYOUTS)

    def check(self, head_dim: int) -> None:
        checks.rotated(self.width, head_dim)

    def rotate(
        self, x: Float[Tensor, "*heads tokens head_dim"], at: Int[Tensor, "..."]
    ) -> Float[Tensor, "*heads tokens head_dim"]:
        """Each token turned to its position.

        Args:
            x: Queries or keys, shape `(…, T, D)`.
            at: Their positions, which broadcast to `(…, T)`; with heads, `(batch, 1, T)` tells
                sequences apart.

        Raises:
            TypeError: The tokens are not numbers of floating point, or the positions no integers.
            ValueError: The positions do not broadcast, or the width does not fit.
        """
        checks.turned(x, at)
        self.check(x.shape[-1])
        return self.turn(x, *self.table(x, at))

    def place(
        self,
        query: Float[Tensor, "*batch heads queries head_dim"],
        key: Float[Tensor, "*batch kv_heads keys head_dim"],
        past: int = 0,
        first: Int[Tensor, "batch"] | int = 0,
    ) -> tuple[
        Float[Tensor, "*batch heads queries head_dim"],
        Float[Tensor, "*batch kv_heads keys head_dim"],
    ]:
        """Queries and keys turned to their positions, by one table for both: they end together."""
        queries, keys = query.shape[-2], key.shape[-2]
        end, rows = past + keys, max(queries, keys)
        if not isinstance(first, Tensor):
            end = end - first
        at = torch.arange(end - rows, end, device=query.device)
        if isinstance(first, Tensor):
            at = at - first[:, None, None]  # (batch, 1, rows): all heads alike
        cos, sin = self.table(query, at)
        query = self.turn(query, cos[..., rows - queries :, :], sin[..., rows - queries :, :])
        return query, self.turn(key, cos[..., rows - keys :, :], sin[..., rows - keys :, :])

    def table(
        self, x: Float[Tensor, "... head_dim"], at: Int[Tensor, "*shape"]
    ) -> tuple[Float[Tensor, "*shape half_width"], Float[Tensor, "*shape half_width"]]:
        """Cosines and sines for `x`: in float32, or in float64 if it is.

        Args:
            x: Queries or keys, shape `(…, T, D)`, of which width and dtype count.
            at: Positions, of any shape, to which the axis of pairs is added.
        """
        frequency = self.frequencies(self.width or x.shape[-1], at.device)
        return cos_sin(at, frequency, torch.promote_types(x.dtype, torch.float32))

    def frequencies(self, width: int, device: torch.device) -> Float64[Tensor, "half_width"]:
        """How far each pair turns from one position to the next, in radians, shape `(width / 2,)`.

        A class of your own can say it otherwise, as models for long texts do:
        [later Llamas](models.md#rope-scaling-the-positions-of-a-later-llama).

        Args:
            width: How many numbers of each head turn.
            device: Where to make them.
        """
        return frequencies(width, self.base, device)

    def turn(
        self,
        x: Float[Tensor, "*heads tokens head_dim"],
        cos: Float[Tensor, "... half_width"],
        sin: Float[Tensor, "... half_width"],
    ) -> Float[Tensor, "*heads tokens head_dim"]:
        """The first numbers of each token turned, the others as they are.

        Args:
            x: Queries or keys, shape `(…, T, D)`.
            cos: What `table` made, to broadcast to `(…, T, pairs)`.
            sin: The same, of the sines.
        """
        width = 2 * cos.shape[-1]
        turned = LAYOUTS[self.layout](x[..., :width].to(cos.dtype), cos, sin).to(x.dtype)
        return turned if width == x.shape[-1] else torch.cat([turned, x[..., width:]], dim=-1)

"""What every way to tell positions is: it may change queries and keys, and may add a bias."""

from jaxtyping import Float, Int
from torch import Tensor


class Positions:
    """A way to tell attention where the tokens stand; this one tells nothing.

    A module that is made with `positions` calls `place` before its keys go into a cache, so that
    each is placed once, and `bias` with all the keys there are: beside a `RollingKVCache`, with
    those that it holds, so that a bias there must depend on distances alone.
    """

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
        """Queries and keys that know where they stand.

        Args:
            query: The queries, whose last stands where the last key stands.
            key: The keys, which stand at `past`, `past + 1`, …
            past: How many keys came before these.
            first: Where the first token of each sequence stands, which counts as position 0:
                [`mask.first`][attention.masks.base.Mask.first].
        """
        return query, key

    def bias(
        self, query: Float[Tensor, "*batch heads queries head_dim"], keys: int
    ) -> Float[Tensor, "heads queries keys"] | None:
        """What is added to the scores of these queries, shape `(H, T, S)`; None: nothing.

        Args:
            query: The queries, shape `(…, H, T, D)`, which end where the keys end.
            keys: `S`, a count.
        """
        return None

    def check(self, head_dim: int) -> None:
        """Raise a ValueError if heads of this width cannot be placed."""

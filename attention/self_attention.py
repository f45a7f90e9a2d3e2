"""Self-attention with one head, as a module."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention import checks
from attention.functional import dot_product_attention
from attention.layers import through
from attention.masks import Causal, Mask


class SelfAttention(nn.Module):
    """Every token asks every token of its sequence, with one head and no output projection.

    With tokens `x` of width `embed_dim`, and a matrix and a bias for each part:

        query = x W_q.T + b_q    key = x W_k.T + b_k    value = x W_v.T + b_v     (T, head_dim)
        context = dot_product_attention(query, key, value, mask)               (T, head_dim)

    Dropout is on the weights, and only in training. The module holds no mask: `causal` makes
    one for the tokens that come, however many they are.

    Args:
        embed_dim: Width of a token.
        head_dim: Width of query, key, value and context; `embed_dim` if not given.
        causal: Whether a token attends to itself and to those before it only.
        bias: Whether the three projections add a bias.
        dropout: The share of weights that is made zero in training, below 1.
        device: Where to make the parameters.
        dtype: Of the parameters.

    Raises:
        TypeError: A size or the dropout has the wrong type; later, an input's type or dtype.
        ValueError: A size is less than 1, the dropout is no share; later, an input's shape.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), sections 3.2.1 and 3.2.3.

    Examples:
        >>> import torch
        >>> from attention import SelfAttention
        >>> attend = SelfAttention(embed_dim=8, head_dim=4, causal=True)
        >>> x = torch.randn(2, 5, 8)
        >>> attend(x).shape
        torch.Size([2, 5, 4])
        >>> _, weights = attend(x, return_weights=True)
        >>> weights[0, 0].tolist()
        [1.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(
        self,
        embed_dim: int,
        head_dim: int | None = None,
        *,
        causal: bool = False,
        bias: bool = True,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        head_dim = embed_dim if head_dim is None else head_dim
        embed_dim, head_dim = checks.sizes(embed_dim=embed_dim, head_dim=head_dim)
        checks.flag("causal", causal)
        checks.flag("bias", bias)
        self.causal = causal
        self.dropout = checks.dropout("dropout", dropout)
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.query_proj = nn.Linear(embed_dim, head_dim, **options)
        self.key_proj = nn.Linear(embed_dim, head_dim, **options)
        self.value_proj = nn.Linear(embed_dim, head_dim, **options)

    def forward(
        self,
        x: Float[Tensor, "*batch tokens embed_dim"],
        mask: Mask | Bool[Tensor, "..."] | None = None,
        *,
        bias: Float[Tensor, "..."] | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "*batch tokens head_dim"]
        | tuple[Float[Tensor, "*batch tokens head_dim"], Float[Tensor, "*batch tokens tokens"]]
    ):
        """Contexts of the tokens, shape `(…, T, head_dim)`.

        Args:
            x: The tokens, shape `(…, T, embed_dim)`.
            mask: Which token may attend to which, beside `causal`; see
                [`dot_product_attention`][attention.functional.dot_product_attention], for which
                there is one head here: `(…, 1, T, T)`.
            bias: What is added to the scores, of a shape that broadcasts to `(…, 1, T, T)`.
            return_weights: Whether to return the weights too, shape `(…, T, T)`.

        Returns:
            The contexts; with `return_weights`, a pair of them and the weights.

        Raises:
            TypeError: An input has the wrong type or dtype.
            ValueError: A shape or a device does not fit.
        """
        # A parametrized weight is no parameter: to ask for it would compute it once more.
        checks.tokens("x", x, self.query_proj._parameters.get("weight"))
        if self.causal:
            mask = causal_and(mask, x.unsqueeze(-3))
        result: Any = dot_product_attention(
            through(self.query_proj, x).unsqueeze(-3),  # (…, 1, T, head_dim)
            through(self.key_proj, x).unsqueeze(-3),
            through(self.value_proj, x).unsqueeze(-3),
            mask,
            bias=bias,
            dropout_p=self.dropout if self.training else 0.0,
            return_weights=return_weights,
        )
        if return_weights:
            return result[0].squeeze(-3), result[1].squeeze(-3)
        return result.squeeze(-3)

    def extra_repr(self) -> str:
        return f"causal={self.causal}, dropout={self.dropout}"


def causal_and(mask: Any, query: Tensor) -> Any:
    """A mask, or none, and the causal one besides."""
    if mask is None:
        return Causal()
    if isinstance(mask, Tensor):
        checks.mask(mask, query, query)
        return Causal().to_tensor(query.shape[-2], query.shape[-2], device=query.device) & mask
    return Causal() & mask if isinstance(mask, Mask) else mask  # what is no mask is refused later

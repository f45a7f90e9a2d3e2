"""Attention with many heads, as a module."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention import autocast, checks, torch_module
from attention.cache import Cache, Memory
from attention.fastpath import fastpath
from attention.functional import dot_product_attention
from attention.heads import merge
from attention.layers import through
from attention.masks import Mask
from attention.positions import Positions
from attention.projections import PackedProjections
from attention.transforms import differentiable


class MultiHeadAttention(PackedProjections):
    """Several heads attend, each in a space of its own, and one projection joins what they find.

    With `H` heads of width `D`, each of which finds a context of shape `(T, D)`:

        head[h] = dot_product_attention(query W_q[h].T, key W_k[h].T, value W_v[h].T, mask)
        out     = concat(head[0], …, head[H − 1]) W_o.T                            (T, embed_dim)

    each product plus its bias. With `num_kv_heads` < `H`, neighbouring heads of queries share one
    of keys and values: grouped-query attention, and with a single one multi-query attention. With
    `qk_norm` each query and key is normalised, and after that `positions` has its say. It has no
    `backend`, and takes `auto`; to differentiate twice, ask for the weights.

    The rows of all `W_q[h]`, then of all `W_k[h]`, then of all `W_v[h]` are one matrix,
    `in_proj_weight`, with `K` key heads of shape `((H + 2K) · D, embed_dim)`: names and order are
    those of `nn.MultiheadAttention`, and one product serves self-attention. `query_proj`,
    `key_proj` and `value_proj` are its parts; a state dict may hold them apart. They are no layers:
    they have no hooks, they learn together or not at all, and their gradients are rows of
    `in_proj_weight.grad`. What looks for an `nn.Linear` finds `out_proj` alone, whose weight has
    shape `(embed_dim, H · D)`. All begin as `nn.Linear` does; torch's module draws
    `in_proj_weight` a little wider, and begins with biases of 0.

    Short self-attention without a mask, where no gradient is recorded, may be one call of torch's,
    which `nn.MultiheadAttention` makes too, and which gives the same to within rounding;
    `torch.backends.mha.set_fastpath_enabled(False)` turns it off in both. On AMD's processors from
    Zen 5 on, large products of which no gradient is recorded are made by oneDNN, which rounds
    otherwise; `torch.backends.mkldnn.set_flags(False)` turns that off.

    Args:
        embed_dim: Width of the inputs and of the output.
        num_heads: `H`.
        num_kv_heads: How many heads keys and values have, of which `H` is a multiple; `H` if
            not given.
        head_dim: `D`; `embed_dim / num_heads` if not given.
        bias: Whether the four projections add a bias.
        dropout: The share of weights that is made zero in training, below 1.
        positions: How the tokens are told where they stand, [`Rotary`]
            [attention.positions.rotary.Rotary] or [`ALiBi`][attention.positions.alibi.ALiBi];
            not at all if not given. They count from the first token that padding on the left
            leaves. Another sequence, as the key, ends where the query ends. With positions, no
            memory is made of it.
        qk_norm: Whether each query and key is divided by the root of its mean square and
            multiplied by a learned vector of `D` numbers, `query_norm` for the queries of all
            heads, and `key_norm` for their keys. A number is what is added to the mean square;
            `True` adds `1e-6`.
        softcap: The largest score in size; no limit if not given.
        scale: What multiplies the scores, without unit; `1 / sqrt(D)` if not given.
        device: Where to make the parameters.
        dtype: Of the parameters.

    Raises:
        TypeError: An argument has the wrong type; later, an input's type or dtype.
        ValueError: The sizes do not fit, or a number is out of its range; later, an input's shape.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2. Fewer key heads:
        Shazeer, *Fast Transformer Decoding* (2019), section 3; Ainslie et al., *GQA* (2023),
        section 2.2. Normalised queries and keys: Dehghani et al., *Scaling Vision Transformers
        to 22 Billion Parameters* (2023), section 2; by their root mean square: Qwen Team, *Qwen3
        Technical Report* (2025), section 2.

    Examples:
        >>> import torch
        >>> from attention import Causal, MultiHeadAttention
        >>> attend = MultiHeadAttention(embed_dim=32, num_heads=4, num_kv_heads=2)
        >>> x, other = torch.randn(1, 8, 32), torch.randn(1, 5, 32)
        >>> attend(x, mask=Causal()).shape
        torch.Size([1, 8, 32])
        >>> out, weights = attend(x, other, return_weights=True)
        >>> weights.shape
        torch.Size([1, 4, 8, 5])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
        qk_norm: bool | float = False,
        softcap: float | None = None,
        scale: float | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        embed_dim, num_heads, kv_heads = checks.sizes(
            embed_dim=embed_dim, num_heads=num_heads, num_kv_heads=kv_heads
        )
        checks.heads(embed_dim, num_heads, kv_heads, head_dim)
        head_dim = embed_dim // num_heads if head_dim is None else head_dim
        head_dim = checks.count("head_dim", head_dim, 1)
        checks.flag("bias", bias)
        dropout = checks.dropout("dropout", dropout)
        softcap, scale = checks.softcap(softcap), checks.scale(scale, head_dim)
        if positions is not None:
            checks.placed(positions, Positions)
            positions.check(head_dim)
        like: dict[str, Any] = {"device": device, "dtype": dtype}
        eps = checks.epsilon("qk_norm", qk_norm)
        super().__init__(embed_dim, num_heads, kv_heads, head_dim, bias, **like)
        self.out_proj = nn.Linear(num_heads * head_dim, embed_dim, bias=bias, **like)
        if eps is not None:
            self.query_norm = nn.RMSNorm(head_dim, eps, **like)
            self.key_norm = nn.RMSNorm(head_dim, eps, **like)
        self.positions, self.dropout = positions, dropout
        self.softcap, self.scale = softcap, scale

    def forward(
        self,
        query: Float[Tensor, "*batch queries embed_dim"],
        key: Float[Tensor, "*batch keys embed_dim"] | Memory | None = None,
        value: Float[Tensor, "*batch keys embed_dim"] | None = None,
        *,
        mask: Mask | Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: Cache | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "*batch queries embed_dim"]
        | tuple[
            Float[Tensor, "*batch queries embed_dim"],
            Float[Tensor, "*batch num_heads queries keys"],
        ]
    ):
        """What the heads found, shape `(…, T, embed_dim)`.

        Args:
            query: The tokens that ask, shape `(…, T, embed_dim)`.
            key: The tokens that are compared with them, shape `(…, S, embed_dim)`; the query
                if not given, which is self-attention; or what `remember` made of them.
            value: The tokens that are averaged, shape `(…, S, embed_dim)`; the key if not given.
            mask: Which token may attend to which; see
                [`dot_product_attention`][attention.functional.dot_product_attention]. With a
                cache a rule is about all positions so far; a tensor about those held and those
                that come.
            bias: What is added to the scores, of a shape that broadcasts to `(…, H, T, S)`, and to
                the bias of `positions`. With a cache, `S` are those held and those that come.
            cache: A [`KVCache`][attention.cache.growing.KVCache] or a [`RollingKVCache`]
                [attention.cache.rolling.RollingKVCache], which holds keys and values of what
                came before, and takes up those of the query's tokens.
            return_weights: Whether to return the weights too, of each head by itself, shape
                `(…, H, T, S)`; in training, those after dropout.

        Returns:
            The outputs, shape `(…, T, embed_dim)`; with `return_weights`, a pair of them and the
                weights.

        Raises:
            TypeError: An input has the wrong type or dtype.
            ValueError: A shape or a device does not fit, a mask does not fit the cache, or inputs
                are given that do not go together. A cache is then as it was.
        """
        if key is None and value is not None:
            raise ValueError("value is given without key: expected key, or neither")
        if key is query and (value is None or value is query):  # as torch's module is called
            key = value = None
        if cache is not None:
            checks.alone(cache, key, Cache)
        if key is mask is bias is cache is None:
            both: Any = fastpath(self, query, return_weights)
            if both is not None:
                return both if return_weights else both[0]
        checks.flag("return_weights", return_weights)
        weight = self.in_proj_weight  # once a call: what is parametrized is computed each time
        checks.tokens("query", query, weight)
        seen = mask if cache is None else cache.mask(mask, query.shape[-2])
        q, k, v = self._heads(query, key, value, weight)
        past, held = (0, 0) if cache is None else (cache.length, cache.beside())
        if bias is not None:
            checks.bias(bias, q, held + k.shape[-2])
        if self.positions is not None:
            first = mask.first(past + k.shape[-2]) if isinstance(mask, Mask) else 0
            checks.first(first, query)
            q, k = self.positions.place(q, k, past, first)
            bias = joint(bias, self.positions.bias(q, held + k.shape[-2]), q)
        keys, values = k, v
        rooms: Any = None
        if cache is not None:
            asked = (q, k, v) if bias is None else (q, k, v, bias)
            (keys, values), rooms = cache.join(k, v, differentiable(*asked))
        result: Any = dot_product_attention(
            q,  # (…, H, T, D)
            keys,
            values,
            seen,
            bias=bias,
            scale=self.scale,
            softcap=self.softcap,
            dropout_p=self.dropout if self.training else 0.0,
            return_weights=return_weights,
        )
        context, weights = result if return_weights else (result, None)
        out = through(self.out_proj, merge(context))
        if cache is not None:  # last of all: a call that fails leaves it as it was
            cache.keep(k, v, rooms)
        return out if weights is None else (out, weights)

    def remember(
        self,
        key: Float[Tensor, "*batch keys embed_dim"],
        value: Float[Tensor, "*batch keys embed_dim"] | None = None,
    ) -> Memory:
        """Keys and values of another sequence, computed once, to be given in the place of `key`.

        Args:
            key: The tokens that are to be compared, shape `(…, S, embed_dim)`.
            value: The tokens that are to be averaged, shape `(…, S, embed_dim)`; the key if not
                given.

        Raises:
            TypeError: An input has the wrong type or dtype.
            ValueError: A shape does not fit, or the module has positions, which count in one
                sequence.
        """
        checks.remembered(self.positions)
        value = key if value is None else value
        weight = self.in_proj_weight
        checks.read(key, key, value, weight, "key")
        return Memory(*self._keys_and_values(key, value, *self._parts(weight)[1:]))

    def _heads(
        self,
        query: Tensor,
        key: Tensor | Memory | None,
        value: Tensor | None,
        weight: Float[Tensor, "all_rows embed_dim"],
    ) -> tuple[
        Float[Tensor, "*batch num_heads queries head_dim"],
        Float[Tensor, "*batch num_kv_heads keys head_dim"],
        Float[Tensor, "*batch num_kv_heads keys head_dim"],
    ]:
        """Queries, keys and values, heads apart: of one sequence, of two, or of a memory."""
        if key is None:
            return self._project(query, weight)
        asks, *reads = self._parts(weight)
        if isinstance(key, Memory):
            checks.memory(key, query, value, self)
            return self._queries(query, asks), key.key, key.value
        value = key if value is None else value
        checks.read(query, key, value, weight)
        return self._queries(query, asks), *self._keys_and_values(key, value, *reads)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """A module with the weights of torch's own, which computes the same of the same mask.

        Torch's boolean masks say whom to ignore, ours whom to attend to: give `~attn_mask`, one of
        three axes as `~attn_mask.view(B, H, T, S)`, and `~key_padding_mask[:, None, None]`. A mask
        of numbers is a `bias` here. Its weights are averaged over heads, ours are not. Of a query
        that may attend to nothing torch's module makes NaN if the weights are asked for, or if no
        gradient is recorded and its fast path is taken, and else, as ours always does, a context of
        zeros. The weights are copied, with their dtype, device and `requires_grad`; dropout, and
        whether it trains, go over too.

        Args:
            module: Torch's, with `batch_first=True`.

        Raises:
            TypeError: It is not `nn.MultiheadAttention`, or one with a `forward` of its own; its
                `out_proj` is not `nn.Linear` itself; or it has other weights than those four, or
                without biases two.
            ValueError: It has `batch_first=False`, `kdim`, `vdim`, `add_bias_kv` or
                `add_zero_attn`, for which there is nothing here, or an `out_proj` of another width.

        Examples:
            >>> from torch import nn
            >>> from attention import MultiHeadAttention
            >>> MultiHeadAttention.from_torch(nn.MultiheadAttention(32, 4, batch_first=True))
            MultiHeadAttention(
              num_heads=4, num_kv_heads=4, head_dim=8, dropout=0.0
              (out_proj): Linear(in_features=32, out_features=32, bias=True)
            )
        """
        return torch_module.from_torch(cls, module)

    def to_torch(self) -> nn.MultiheadAttention:
        """The same weights in torch's own module, with `batch_first=True`.

        Raises:
            TypeError: `out_proj` is not `nn.Linear` itself, or there are other weights than those
                that torch's module has.
            ValueError: The heads are grouped or of another width than `embed_dim / num_heads`,
                `out_proj` has another width, or the module has positions, norms, a cap or a scale,
                for which torch has nothing.
        """
        return torch_module.to_torch(self)

    def extra_repr(self) -> str:
        said = (
            f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}, "
            f"head_dim={self.head_dim}, dropout={self.dropout}"
        )
        default = self.head_dim**-0.5
        # Positions that are a module stand among the parts, below.
        for name, value in (
            ("positions", None if "positions" in self._modules else self.positions),
            ("softcap", self.softcap),
            ("scale", self.scale if self.scale != default else None),
        ):
            said += "" if value is None else f", {name}={value}"
        return said


def joint(given: Tensor | None, placed: Tensor | None, query: Tensor) -> Tensor | None:
    """The bias of a call and that of positions, as one."""
    if given is None or placed is None:
        return placed if given is None else given
    if not autocast.mixes(given, query):
        checks.one_dtype("bias", given, "query", query)
    return given + placed

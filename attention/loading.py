"""What turns the weights of an attention class of transformers into ours, without importing it.

This holds for the rotary positions that a configuration calls `default`, all of a head turned.
Others, such as those of Llama 3.1 (`llama3`), of Gemma 3 from 4B on (`linear`) or YaRN, turn by
other frequencies: the weights would load, and the results be wrong. Recipes have
[the first](models.md#rope-scaling-the-positions-of-a-later-llama),
[the second](models.md#positions-divided-by-a-number) and
[the third](models.md#yarn-slower-turns-and-sharper-weights). A `sliding_window` of None, as in
later Mistrals, is no window. Other families have weights of the same names and another layout of
turns, another width that turns or another scale: of those that are not below, compare a layer's
result with theirs.

A family has a function from the state of its attention to one that ours loads. Sizes, positions and
masks are in its configuration `c`, here of version 5 of transformers, and are given to the module
and to its calls:

    Llama:       MultiHeadAttention(c.hidden_size, c.num_attention_heads,
                     num_kv_heads=c.num_key_value_heads, head_dim=c.head_dim, bias=False,
                     positions=Rotary(base=c.rope_parameters["rope_theta"]))
                 mask=Causal()
    Mistral:     the same;  mask=Causal() & SlidingWindow(c.sliding_window)
    Qwen2:       as Llama, without head_dim and with bias=True: o_proj, which has none, gets zeros
                 mask=Causal(), and in a layer of "sliding_attention" that of Mistral
    Qwen3:       as Llama, and qk_norm=c.rms_norm_eps;  mask as in Qwen2
    Gemma 2:     the same as Llama, and softcap=c.attn_logit_softcapping,
                     scale=c.query_pre_attn_scalar**-0.5
                 mask=Causal(), and in a layer of "sliding_attention" that of Mistral
    Gemma 3:     the same as Qwen3, and scale=c.query_pre_attn_scalar**-0.5,
                     positions=Rotary(base=c.rope_parameters[c.layer_types[layer]]["rope_theta"]);
                     add 1 to query_norm.weight and key_norm.weight: its norms multiply by
                     1 + weight
                 mask=Causal(), and in a layer of "sliding_attention" that of Mistral
    BLOOM:       MultiHeadAttention(c.hidden_size, c.n_head, positions=ALiBi());  mask=Causal()
    ModernBERT:  MultiHeadAttention(c.hidden_size, c.num_attention_heads, bias=False,
                     positions=Rotary(base=c.rope_parameters[c.layer_types[layer]]["rope_theta"]))
                 mask=None, or in a local layer SlidingWindow(c.local_attention // 2 + 1)
    BART:        MultiHeadAttention(c.d_model, c.decoder_attention_heads)
                 mask=Causal(), and across None
                 in the encoder c.encoder_attention_heads, and None
    Whisper:     the same
"""

from collections.abc import Iterator, Mapping

from jaxtyping import Float
from torch import Tensor

from attention import checks
from attention.projections import PARTS

State = Mapping[str, Float[Tensor, "..."]]

OURS = {
    "q_proj": "query_proj",
    "k_proj": "key_proj",
    "v_proj": "value_proj",
    "o_proj": "out_proj",
    "dense": "out_proj",
    "Wo": "out_proj",
    "q_norm": "query_norm",
    "k_norm": "key_norm",
}


def from_llama(theirs: State) -> dict[str, Tensor]:
    """The state of Llama's attention, Mistral's, Qwen's or Gemma 2's, as a state that ours loads.

        q_proj, k_proj, v_proj, o_proj   →   query_proj, key_proj, value_proj, out_proj
        q_norm, k_norm                   →   query_norm, key_norm

    The norms of Gemma 3 multiply by `1 + weight`: add 1 to them.

    Args:
        theirs: `attention.state_dict()`, where `attention` is theirs.

    Raises:
        TypeError: It is not a state: a mapping from names to tensors.
        ValueError: A name is not that of a weight or a bias, or a single number stands for one.

    Source:
        Touvron et al., *LLaMA: Open and Efficient Foundation Language Models* (2023),
        section 2.2.

    Examples:
        >>> import torch
        >>> from attention import MultiHeadAttention, Rotary
        >>> from attention.loading import from_llama
        >>> wide, narrow = torch.randn(48, 20), torch.randn(16, 20)
        >>> names = "q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"
        >>> theirs = dict(zip(names, (wide, narrow, narrow, wide.T), strict=True))
        >>> attend = MultiHeadAttention(20, 6, num_kv_heads=2, head_dim=8, bias=False,
        ...                             positions=Rotary(base=500_000.0))
        >>> attend.load_state_dict(from_llama(theirs))
        <All keys matched successfully>
    """
    return with_biases({f"{part}.{kind}": x for part, kind, x in named(theirs)})


def from_bart(theirs: State) -> dict[str, Tensor]:
    """The state of BART's attention, or Whisper's, as a state that ours loads.

        q_proj, k_proj, v_proj, out_proj   →   query_proj, key_proj, value_proj, out_proj

    Whisper's keys have no bias: theirs is zero here.

    Args:
        theirs: `attention.state_dict()`, where `attention` is theirs.

    Raises:
        TypeError: It is not a state: a mapping from names to tensors.
        ValueError: A name is not that of a weight or a bias, or a single number stands for one.

    Source:
        Lewis et al., *BART* (2019), section 2.1; Radford et al., *Robust Speech Recognition via
        Large-Scale Weak Supervision* (2022), section 2.2.

    Examples:
        >>> import torch
        >>> from attention.loading import from_bart
        >>> theirs = {"k_proj.weight": torch.ones(2, 2), "q_proj.weight": torch.ones(2, 2),
        ...           "q_proj.bias": torch.ones(2)}
        >>> from_bart(theirs)["key_proj.bias"]
        tensor([0., 0.])
    """
    return from_llama(theirs)


def from_bloom(theirs: State, num_heads: int) -> dict[str, Tensor]:
    """The state of BLOOM's attention as a state that ours loads.

        query_key_value, a part to each head, and in it query, key, value   →   three projections
        dense                                                               →   out_proj

    Args:
        theirs: `attention.state_dict()`, where `attention` is theirs.
        num_heads: How many heads its rows belong to, one after the other.

    Raises:
        TypeError: It is not a state: a mapping from names to tensors.
        ValueError: A name is not that of a weight or a bias, or a number of rows does not fit.

    Source:
        Le Scao et al., *BLOOM: A 176B-Parameter Open-Access Multilingual Language Model* (2022),
        section 3.2.

    Examples:
        With two heads of width 1, the rows are query, key, value of the first, then of the second:

        >>> import torch
        >>> from attention.loading import from_bloom
        >>> theirs = {"query_key_value.bias": torch.arange(6.0), "dense.bias": torch.zeros(2)}
        >>> from_bloom(theirs, num_heads=2)["key_proj.bias"]
        tensor([1., 4.])
    """
    num_heads = checks.count("num_heads", num_heads, 1)
    ours = {}
    for part, kind, x in named(theirs):
        if part == "query_key_value":
            checks.packed(f"{part}.{kind}", x, 3 * num_heads, f"3 · num_heads, {3 * num_heads}")
            heads = x.unflatten(0, (num_heads, 3, -1))  # (H, 3, D, …)
            for i, own in enumerate(PARTS):
                ours[f"{own}.{kind}"] = heads[:, i].flatten(0, 1)
        else:
            ours[f"{part}.{kind}"] = x
    return ours


def from_modernbert(theirs: State) -> dict[str, Tensor]:
    """The state of ModernBERT's attention as a state that ours loads.

        Wqkv, all queries, then all keys, then all values   →   three projections
        Wo                                                  →   out_proj

    Args:
        theirs: `attention.state_dict()`, where `attention` is theirs.

    Raises:
        TypeError: It is not a state: a mapping from names to tensors.
        ValueError: A name is not that of a weight or a bias, or a number of rows does not fit.

    Source:
        Warner et al., *Smarter, Better, Faster, Longer* (2024), section 2.1.

    Examples:
        >>> import torch
        >>> from attention.loading import from_modernbert
        >>> theirs = {"Wqkv.weight": torch.arange(3.0)[:, None], "Wo.weight": torch.ones(1, 1)}
        >>> from_modernbert(theirs)["key_proj.weight"]
        tensor([[1.]])
    """
    ours = {}
    for part, kind, x in named(theirs):
        if part == "Wqkv":
            checks.packed(f"{part}.{kind}", x, 3, "3")
            ours |= {f"{own}.{kind}": y for own, y in zip(PARTS, x.chunk(3), strict=True)}
        else:
            ours[f"{part}.{kind}"] = x
    return ours


def named(theirs: State) -> Iterator[tuple[str, str, Tensor]]:
    """The name of each part here, or theirs where there is none; weight or bias; the numbers."""
    checks.state(theirs)
    for name, x in theirs.items():
        part, _, kind = name.rpartition(".")
        yield OURS.get(part, part), kind, x


def with_biases(ours: dict[str, Tensor]) -> dict[str, Tensor]:
    """With a bias of zero for each projection that has none, where another has one."""
    if any(name.endswith("_proj.bias") for name in ours):
        for name in [name for name in ours if name.endswith("_proj.weight")]:
            weight = ours[name]
            ours.setdefault(name.replace("weight", "bias"), weight.new_zeros(weight.shape[0]))
    return ours

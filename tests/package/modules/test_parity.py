"""The weights of models that people run, in our modules: the same numbers.

The models are whole, tiny and random. They make their own masks, positions and caches; beside
each of their attention modules stands ours, with the same weights and the same tokens. No two
sizes that meet are equal: batch 3, heads 10 on 2, width of a head 8, of a token 30, window 6.
"""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from attention import (
    ALiBi,
    Causal,
    KVCache,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    Rotary,
    SlidingWindow,
)
from attention.loading import from_bart, from_bloom, from_llama, from_modernbert
from attention.positions.alibi import slopes

PROMPT, STEPS = 11, 4
LENGTHS = torch.tensor([11, 8, 5])  # of the prompts
TOTAL = PROMPT + STEPS
# Outputs are of size 1: sums of 30 products in float32, after a softmax of as many.
CLOSE = {"atol": 5e-6, "rtol": 0.0}


@pytest.fixture(scope="module")
def hub():
    """transformers, which takes seconds to import, and must ask nobody for anything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        import transformers

        transformers.logging.set_verbosity_error()
        yield transformers


def tiny(hub, name: str, kind: str = "Model", **options):
    """A model of two layers, whose attention has weights of a size that makes a difference."""
    torch.manual_seed(0)
    small = {"vocab_size": 31, "num_hidden_layers": 2, "attn_implementation": "eager"}
    config = getattr(hub, f"{name}Config")(**{**small, **options})
    model = getattr(hub, f"{name}{kind}")(config).eval().requires_grad_(False)
    for path, weight in model.named_parameters():
        if ".q_norm" in path or ".k_norm" in path:
            weight.normal_(1.0, 0.3)
        elif any(part in path for part in ("attn", "attention")) and "norm" not in path:
            nn.init.normal_(weight, std=1.5 / math.sqrt(weight.shape[-1]))
        elif "embed" in path and "norm" not in path:
            nn.init.normal_(weight)
    return model, config


def heard(attention: nn.Module, out: nn.Module | None = None) -> SimpleNamespace:
    """What comes into a module at each call, and what goes out of it, or of its last part."""
    calls = SimpleNamespace(tokens=[], outs=[], module=attention)

    def before(_, args, kwargs) -> None:
        calls.tokens.append(args[0] if args else kwargs["hidden_states"])

    def after(_, args, result) -> None:
        calls.outs.append(result[0] if isinstance(result, tuple) else result)

    attention.register_forward_pre_hook(before, with_kwargs=True)
    (out or attention).register_forward_hook(after)
    return calls


def generate(hub, model, **more) -> None:
    """A prompt, padded on the left, and then a token at a time, as `generate` does it."""
    ids = torch.randint(31, (3, TOTAL), generator=torch.Generator().manual_seed(1))
    real = torch.arange(TOTAL) >= (PROMPT - LENGTHS)[:, None]
    positions = (real.long().cumsum(-1) - 1).clamp(min=0)
    cache = hub.DynamicCache(config=model.config)
    for start, end in [(0, PROMPT), *((i, i + 1) for i in range(PROMPT, TOTAL))]:
        options = (
            {"position_ids": positions[:, start:end]} if "Bloom" not in repr(type(model)) else {}
        )
        model(ids[:, start:end], attention_mask=real[:, :end].long(), past_key_values=cache,
              use_cache=True, **options, **more)  # fmt: skip


def agree(calls, attend: MultiHeadAttention, mask, caches) -> None:
    """At every real token: uncached, and with each cache in the chunks of the model, and others."""
    tokens, want = torch.cat(calls.tokens, dim=1), torch.cat(calls.outs, dim=1)
    real = torch.arange(TOTAL) >= (PROMPT - LENGTHS)[:, None]
    assert tokens.shape[:2] == want.shape[:2] == (3, TOTAL)
    assert want[real].std() > 0.3
    attend.requires_grad_(False)
    padding = Padding(LENGTHS + STEPS, side="left")
    whole = attend(tokens, mask=padding if mask is None else mask & padding)
    torch.testing.assert_close(whole[real], want[real], **CLOSE)
    for make in caches:
        for chunks in ((PROMPT, 1, 1, 1, 1), (4, 5, 1, 2, 3)):
            cache, end, outs = make(), 0, []
            for count in chunks:
                end += count
                so_far = Padding((LENGTHS + STEPS - TOTAL + end).clamp(min=0), side="left")
                chunk = tokens[:, end - count : end]
                outs.append(attend(chunk, mask=mask & so_far, cache=cache))
            torch.testing.assert_close(torch.cat(outs, dim=1)[real], want[real], **CLOSE)


GROUPED = {
    "hidden_size": 30, "num_attention_heads": 10, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 13, "max_position_embeddings": 64,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000.0},
}  # fmt: skip
FAMILIES = {
    "Llama": {},
    "Mistral": {"sliding_window": 6},
    "Qwen2": {},
    "Qwen3": {"rms_norm_eps": 1e-3},
    "Gemma2": {"sliding_window": 6, "attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 5,
               "layer_types": ["sliding_attention", "full_attention"]},
    "Gemma3Text": {"sliding_window": 6, "query_pre_attn_scalar": 5, "rms_norm_eps": 1e-3,
                   "layer_types": ["sliding_attention", "full_attention"],
                   "rope_parameters": {
                       "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
                       "full_attention": {"rope_type": "default", "rope_theta": 1000.0}}},
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_llama_and_those_that_are_like_it(name: str, hub) -> None:
    """Llama: grouped heads and rotation. Mistral: a window. Gemma 2: a softcap.

    Qwen2: biases, but none at the end. Qwen3: norms. Gemma 3: norms whose weights count from 1,
    and another rotation under the window.
    """
    model, c = tiny(hub, name, **GROUPED | FAMILIES[name])
    layers = [heard(layer.self_attn) for layer in model.layers]
    generate(hub, model)
    for calls, layer in zip(layers, range(2), strict=True):
        options, rope = {}, c.rope_parameters
        if name in ("Qwen3", "Gemma3Text"):
            options["qk_norm"] = c.rms_norm_eps
        if name.startswith("Gemma"):
            options["scale"] = c.query_pre_attn_scalar**-0.5
        if name == "Gemma2":
            options["softcap"] = c.attn_logit_softcapping
        if name == "Gemma3Text":
            rope = rope[c.layer_types[layer]]
        attend = MultiHeadAttention(
            c.hidden_size, c.num_attention_heads, num_kv_heads=c.num_key_value_heads,
            head_dim=c.head_dim, bias=name == "Qwen2",
            positions=Rotary(base=rope["rope_theta"]), **options,
        )  # fmt: skip
        ours = from_llama(calls.module.state_dict())
        if name == "Gemma3Text":
            ours |= {
                f"{part}_norm.weight": 1 + ours[f"{part}_norm.weight"] for part in ("query", "key")
            }
        attend.load_state_dict(ours)
        local = name == "Mistral" or (name.startswith("Gemma") and layer == 0)
        mask = Causal() & SlidingWindow(c.sliding_window) if local else Causal()
        caches = [KVCache, lambda: KVCache(TOTAL, fixed=True)]
        agree(calls, attend, mask, [*caches, lambda: RollingKVCache(6)] if local else caches)


def test_bloom(hub) -> None:
    """ALiBi, with a number of heads that is no power of 2, and heads whose rows are mixed."""
    model, c = tiny(hub, "Bloom", hidden_size=24, n_head=6, n_layer=2)
    layers = [heard(layer.self_attention, layer.self_attention.dense) for layer in model.h]
    generate(hub, model)
    for calls in layers:
        attend = MultiHeadAttention(c.hidden_size, c.n_head, positions=ALiBi())
        attend.load_state_dict(from_bloom(calls.module.state_dict(), c.n_head))
        agree(calls, attend, Causal(), [KVCache])
    for heads in range(1, 34):
        theirs = hub.models.bloom.modeling_bloom._get_alibi_slopes(heads, torch.device("cpu"))
        torch.testing.assert_close(torch.tensor(slopes(heads)), theirs)


def test_modernbert(hub) -> None:
    """Both directions; a layer that sees all, and one that sees three tokens on either side."""
    model, c = tiny(
        hub, "ModernBert", hidden_size=24, num_attention_heads=6, intermediate_size=13,
        global_attn_every_n_layers=2, local_attention=6, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, cls_token_id=1, sep_token_id=2,
    )  # fmt: skip
    layers = [heard(layer.attn) for layer in model.layers]
    real = torch.arange(PROMPT) < LENGTHS[:, None]
    model(torch.randint(31, (3, PROMPT)), attention_mask=real.long())
    bases = set()
    for layer, calls in enumerate(layers):
        local = c.layer_types[layer] == "sliding_attention"
        base = c.rope_parameters[c.layer_types[layer]]["rope_theta"]
        bases.add((local, base))
        attend = MultiHeadAttention(
            c.hidden_size, c.num_attention_heads, bias=False, positions=Rotary(base=base)
        )
        attend.load_state_dict(from_modernbert(calls.module.state_dict()))
        mask = Padding(LENGTHS)
        if local:
            mask = mask & SlidingWindow(c.local_attention // 2 + 1)
        got = attend(calls.tokens[0], mask=mask)
        assert calls.outs[0][real].std() > 0.3
        torch.testing.assert_close(got[real], calls.outs[0][real], **CLOSE)
    assert bases == {(False, 160_000.0), (True, 10_000.0)}


SIZES = {"d_model": 24, "encoder_attention_heads": 6, "decoder_attention_heads": 6,
         "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 13, "decoder_ffn_dim": 13,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "decoder_start_token_id": 2}  # fmt: skip


@pytest.mark.parametrize("name", ["Bart", "Whisper"])
def test_cross_attention(name: str, hub) -> None:
    """A decoder, its cross-attention included, and BART's encoder, prompt first and then tokens."""
    model, c = tiny(hub, name, **SIZES, max_target_positions=64, max_position_embeddings=64)
    model.config.is_encoder_decoder = True
    layer = model.decoder.layers[0]
    own, across = heard(layer.self_attn), heard(layer.encoder_attn)
    encoded, options, mask = torch.randn(3, 7, 24), {}, None
    if name == "Bart":
        inside = heard(model.encoder.layers[0].self_attn)
        lengths = torch.tensor([7, 4, 6])
        real = torch.arange(7) < lengths[:, None]
        ids = torch.randint(3, 31, (3, 7))
        encoded = model.encoder(ids, attention_mask=real.long()).last_hidden_state
        options, mask = {"encoder_attention_mask": real.long()}, Padding(lengths)
        attend = MultiHeadAttention(c.d_model, c.encoder_attention_heads)
        attend.load_state_dict(from_bart(inside.module.state_dict()))
        got = attend(inside.tokens[0], mask=mask)
        torch.testing.assert_close(got[real], inside.outs[0][real], **CLOSE)
    cache = hub.EncoderDecoderCache(hub.DynamicCache(), hub.DynamicCache())
    ids = torch.randint(3, 31, (3, TOTAL))
    for start, end in [(0, PROMPT), *((i, i + 1) for i in range(PROMPT, TOTAL))]:
        model.decoder(ids[:, start:end], encoder_hidden_states=encoded, past_key_values=cache,
                      use_cache=True, **options)  # fmt: skip
    attend = MultiHeadAttention(c.d_model, c.decoder_attention_heads)
    for calls in (own, across):
        attend.load_state_dict(from_bart(calls.module.state_dict()))
        attend.requires_grad_(False)
        memory, held = attend.remember(encoded), KVCache()
        for tokens, want in zip(calls.tokens, calls.outs, strict=True):
            if calls is own:
                got = attend(tokens, mask=Causal(), cache=held)
            else:
                got = attend(tokens, memory, mask=mask)
                torch.testing.assert_close(attend(tokens, encoded, mask=mask), want, **CLOSE)
            assert want.std() > 0.3
            torch.testing.assert_close(got, want, **CLOSE)


def test_rotary_layouts_are_those_of_llama_and_of_gpt_j(hub) -> None:
    """Halves and neighbours, by the code of the two families that stand for them."""
    from transformers.models.gptj import modeling_gptj
    from transformers.models.llama import modeling_llama

    x = torch.randn(2, 3, 9, 8, generator=torch.Generator().manual_seed(0))  # (…, H, T, D)
    at = torch.arange(9)
    waves = modeling_gptj.create_sinusoidal_positions(9, 8)
    sin, cos = (part[None] for part in waves.chunk(2, dim=-1))
    # Their angles are in float32: at most 9 · 2^-24 off.
    want = modeling_gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)
    got = Rotary(layout="interleaved").rotate(x, at)
    torch.testing.assert_close(got, want, atol=5e-6, rtol=0)
    config = hub.LlamaConfig(hidden_size=24, num_attention_heads=3)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(x, at[None])
    want, _ = modeling_llama.apply_rotary_pos_emb(x, x, cos, sin)
    torch.testing.assert_close(Rotary().rotate(x, at), want, atol=5e-6, rtol=0)


def test_a_partly_rotated_head_is_that_of_gpt_neox(hub) -> None:
    from transformers.models.gpt_neox import modeling_gpt_neox as neox

    rope = {"rope_type": "default", "rope_theta": 1000.0, "partial_rotary_factor": 0.25}
    config = hub.GPTNeoXConfig(hidden_size=48, num_attention_heads=3, rope_parameters=rope)
    x = torch.randn(2, 3, 9, 16, generator=torch.Generator().manual_seed(0))
    cos, sin = neox.GPTNeoXRotaryEmbedding(config)(x, torch.arange(9)[None])
    want: Tensor = neox.apply_rotary_pos_emb(x, x, cos, sin)[0]
    got = Rotary(base=1000.0, width=4).rotate(x, torch.arange(9))
    torch.testing.assert_close(got, want, atol=5e-6, rtol=0)

"""Where structured masks go block by block, and where they cannot."""

import pytest
import torch

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.dispatch import choice
from attention.dispatch.call import Call

pytestmark = pytest.mark.slow

FAR = Causal() & SlidingWindow(800)


def shapes(queries: int, keys: int, width: int = 64, wide: int = 64, kv: int = 8, **like) -> dict:
    """Queries, keys and values of 8 heads."""
    return {
        "query": torch.zeros(1, 8, queries, width, **like),
        "key": torch.zeros(1, kv, keys, width, **like),
        "value": torch.zeros(1, kv, keys, wide, **like),
    }


def taken(**given) -> str:
    """The backend that auto takes for a call, by default one under a window."""
    query = given.pop("query", torch.zeros(1, 2, 1024, 16))
    call: dict = {"key": query, "value": query, "mask": Causal() & SlidingWindow(64), **given}
    return choice.auto(Call(query, **call))[0]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "spans"),
        ({"mask": Causal() & Documents(torch.arange(1024)[None] // 100)}, "spans"),
        ({"mask": Padding(torch.tensor([512]))}, "fused"),  # torch is given those keys alone
        (
            {"mask": Padding(torch.tensor([512, 100])), "query": torch.zeros(2, 2, 1024, 16)},
            "spans",
        ),
        ({"mask": Padding(torch.tensor([1024]))}, "fused"),  # nothing to leave out
        ({"mask": Causal()}, "fused"),  # too few scores to gain on torch's own causal mask
        ({"mask": Causal(), "query": torch.zeros(1, 8, 512, 16)}, "spans"),
        ({"mask": Causal(), "query": torch.zeros(1, 8, 511, 16)}, "fused"),
        ({"mask": Causal(), "query": torch.zeros(8, 8, 2048, 16)}, "fused"),  # nor on long texts
        ({"mask": Causal(), "query": torch.zeros(1, 8, 512, 16, requires_grad=True)}, "fused"),
        ({"query": torch.zeros(1, 2, 1024, 16, dtype=torch.float16)}, "spans"),
        (
            {"query": torch.zeros(1, 2, 1024, 16).bfloat16(), "mask": Padding(torch.tensor([600]))},
            "fused",
        ),
        ({"mask": None}, "fused"),
        ({"mask": torch.ones(1024, 1024, dtype=torch.bool)}, "fused"),
        ({"mask": Documents(torch.arange(1024)[None] % 2)}, "fused"),  # no stretches
        ({"query": torch.zeros(1, 2, 64, 16)}, "fused"),  # too few scores
        ({"query": torch.zeros(1, 1, 512, 16)}, "spans"),  # just enough
        ({"query": torch.zeros(1, 1, 511, 16)}, "fused"),
        ({"query": torch.zeros(2, 4, 512, 16), "mask": PrefixLM(400)}, "spans"),
        ({"query": torch.zeros(2, 4, 512, 16), "mask": PrefixLM(480)}, "fused"),
        ({"query": torch.zeros(1, 2, 1024, 16, device="meta")}, "fused"),
        ({"bias": torch.zeros(1, 1)}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1024, 1)}, "tiled"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1023, 1)}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1024, 1), "mask": None}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 9, 1024, 1, device="meta")}, "fused"),
        (  # six of ten tiles are left
            {"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1280, 1), "mask": Causal()},
            "fused",
        ),
        ({"dropout_p": 0.1}, "eager"),
        ({"dropout_p": 0.1, "query": torch.zeros(1, 2, 1024, 16, device="meta")}, "fused"),
        ({"value": torch.zeros(1, 2, 1024, 8)}, "spans"),
        ({"value": torch.zeros(1, 2, 1024, 8), "mask": None}, "fused"),
        (
            {
                "query": torch.zeros(1, 2, 511, 8),
                "key": torch.zeros(1, 2, 511, 8),
                "value": torch.zeros(1, 2, 511, 9),
                "mask": None,
            },
            "eager",
        ),
        (  # sequences on two axes, which a plan does not tell apart
            {"query": torch.zeros(1, 2, 2, 512, 16), "mask": Padding(torch.tensor([256, 256]))},
            "fused",
        ),
        # Copies of all keys, for few queries on few of them.
        ({**shapes(4, 16384), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, dtype=torch.bfloat16), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, dtype=torch.float16), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, wide=32), "mask": FAR}, "eager"),
        ({**shapes(1024, 1024, wide=32), "mask": Causal() & SlidingWindow(200)}, "spans"),
        # Values of another width.
        ({**shapes(1024, 1024, wide=32), "mask": None}, "fused"),
        ({**shapes(1023, 1024, wide=32), "mask": None}, "eager"),
        ({**shapes(1024, 1023, wide=32), "mask": None}, "eager"),
        ({**shapes(1024, 1024, 128, 192), "mask": None}, "fused"),
        ({**shapes(1024, 1024, 16, 128), "mask": None}, "eager"),
        ({**shapes(1448, 1448, 16, 128), "mask": None}, "eager"),
        ({**shapes(1449, 1449, 16, 128), "mask": None}, "tiled"),
        ({**shapes(1449, 1449, 16, 128), "mask": None, "dropout_p": 0.1}, "eager"),
        # The same under a bias, where heads share keys.
        ({**shapes(255, 64, wide=32, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "eager"),
        ({**shapes(255, 64, wide=32, kv=4), "mask": None, "bias": torch.zeros(1, 1)}, "eager"),
        ({**shapes(256, 64, wide=32, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        ({**shapes(255, 64, wide=32, kv=8), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        ({**shapes(255, 64, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        # A softcap, on the keys that are in sight.
        ({**shapes(64, 32768), "mask": FAR, "softcap": 1.0}, "eager"),
        ({**shapes(64, 32768), "mask": None, "softcap": 1.0}, "tiled"),
        ({"return_weights": True}, "eager"),
        ({"softcap": 1.0}, "eager"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1)}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1), "mask": None}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 4, 1024, 1)}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 4, 1024, 1), "mask": Causal()}, "eager"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1), "dropout_p": 0.1}, "eager"),
    ],
)
def test_auto_takes_it_only_where_it_can_and_gains(given: dict, name: str) -> None:
    assert taken(**given) == name


@pytest.mark.parametrize("tokens", [8, 1024])
def test_a_mask_of_more_axes_than_the_queries_is_refused_at_any_length(tokens: int) -> None:
    query, mask = torch.zeros(tokens, 16), Documents(torch.zeros(1, tokens, dtype=torch.int64))
    with pytest.raises(ValueError, match=rf"mask has shape \(1, 1, {tokens}, {tokens}\): expected"):
        dot_product_attention(query, query, query, Causal() & mask)


@pytest.mark.parametrize("mask", [Causal() & SlidingWindow(64), PrefixLM(100), ~Causal()])
def test_another_device_may_be_the_default(mask: Mask) -> None:
    query = torch.randn(1, 2, 600, 16, requires_grad=True)
    with torch.device("meta"):
        context = dot_product_attention(query, query, query, mask)
        context.sum().backward()
    assert context.is_cpu
    keep = mask.to_tensor(600, 600)
    torch.testing.assert_close(context, dot_product_attention(query, query, query, keep))


def test_auto_is_eager_under_torch_func(generator: torch.Generator) -> None:
    query = torch.randn(3, 1, 2, 512, 8, generator=generator)
    mask = Causal() & SlidingWindow(64)
    one = torch.vmap(lambda x: dot_product_attention(x, x, x, mask))(query)
    torch.testing.assert_close(one, dot_product_attention(query, query, query, mask))


@pytest.mark.parametrize("backend", ["spans", "fused"])
def test_a_second_derivative_names_a_backend_that_has_one(
    backend: str, generator: torch.Generator
) -> None:
    query = torch.randn(1, 2, 64, 8, generator=generator, requires_grad=True)
    mask = Causal() & SlidingWindow(8)
    context = dot_product_attention(query, query, query, mask, backend=backend)
    (grad,) = torch.autograd.grad(context.sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match="twice: expected backend eager, tiled or loops"):
        torch.autograd.grad(grad.sum(), query)

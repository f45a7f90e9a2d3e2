"""The call that bad ones differ from, and the sentence that one of them gets."""

import warnings

import pytest
import torch

from attention import dot_product_attention
from attention.backends import names

Q, K, V = torch.ones(2, 8, 5, 64), torch.ones(2, 8, 6, 64), torch.ones(2, 8, 6, 32)


def nested(layout: torch.layout) -> torch.Tensor:
    with warnings.catch_warnings(action="ignore"):  # that its ways may change
        return torch.nested.nested_tensor([K[0], V[0]], layout=layout)


def said(given: dict[str, object], error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> str:
    """The sentence of the error that a call raises before a backend is reached."""

    def reached(*arguments: object) -> None:
        raise AssertionError("a backend was reached")

    for backend in ("eager", "fused", "loops"):
        monkeypatch.setitem(names.LOADED, backend, reached)
    with pytest.raises(error) as raised:
        dot_product_attention(**{"query": Q, "key": K, "value": V, **given})
    return str(raised.value)

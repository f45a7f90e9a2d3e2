"""A backend is a name: an array of names is none."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import Causal, dot_product_attention

X = torch.ones(1, 2, 3, 4)
UNKNOWN = "is unknown: expected one of auto, eager, fused, loops, onednn, spans, tiled, triton"


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (np.array(["auto", "eager"]), r"array\(\[…\], dtype='<U5'\)"),
        (np.array([]), r"array\(\[…\], dtype=float64\)"),
        (np.array("auto"), r"array\('auto', dtype='<U4'\)"),
        (torch.ones(2), r"tensor\(\[…\]\)"),
        (["auto", "eager"], r"\['auto', 'eager'\]"),
    ],
)
def test_an_array_of_names_gets_the_sentence_of_a_wrong_name(backend: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^backend {said} {UNKNOWN}$"):
        dot_product_attention(X, X, X, backend=backend)


def test_the_usual_name_is_known_however_it_was_put_together() -> None:
    """By its letters: the short way asks whether it is the very same object."""
    named: Any = "".join(["au", "to"])
    x = torch.randn(1, 2, 3, 4)
    expected = dot_product_attention(x, x, x, Causal())
    torch.testing.assert_close(dot_product_attention(x, x, x, Causal(), backend=named), expected)

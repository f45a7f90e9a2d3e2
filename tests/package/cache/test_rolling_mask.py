"""How many queries come, as a rolling cache is told before it says what they may see."""

from typing import Any

import numpy as np
import pytest
import torch

from attention import Causal, PrefixLM, RollingKVCache, SlidingWindow

MASK = Causal() & SlidingWindow(3)


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("queries", "kind", "said"),
    [
        (None, TypeError, "queries is None: expected an int"),
        ("2", TypeError, "queries is a str: expected an int"),
        (1.0, TypeError, "queries is a float: expected an int"),
        (torch.ones(2), TypeError, "queries is a Tensor: expected an int"),
        (-1, ValueError, "queries is -1: expected a count of at least 0"),
    ],
)
def test_what_is_no_count_is_refused(queries: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=f"^{said}$"):
        RollingKVCache(3).mask(MASK, queries)


@pytest.mark.untyped
def test_a_count_of_numpy_is_one() -> None:
    cache = RollingKVCache(3)
    cache.update(torch.ones(2, 1, 4, 4), torch.ones(2, 1, 4, 4))
    far = MASK & PrefixLM(0)  # asked about positions, not about distances
    given, said = cache.mask(far, np.int64(2)), cache.mask(far, 2)  # type: ignore[arg-type]
    assert given == said

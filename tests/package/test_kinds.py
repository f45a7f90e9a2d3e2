"""What came, as a message names it."""

import numpy as np
import pytest
from torch import nn

from attention.checks.kinds import kind


class Xylophone: ...


class Alike: ...


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        (1, "an int"),
        ([], "a list"),
        (Alike(), "an Alike"),
        (Xylophone(), "a Xylophone"),
        (nn.LSTM(1, 1), "an LSTM"),
        (nn.Linear(1, 1), "a Linear"),
        (np.zeros(1), "an ndarray"),
        (np.bool_(True), "a numpy.bool"),
        (np.int64(1), "an int64"),
    ],
)
def test_it_has_an_article(value: object, said: str) -> None:
    assert kind(value) == said

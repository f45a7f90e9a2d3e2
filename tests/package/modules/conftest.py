"""What the tests of linear layers share: a processor where convolutions are sooner."""

from typing import Any

import pytest
from torch import Tensor
from torch.nn.functional import conv2d

from attention import affine as path
from attention import processor


@pytest.fixture
def taken(monkeypatch) -> list[int]:
    """As on a processor where MKL is narrow; how many rows each convolution has."""
    rows: list[int] = []

    def counted(pictures: Tensor, *others: Any) -> Tensor:
        rows.append(len(pictures) * pictures.shape[2])
        return conv2d(pictures, *others)

    monkeypatch.setattr(processor, "narrow_mkl", lambda: True)
    monkeypatch.setattr(path.functional, "conv2d", counted)
    return rows

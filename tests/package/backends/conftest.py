"""What the tests of backends share: numbers that are the same in every run."""

import pytest
import torch


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)

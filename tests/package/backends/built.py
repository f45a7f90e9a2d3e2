"""Which libraries this PyTorch is built with."""

import pytest
import torch

needs_onednn = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this PyTorch is built without oneDNN"
)

"""What some blocks need of the machine: a GPU, or Triton."""

import importlib.util


def has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None

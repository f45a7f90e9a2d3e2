"""Triton, and with it the kernels for Hopper, is there on Linux alone."""

import sys
from collections.abc import Iterator

import pytest
import torch

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Groups of warps are threads, and torch's own beside them took nearly all of the time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)

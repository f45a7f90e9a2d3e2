"""What the tests of the package share: each runs on the CPU, and on a GPU where there is one."""

from pathlib import Path

import pytest
import torch


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs with every shape checked: all tests of the package but the `untyped`."""
    for item in items:
        if HERE in item.path.parents and not item.get_closest_marker("untyped"):
            item.add_marker("typed")


HERE = Path(__file__).parent
collect_ignore = ["interpreter.py"]  # no examples, and it must be loaded once
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture(autouse=True)
def one_thread():
    """Small tensors: a second thread only waits, and longest where other programs run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def draw(device: str):
    """Numbers from a normal distribution, the same in every dtype and on every device."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int, dtype: torch.dtype = torch.float64, grad: bool = True) -> torch.Tensor:
        numbers = torch.randn(*shape, generator=generator, dtype=torch.float64)
        return numbers.to(device, dtype).requires_grad_(grad)

    return draw

"""What a page finds set, what is set back after it, and what an attempt leaves as it was."""

import importlib
import io
import os
import random
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from literate import hardware
from literate.running import settings


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """The settings of this process, set back by hand: what is tested here would do the same."""
    options = torch._tensor_str.PRINT_OPTS
    state, numbers, shown = random.getstate(), np.random.get_state(), np.get_printoptions()
    seeded, printed, dtype = torch.get_rng_state(), deepcopy(vars(options)), torch.tensor(0.5).dtype
    threads, style = torch.get_num_threads(), {**matplotlib.rcParams}
    grad, exact = torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled()
    figures = set(plt.get_fignums())
    yield
    random.setstate(state)
    np.random.set_state(numbers)
    np.set_printoptions(**shown)
    torch.set_rng_state(seeded)
    vars(options).update(printed)
    torch.set_default_dtype(dtype)
    torch.set_num_threads(threads)
    torch.set_grad_enabled(grad)
    if torch.are_deterministic_algorithms_enabled() != exact:
        torch.use_deterministic_algorithms(exact)
    dict.update(matplotlib.rcParams, style)
    for number in {*plt.get_fignums()} - figures:
        plt.close(number)


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of this process set otherwise, and then prepared for a page."""
    for name in ("MATPLOTLIBRC", "SOURCE_DATE_EPOCH", "MPLBACKEND"):
        monkeypatch.setenv(name, "1000000000")
    settings.prepare()


@pytest.mark.usefixtures("prepared")
def test_matplotlib_reads_the_style_of_the_book() -> None:
    style = matplotlib.rc_params_from_file(matplotlib.matplotlib_fname())
    assert (style["backend"], style["svg.hashsalt"]) == ("svg", "book")


@pytest.mark.usefixtures("prepared")
def test_a_picture_is_always_of_the_same_day() -> None:
    file = io.StringIO()
    plt.figure(figsize=(1, 1)).savefig(file, format="svg")
    assert "<dc:date>1970-01-01T00:00:00+00:00</dc:date>" in file.getvalue()


@pytest.mark.usefixtures("prepared")
def test_the_style_alone_says_where_pictures_go() -> None:
    assert "MPLBACKEND" not in os.environ


def test_numpy_begins_with_a_seed_of_0() -> None:
    np.random.seed(7)
    settings.reset()
    assert np.random.rand() == np.random.RandomState(0).rand()


def test_numpy_prints_as_it_does_in_a_new_process() -> None:
    np.set_printoptions(edgeitems=1, precision=2, suppress=True, threshold=5)
    settings.reset()
    assert str(np.arange(1001)) == "[   0    1    2 ...  998  999 1000]"
    assert "..." not in str(np.arange(1000))
    assert str(np.array([1 / 3])) == "[0.33333333]"
    assert str(np.array([1e-9, 1])) == "[1.e-09 1.e+00]"


def test_torch_has_as_many_threads_as_it_began_with() -> None:
    settings.reset()
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    settings.reset()
    assert torch.get_num_threads() == threads


def test_torch_prints_as_it_does_in_a_new_process() -> None:
    torch.set_printoptions(precision=2, sci_mode=True)
    settings.reset()
    assert str(torch.tensor([1 / 3])) == "tensor([0.3333])"


def test_torch_may_compute_in_any_order_again() -> None:
    torch.use_deterministic_algorithms(True)
    settings.reset()
    assert not torch.are_deterministic_algorithms_enabled()


def test_open_figures_are_closed() -> None:
    plt.figure("one")
    plt.figure("two")
    settings.reset()
    assert plt.get_fignums() == []


def test_matplotlib_draws_in_the_style_of_the_book_again() -> None:
    width = matplotlib.rcParamsDefault["lines.linewidth"]
    matplotlib.rcParams.update({"lines.linewidth": width + 1, "svg.hashsalt": "other"})
    settings.reset()
    assert matplotlib.rcParams["lines.linewidth"] == width
    assert matplotlib.rcParams["svg.hashsalt"] == "book"


def test_what_was_not_imported_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy", "torch", "matplotlib", "matplotlib.pyplot"):
        monkeypatch.delitem(sys.modules, name)
    random.seed(7)
    settings.reset()
    first = random.random()
    with settings.kept(), settings.same_chance():
        random.seed(7)
    assert first == random.Random(0).random()
    assert "numpy" not in sys.modules


def test_numpy_draws_as_if_nothing_was_drawn_inside() -> None:
    np.random.seed(7)
    with settings.kept():
        np.random.rand(3)
    assert np.random.rand() == np.random.RandomState(7).rand()


def test_numpy_prints_as_before() -> None:
    np.set_printoptions(precision=5)
    with settings.kept():
        np.set_printoptions(precision=2)
    assert str(np.array([1 / 3])) == "[0.33333]"


def test_gradients_are_as_before() -> None:
    for before in (True, False):
        torch.set_grad_enabled(before)
        with settings.kept():
            assert torch.is_grad_enabled() is before
            torch.set_grad_enabled(not before)
        assert torch.is_grad_enabled() is before


def test_torch_prints_as_before() -> None:
    torch.set_printoptions(precision=5)
    with settings.kept():
        torch.set_printoptions(precision=2)
    assert str(torch.tensor([1 / 3])) == "tensor([0.33333])"


def test_matplotlib_draws_as_before() -> None:
    matplotlib.rcParams["lines.linewidth"] = 5
    with settings.kept():
        matplotlib.rcParams["lines.linewidth"] = 2
    assert matplotlib.rcParams["lines.linewidth"] == 5


def test_the_chance_of_gpus_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch would ask each of them, and warn where there are two."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    torch.manual_seed(7)
    with settings.same_chance():
        torch.rand(3)
    assert torch.rand(1) == torch.rand(1, generator=torch.Generator().manual_seed(7))


def test_triton_is_there_if_it_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not hardware.has_triton()
    (tmp_path / "triton.py").touch()
    importlib.invalidate_caches()
    assert hardware.has_triton()

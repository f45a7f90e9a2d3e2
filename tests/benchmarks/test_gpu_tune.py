"""Tuning our tiles, tried in the interpreter: what is right is timed, and what is not says so."""

import copy

import gpu_clock
import gpu_tune
import interpreter
import pytest
import torch

from attention.backends.triton import launch
from attention.backends.triton.configs import Config

pytestmark = [pytest.mark.slow, pytest.mark.untyped]
SIZES = {"decode": (1, 8, 1, 1, 40)}
CONFIGS = [Config(16, 16, 4, 1), Config(16, 32, 4, 1)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter.small_tiles(monkeypatch)
    monkeypatch.setattr(gpu_clock, "WARM", 0)
    monkeypatch.setattr(gpu_clock, "SAMPLES", 1)
    torch.manual_seed(0)


@pytest.mark.parametrize("table", gpu_tune.TABLES)
def test_every_candidate_is_timed_and_none_stays(table: str) -> None:
    before = copy.deepcopy(gpu_tune.TABLES)
    size = SIZES.get(table, (1, 2, 1, 40, 40))
    *_, found = gpu_tune.tune(table, size, 64, interpreter.DEVICE, CONFIGS)
    assert set(found) == {"16 16 4 1", "16 32 4 1"}
    products = [gpu_tune.together(times) for times in found.values()]
    assert products == sorted(products)
    assert 0 < products[0] < products[1] < float("inf")
    assert before == gpu_tune.TABLES


def test_a_wrong_result_has_no_time_and_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    right = launch.portable

    def portable(*given: object) -> tuple[torch.Tensor, torch.Tensor]:
        context, sums = right(*given)
        return (context * 1.1 if gpu_tune.FORWARD.every[64] == CONFIGS[0] else context), sums

    monkeypatch.setitem(gpu_tune.FORWARD.every, 64, CONFIGS[1])
    monkeypatch.setattr(launch, "portable", portable)
    *_, found = gpu_tune.tune("forward", (1, 2, 1, 40, 40), 64, interpreter.DEVICE, CONFIGS)
    assert list(found) == ["16 32 4 1", "16 16 4 1"]
    assert found["16 16 4 1"] == "ValueError: another result: 0.1 of its size apart"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which width? expected one of 64, 128, 256\n"),
        (["100"], "which width? expected one of 64, 128, 256\n"),
        (["64"], "no CUDA device: expected an NVIDIA GPU and a torch built for CUDA\n"),
    ],
)
def test_what_cannot_run_says_so(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu_tune.main(arguments) == 2
    assert capsys.readouterr() == ("", message)

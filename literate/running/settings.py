"""What one page could leave behind for the next: seeds, dtypes, styles, open figures."""

import contextlib
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

THREADS: dict[str, int] = {}  # how many torch began with


def prepare() -> None:
    """Before a page imports matplotlib: our style, and no date in its files."""
    os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    os.environ.pop("MPLBACKEND", None)


def reset() -> None:
    """Back to how a new interpreter has them, and seeds of 0; only of what was imported."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
        numpy.set_printoptions(edgeitems=3, precision=8, suppress=False, threshold=1000)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)
        torch.set_num_threads(THREADS.setdefault("torch", torch.get_num_threads()))
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default", sci_mode=None)
        torch.set_grad_enabled(True)
        if torch.are_deterministic_algorithms_enabled():  # asking always imports the compiler
            torch.use_deterministic_algorithms(False)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    if matplotlib := sys.modules.get("matplotlib"):
        matplotlib.rc_file_defaults()


@contextlib.contextmanager
def same_chance() -> Iterator[None]:
    """What is drawn inside changes nothing that is drawn after."""
    torch = sys.modules.get("torch")
    with torch.random.fork_rng(devices=[]) if torch else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """What is set and drawn inside is as before, after it; only of what was imported."""
    with contextlib.ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        if numpy := sys.modules.get("numpy"):
            stack.callback(numpy.random.set_state, numpy.random.get_state())
            stack.enter_context(numpy.printoptions())
        if torch := sys.modules.get("torch"):
            stack.enter_context(same_chance())
            stack.enter_context(torch.set_grad_enabled(torch.is_grad_enabled()))
            stack.enter_context(sys.modules["torch._tensor_str"].printoptions())
            stack.callback(torch.set_default_dtype, torch.get_default_dtype())
        if matplotlib := sys.modules.get("matplotlib"):
            stack.enter_context(matplotlib.rc_context())
        yield

"""How `gpu.py` takes times: on the device's own clock, with nothing left in its cache.

As `triton.testing.do_bench` does: events around each call, a large buffer gone through before it.
That takes the device a millisecond, in which Python starts the call: its time is in that of a call
only where it takes longer, or waits for the device.

The buffer is read. `do_bench` writes it, and then the cache is full of numbers that are not in
memory yet. They go there while the call that is timed reads, which gets less of memory's rate.
`--written` does that.
"""

import statistics
from collections.abc import Callable
from time import perf_counter

import torch

FLUSH = 2**32  # bytes: many times any GPU's cache
WARM, SAMPLES = 3, 20

Call = Callable[[], object]


def take(prepare: Callable[[], Call], device: str, written: bool = False) -> float:
    """Median milliseconds of the calls that `prepare` makes, one a sample; its own are not in."""
    for _ in range(WARM):
        prepare()()
    if device == "cpu":
        return statistics.median(wall(prepare()) for _ in range(SAMPLES))
    buffer = torch.zeros(FLUSH // 4, device=device)
    through = buffer.zero_ if written else buffer.sum
    pairs = [on_device(prepare(), through) for _ in range(SAMPLES)]
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in pairs)


def on_device(call: Call, through: Call) -> tuple[torch.cuda.Event, torch.cuda.Event]:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    through()
    start.record()
    call()
    end.record()
    return start, end


def wall(call: Call) -> float:
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e3


def ceilings(device: str, size: int = 8192, count: int = 2**30) -> dict[str, float]:
    """What this machine gives: TFLOP/s of a product in bfloat16, GB/s of a copy (read and write).

    Args:
        device: Where.
        size: Rows and columns of the matrices.
        count: Bytes that are copied.
    """
    a, b = torch.randn(2, size, size, device=device, dtype=torch.bfloat16)
    source = torch.empty(count, dtype=torch.int8, device=device)
    target = torch.empty_like(source)
    product = take(lambda: lambda: a @ b, device)
    copy = take(lambda: lambda: target.copy_(source), device)
    return {"tflops": 2 * size**3 / product / 1e9, "gbs": 2 * count / copy / 1e6}

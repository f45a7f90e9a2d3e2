"""What any tensor is asked for: its kind, its layout, its dtype, its device and its axes."""

import torch
from torch import Tensor

from attention.checks.kinds import kind

DTYPES = {torch.float64, torch.float32, torch.float16, torch.bfloat16}
INTEGERS = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}


def floats(name: str, tensor: object) -> None:
    """A tensor of numbers that we can attend with."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is {kind(tensor)}: expected a torch.Tensor")
    strided(name, tensor)
    if tensor.dtype not in DTYPES:
        raise TypeError(
            f"{name} has dtype {tensor.dtype}: expected float64, float32, float16 or bfloat16"
        )


def integers(name: str, tensor: object, expected: str = "", ndim: int | None = None) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is {kind(tensor)}: expected a torch.Tensor of integers")
    strided(name, tensor)
    if tensor.dtype not in INTEGERS:
        raise TypeError(f"{name} has dtype {tensor.dtype}: expected integers, as in torch.int64")
    if ndim is not None and tensor.ndim != ndim:
        raise ValueError(f"{name} has shape {shape(tensor)}: expected {expected}")


def one_device(name: str, x: Tensor, other: str, like: Tensor) -> None:
    if x.device != like.device:
        raise ValueError(
            f"{name} is on {x.device} but {other} is on {like.device}: expected one device"
        )


def one_dtype(name: str, x: Tensor, other: str, like: Tensor) -> None:
    if x.dtype != like.dtype:
        raise TypeError(
            f"{name} has dtype {x.dtype} but {other} has {like.dtype}: expected one dtype"
        )


def strided(name: str, tensor: Tensor) -> None:
    """One block of numbers, and no list of tensors or of the numbers that are not 0."""
    if tensor.is_nested:
        raise TypeError(
            f"{name} is a nested tensor: expected one tensor of all sequences, "
            "with Padding or Documents as the mask"
        )
    if tensor.layout is not torch.strided:
        raise TypeError(f"{name} has layout {tensor.layout}: expected torch.strided")


def place(device: object) -> None:
    """Where a tensor is to be: torch would also take a dtype, and make floats of counts."""
    if isinstance(device, bool) or not isinstance(device, str | int | torch.device):
        raise TypeError(f"device is {kind(device)}: expected a torch.device or its name")


def spreads(size: int, over: int) -> bool:
    """Whether an axis of one size broadcasts to another.

    Not by `in`: while compiling, Dynamo says that a number is in no tuple of symbols. And first
    what a caller can tell of a symbol: that it is the other.
    """
    return size == over or size == 1


def broadcasts(shape: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    trailing = expected[max(len(expected) - len(shape), 0) :]
    return shape == trailing or (len(shape) == len(trailing) and all(map(spreads, shape, trailing)))


def as_many(sequences: int, batch: tuple[int, ...]) -> None:
    """Of a mask that tells sequences apart, as many as a query has."""
    if not batch or not spreads(sequences, batch[-1]):
        raise ValueError(
            f"mask is for a batch of {sequences} but query has batch axes {batch}: "
            "expected as many sequences"
        )


def shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def counted(count: int, name: str) -> str:
    many = {"axis": "axes", "query": "queries"}.get(name, f"{name}s")
    return f"{count} {name if count == 1 else many}"

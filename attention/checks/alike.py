"""Tensors of one call: one dtype, and one device."""

from torch import Tensor


def device(name: str, x: Tensor, other: str, there: Tensor) -> None:
    if x.device != there.device:
        raise ValueError(
            f"{name} is on {x.device} but {other} is on {there.device}: expected one device"
        )


def dtype(name: str, x: Tensor, other: str, there: Tensor) -> None:
    if x.dtype != there.dtype:
        raise TypeError(
            f"{name} has dtype {x.dtype} but {other} has {there.dtype}: expected one dtype"
        )

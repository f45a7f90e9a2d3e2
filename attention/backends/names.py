"""Backends by their names."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, get_args

from attention.backends.eager import eager
from attention.backends.fused import fused
from attention.backends.loops import loops
from attention.backends.tiled import tiled

Backend = Literal["auto", "eager", "fused", "loops", "onednn", "spans", "tiled", "triton"]
NAMES = get_args(Backend)
AUTO = "auto"
# The others are loaded when first asked for: two have plans of a mask, one Triton.
LOADED: dict[str, Callable[..., Any]] = {
    "eager": eager,
    "fused": fused,
    "loops": loops,
    "tiled": tiled,
}


def load(name: str) -> Callable[..., Any]:
    """The backend of a name."""
    if name not in LOADED:
        LOADED[name] = getattr(import_module(f"attention.backends.{name}"), name)
    return LOADED[name]

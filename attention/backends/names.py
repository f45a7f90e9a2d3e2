"""Backends by their names."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from attention.backends.eager import eager
from attention.backends.fused import fused
from attention.backends.loops import loops

LOADED: dict[str, Callable[..., Any]] = {"eager": eager, "fused": fused, "loops": loops}
# Loaded when first asked for: half of what the others take to load, and Triton as much again.
LATE = ("spans", "tiled", "triton")
NAMES = ("auto", *LOADED, *LATE)


def load(name: str) -> Callable[..., Any]:
    """The backend of a name."""
    if name not in LOADED:
        LOADED[name] = getattr(import_module(f"attention.backends.{name}"), name)
    return LOADED[name]

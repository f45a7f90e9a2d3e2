"""What is laid over the scores: a mask, a bias."""

from typing import Any

import torch
from torch import Tensor

from attention.checks.kinds import kind
from attention.checks.rules import counts
from attention.checks.tensors import as_many, broadcasts, one_device, strided
from attention.holding import held

UNTRACEABLE = torch.__version__ < "2.12"  # PyTorch 2.11 cannot trace what a data class holds


def mask(keep: object, query: Tensor, key: Tensor) -> None:
    if isinstance(keep, type):
        name = keep.__name__
        raise TypeError(f"mask is the class {name}: expected an instance, {name}()")
    if not isinstance(keep, Tensor):
        raise TypeError(f"mask is {kind(keep)}: expected a Mask, a boolean torch.Tensor or None")
    if keep.dtype != torch.bool:
        raise TypeError(
            f"mask has dtype {keep.dtype}: expected torch.bool, where True means attend; "
            "numbers to add to the scores are a bias, or positions in a module"
        )
    strided("mask", keep)
    one_device("mask", keep, "query", query)
    like_scores("mask", keep.shape, query, key.shape[-2])


def fits(rule: Any, query: Tensor, key: Tensor) -> None:
    """Counts, devices and shape of a mask that is a rule."""
    queries, keys = query.size(-2), key.size(-2)
    counts(rule, queries, keys)
    devices(rule, query.device)
    if rule.batch is not None and query.ndim > 3:
        as_many(rule.batch, tuple(query.shape[:-3]))
    like_scores("mask", rule.shape(queries, keys), query, keys)


def bias(added: Any, query: Tensor, keys: int) -> None:
    if not isinstance(added, Tensor):
        raise TypeError(f"bias is {kind(added)}: expected a torch.Tensor or None")
    if added.dtype == torch.bool:
        raise TypeError("bias has dtype torch.bool: expected numbers to add; booleans are a mask")
    strided("bias", added)
    one_device("bias", added, "query", query)
    like_scores("bias", added.shape, query, keys)


def like_scores(name: str, shape: tuple[int, ...], query: Tensor, keys: int) -> None:
    scores = (*query.shape[:-1], keys)
    if len(shape) < 2 or not broadcasts(shape, scores):
        raise ValueError(
            f"{name} has shape {tuple(shape)}: expected (…, T, S), which broadcasts to "
            f"{tuple(scores)}, and at least two axes{likely(tuple(shape), scores)}"
        )


def likely(shape: tuple[int, ...], scores: tuple[int, ...]) -> str:
    """What may have been meant by a shape that does not fit."""
    if shape == (scores[0], scores[-1]):
        return f"; a table of padding, (batch, S), needs [:{', None' * (len(scores) - 2)}]"
    if len(scores) == 4 and shape == (scores[0], *scores[2:]):
        return "; one for each sequence, (batch, T, S), needs [:, None]"
    if len(shape) == len(scores) + 1 <= 4:
        return "; query may lack an axis, that of the heads or that of the batch"
    return ""


def devices(mask: object, device: torch.device) -> None:
    if UNTRACEABLE and torch.compiler.is_compiling():
        return
    for name, field, tensor in held(mask):
        if tensor.device != device:
            raise ValueError(
                f"{name} holds {field} on {tensor.device}: expected {device}, "
                f"as mask.to('{device}')"
            )

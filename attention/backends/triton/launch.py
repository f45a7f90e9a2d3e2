"""How many programs of a kernel run, and with what."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention import heads as of_heads
from attention.backends.triton import hopper, hopper_backward
from attention.backends.triton.backward import of_keys, of_queries
from attention.backends.triton.configs import (
    CACHE,
    DECODE,
    FORWARD,
    OF_KEYS,
    OF_QUERIES,
    Config,
    is_hopper,
    splits,
)
from attention.backends.triton.decode import merge, part
from attention.backends.triton.forward import forward
from attention.backends.triton.rules import Rule

Queries = Float[Tensor, "batch heads queries width"]
Keys = Float[Tensor, "batch kv_heads keys width"]
Sums = Float[Tensor, "batch heads queries"]


def contexts(
    query: Queries, key: Keys, value: Keys, rule: Rule, scale: float
) -> tuple[Queries, Sums]:
    """The context of each query, and the log-sum-exp of its scores, to base 2."""
    _, _, queries, width = query.shape
    if 0 < of_heads.group(query, key) * queries <= DECODE.on(query.device)[width].rows:
        return few(query, key, value, rule, scale)
    if hopper.takes(query, key, value, rule):
        return hopper.forward(query, key, value, scale, rule.right == 0)
    return portable(query, key, value, rule, scale)


def portable(
    query: Queries, key: Keys, value: Keys, rule: Rule, scale: float
) -> tuple[Queries, Sums]:
    """The same on every GPU, for every rule."""
    context, sums = torch.empty_like(query), numbers(query)
    batch, heads, queries, width = query.shape
    group = of_heads.group(query, key)
    config = FORWARD.on(query.device)[width]
    start(
        forward, tiles(queries, config.rows) * heads * batch, config,
        query, key, value, context, sums, spans(rule, batch),
        *strides(query, key, value, context),
        scale, rule.left, rule.right, heads, group, queries, key.size(2),
        together(heads * batch, group, key.size(2) * width),
        width, config.rows, config.columns,
    )  # fmt: skip
    return context, sums


def few(query: Queries, key: Keys, value: Keys, rule: Rule, scale: float) -> tuple[Queries, Sums]:
    """The same for few queries: the keys of each head are split among programs."""
    context, sums = torch.empty_like(query), numbers(query)
    batch, heads, queries, width = query.shape
    kv_heads, keys, config = key.size(1), key.size(2), DECODE.on(query.device)[width]
    group = of_heads.group(query, key)
    parts = splits(batch * kv_heads, tiles(keys, config.columns))
    found = logs = None
    if parts > 1:
        logs = query.new_empty(batch, kv_heads, parts, config.rows, dtype=torch.float32)
        found = query.new_empty(*logs.shape, width, dtype=torch.float32)
    early = parts > 1 and is_hopper(query.device)
    start(
        part, parts * kv_heads * batch, config,
        query, key, value, found, logs, context, sums, spans(rule, batch),
        *strides(query, key, value, context),
        scale, rule.left, rule.right, heads, group, queries, keys,
        width, config.rows, config.columns, parts, early,
    )  # fmt: skip
    if parts > 1:
        merging = config._replace(warps=max(1, parts * width // 2048))  # 64 numbers a thread
        start(
            merge, queries * heads * batch, merging,
            found, logs, context, sums, *strides(context), heads, group, queries,
            width, config.rows, parts, early,
            early=early,
        )  # fmt: skip
    return context, sums


def gradients(
    query: Queries,
    key: Keys,
    value: Keys,
    context: Queries,
    sums: Sums,
    grad: Queries,
    rule: Rule,
    scale: float,
) -> tuple[Queries, Keys, Keys]:
    """Of queries, keys and values."""
    if hopper_backward.takes(query, key, value, context, grad, rule):
        causal = rule.right == 0
        return hopper_backward.gradients(query, key, value, context, sums, grad, scale, causal)
    return portable_gradients(query, key, value, context, sums, grad, rule, scale)


def portable_gradients(
    query: Queries,
    key: Keys,
    value: Keys,
    context: Queries,
    sums: Sums,
    grad: Queries,
    rule: Rule,
    scale: float,
) -> tuple[Queries, Keys, Keys]:
    """The same on every GPU, for every rule."""
    of_query, of_key, of_value = (torch.empty_like(x) for x in (query, key, value))
    batch, heads, queries, width = query.shape
    kv_heads, keys = key.shape[1:3]
    group = of_heads.group(query, key)
    kept, sames = spans(rule, batch), numbers(query)
    rest = scale, rule.left, rule.right, heads, group, queries, keys
    config = OF_QUERIES.on(query.device)[width]
    start(
        of_queries, tiles(queries, config.rows) * heads * batch, config,
        query, key, value, context, grad, sums, sames, of_query, kept,
        *strides(query, key, value, context, grad, of_query),
        *rest, together(heads * batch, group, keys * width), width, config.rows, config.columns,
    )  # fmt: skip
    config = OF_KEYS.on(query.device)[width]
    start(
        of_keys, tiles(keys, config.columns) * kv_heads * batch, config,
        query, key, value, grad, sums, sames, of_key, of_value, kept,
        *strides(query, key, value, grad, of_key, of_value),
        *rest, together(kv_heads * batch, 1, group * queries * width),
        width, config.rows, config.columns,
    )  # fmt: skip
    return of_query, of_key, of_value


def start(kernel: Any, programs: int, config: Config, *given: Any, early: bool = False) -> None:
    """Nothing where there is nothing to compute, which a GPU would refuse.

    Early: while the kernel before still runs.
    """
    if programs:
        kernel[(programs,)](
            *given, num_warps=config.warps, num_stages=config.stages, launch_pdl=early
        )


def together(heads: int, group: int, numbers: int) -> int:
    """Of how many heads the longest tiles come first: those that read what fits a GPU's cache.

    A group reads so many numbers twice: keys and values, or queries and gradients.
    """
    return max(1, min(CACHE // max(4 * numbers, 1) * group, heads))


def tiles(rows: int, size: int) -> int:
    return -(-rows // size)


def strides(*tensors: Tensor) -> list[tuple[int, ...]]:
    """From one sequence, head and row to the next; a row itself is in one piece."""
    return [tensor.stride()[:3] for tensor in tensors]


def numbers(query: Queries) -> Sums:
    """Room for one number a query."""
    return query.new_empty(query.shape[:-1], dtype=torch.float32)


def spans(rule: Rule, batch: int) -> Int[Tensor, "batch 2"] | None:
    """The stretch of each sequence; a mask may have one for all."""
    if rule.spans is None:
        return None
    return rule.spans.repeat(batch // max(len(rule.spans), 1), 1)

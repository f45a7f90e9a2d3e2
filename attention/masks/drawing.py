"""A mask as a picture."""

from html import escape

import torch

from attention.holding import held
from attention.masks.base import Mask
from attention.views.drawing import ARC

SIDE = 12  # of a cell, in pixels


def svg(mask: Mask, queries: int, keys: int) -> str:
    """A grid for each sequence and head, beside one another; True is filled."""
    device = next((tensor.device for _, _, tensor in held(mask)), torch.device("cpu"))
    keep = mask.to_tensor(queries, keys, device=device)
    grids = keep.flatten(0, -3) if keep.ndim > 2 else keep[None]
    width, height = len(grids) * (keys + 1) + 1, queries + 2
    paths = []
    for n, grid in enumerate(grids):
        cells = "".join(f"M{j} {i}h1v1h-1z" for i, j in grid.nonzero().tolist())
        lines = "".join(f"M0 {i}h{keys}" for i in range(queries + 1))
        lines += "".join(f"M{j} 0v{queries}" for j in range(keys + 1))
        paths.append(
            f'<g transform="translate({n * (keys + 1) + 1} 1)">'
            f'<path d="{cells}" style="fill: {ARC}"/>'
            f'<path d="{lines}" fill="none" stroke="currentColor" stroke-width=".04"/></g>'
        )
    name = escape(
        f"{mask!r}: a row for each query, a column for each key, filled where it may attend"
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width * SIDE}" height="{height * SIDE}">'
        f"<title>{name}</title>{''.join(paths)}</svg>"
    )

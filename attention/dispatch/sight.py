"""What a mask leaves in sight, found out by its rule alone: keys, scores and tiles."""

from attention.backends.tiles import COLUMNS, ROWS, tiles
from attention.dispatch.call import Call
from attention.masks import Mask
from attention.masks.intervals import within


def in_sight(mask: Mask, queries: int, keys: int) -> range:
    """The keys that some query may see, without those before and behind."""
    return range(*within(*mask.over(keys).span(keys - queries, keys - 1, keys), keys))


def scores_in_sight(call: Call) -> int:
    """How many scores there are of the keys alone that a rule leaves in sight."""
    if not isinstance(call.mask, Mask):
        return call.scores
    return call.query.shape[:-1].numel() * len(in_sight(call.mask, call.queries, call.keys))


def share_of_tiles(mask: Mask, queries: int, keys: int) -> float:
    """Of the tiles with a key in sight, how many have one that a query of theirs may see."""
    told, seen, every = mask.over(keys), 0, 0
    sight = in_sight(mask, queries, keys)
    parts = [
        part for part in tiles(keys, COLUMNS) if part.start < sight.stop and sight.start < part.stop
    ]
    for rows in tiles(queries, ROWS):
        first, last = rows.start + keys - queries, rows.stop - 1 + keys - queries
        start, stop = told.span(first, last, keys)
        seen += sum(part.start < stop and start < part.stop for part in parts)
        every += len(parts)
    return seen / every if every else 1.0

"""What every view of attention weights has: tokens, checked weights, a file to save."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from jaxtyping import Bool, Float
from torch import Tensor

from attention.checks.kinds import kind
from attention.checks.tensors import counted, floats, shape

SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SLACK = 0.01  # of a row's sum: what bfloat16, or a table of two decimals, leaves open


class View(ABC):
    """Attention weights with the tokens they belong to, ready to be shown.

    Args:
        weights: Shape `(T, S)`, or `(heads, T, S)`: weights of 0 or more, without unit. A row
            sums to 1, or to 0 where a query may attend to nothing.
        tokens: The `S` tokens that stand at the keys. With fewer queries than keys, the queries
            are the last `T` of them, as when decoding with a cache.
        queries: The `T` tokens that stand at the queries, where they are another sequence.
    """

    suffix: ClassVar[str]

    def __init__(
        self,
        weights: Float[Tensor, "*heads queries keys"],
        tokens: Sequence[str],
        queries: Sequence[str] | None = None,
    ) -> None:
        check(weights)
        count, size = weights.shape[-2:]
        self.tokens = labels("tokens", tokens, size, "key")
        self.cross = queries is not None
        if queries is not None:
            self.queries = labels("queries", queries, count, "query")
        elif count <= size:
            self.queries = self.tokens[size - count :]
        else:
            raise ValueError(
                f"weights has {count} queries but {counted(size, 'key')}: expected the queries' "
                "own tokens, as queries="
            )
        self.stacked = weights.ndim == 3
        stack = weights.detach().cpu().double().reshape(-1, count, size)
        self.heads: list[list[list[float]]] = stack.tolist()

    @abstractmethod
    def markup(self) -> str:
        """The file that `save` writes."""

    def save(self, name: str | Path) -> None:
        """Write the view to a file, the same bytes for the same weights.

        Args:
            name: A path that ends as the view does, in `.svg` or in `.html`. What is there is
                replaced.

        Raises:
            ValueError: The name has another suffix than that of the view.
        """
        path = Path(name)
        if path.suffix != self.suffix:
            raise ValueError(f"name is {path.name}: expected one that ends in {self.suffix}")
        path.write_text(self.markup(), "utf-8", newline="\n")

    def titles(self) -> list[str]:
        """A heading for each head; without an axis of heads there is none to name."""
        return [f"head {h}" for h in range(len(self.heads))] if self.stacked else [""]


def check(weights: Tensor) -> None:
    floats("weights", weights)
    if weights.ndim not in (2, 3):
        one = "; of a batch, one sequence" if weights.ndim == 4 else ""
        raise ValueError(
            f"weights has {counted(weights.ndim, 'axis')}: expected (T, S) or (heads, T, S), "
            f"got {shape(weights)}{one}"
        )
    if not weights.numel():
        raise ValueError(
            f"weights is empty: expected at least one query and one key, got {shape(weights)}"
        )
    if weights.is_meta:
        raise ValueError("weights is on meta: expected a device that holds values")
    rows = weights.detach().cpu().double()  # in this order: MPS has no float64
    if row := first((~rows.isfinite()).any(-1)):
        raise ValueError(f"weights has NaN or infinity in {named(row)}: expected finite weights")
    if row := first((rows < 0).any(-1)):
        least = rows[row].min()
        raise ValueError(f"weights has {least:.4g} in {named(row)}: expected 0 or more")
    sums = rows.sum(-1)
    if row := first(((sums - 1).abs() > SLACK) & (sums > 0)):
        raise ValueError(
            f"weights sums to {sums[row]:.4f} in {named(row)}: expected 1, or 0 for a "
            "query that may attend to nothing"
        )


def first(wrong: Bool[Tensor, "*heads queries"]) -> tuple[int, ...] | None:
    """The first row that is so, by its head, if there are heads, and its position."""
    return next(map(tuple, wrong.nonzero().tolist()), None)


def named(row: tuple[int, ...]) -> str:
    *head, i = row
    return f"row {i}" + "".join(f" of head {h}" for h in head)


def labels(name: str, tokens: Sequence[str], count: int, role: str) -> list[str]:
    """The tokens as they are shown: in one line, and those that repeat with their positions."""
    if not isinstance(tokens, Sequence):
        raise TypeError(f"{name} is {kind(tokens)}: expected a list of strings")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"{name} has {kind(token)}: expected strings")
    if len(tokens) != count:
        raise ValueError(
            f"{name} has length {len(tokens)} but weights has {counted(count, role)}: expected a "
            f"token for each {role}"
        )
    shown = [visible(token) for token in tokens]
    # Again while two are alike: a token with its position may be what another one is.
    while max((often := Counter(shown)).values()) > 1:
        shown = [
            f"{token}{str(i).translate(SUBSCRIPT)}" if often[token] > 1 else token
            for i, token in enumerate(shown)
        ]
    return shown


def visible(token: str) -> str:
    """A token with its outer spaces and its control characters made visible."""
    inner = token.strip(" ")
    left = len(token) - len(token.lstrip(" "))
    right = len(token) - left - len(inner)
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in inner)
    return "␣" * left + text + "␣" * right if inner else "␣" * len(token) or "∅"

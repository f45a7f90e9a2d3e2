"""Which arrows there are from the keys to the queries that attend to them."""

from collections.abc import Sequence
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from attention.checks.numbers import count, real, whole
from attention.checks.tensors import counted
from attention.views.view import View


class Edge(NamedTuple):
    """An arrow from a key to the query that gives it `weight`, by their positions."""

    key: int
    query: int
    weight: float


class Arrows(View):
    """Attention weights as arrows, some of which may be left out: what a graph draws."""

    def __init__(
        self,
        weights: Float[Tensor, "*heads queries keys"],
        tokens: Sequence[str],
        queries: Sequence[str] | None = None,
        *,
        at_least: float = 0.0,
        strongest: int | None = None,
    ) -> None:
        super().__init__(weights, tokens, queries)
        real("at_least", at_least)
        if not 0 <= at_least <= 1:
            raise ValueError(f"at_least is {at_least}: expected a weight from 0 to 1")
        self.at_least = at_least
        self.strongest = None if strongest is None else count("strongest", strongest, 1)

    def edges(self, head: int = 0) -> list[Edge]:
        """The arrows of a head, query by query, the strongest first.

        Args:
            head: Which head, a position.

        Raises:
            TypeError: The head is no integer.
            ValueError: There is no such head.
        """
        # Both to six decimals: the noise of float32 decides no order, a third is at least 1 / 3.
        found, least = [], round(self.at_least, 6)
        for i, row in enumerate(self.heads[self._one(head)]):
            edges = [(-round(weight, 6), j) for j, weight in enumerate(row) if weight > 0]
            kept = [j for less, j in sorted(edges)[: self.strongest] if -less >= least]
            found += [Edge(j, i, row[j]) for j in kept]
        return found

    def left_out(self, head: int = 0) -> str:
        """What `at_least` and `strongest` leave out of a head, in a sentence; "" if nothing.

        Args:
            head: Which head, a position.

        Raises:
            TypeError: The head is no integer.
            ValueError: There is no such head.
        """
        weights = [weight for row in self.heads[self._one(head)] for weight in row if weight > 0]
        kept = [edge.weight for edge in self.edges(head)]
        if not (gone := len(weights) - len(kept)):
            return ""
        why = [f"below {self.at_least:g}"] * (self.at_least > 0)
        why += [f"beyond the strongest {self.strongest}"] * (self.strongest is not None)
        share, whole = sum(weights) - sum(kept), sum(weights)
        return (
            f"Left out: {counted(gone, 'arrow')} {' or '.join(why)}, with {share:.2f} of the "
            f"weight of {whole:.2f}."
        )

    def node(self, query: int) -> int:
        """The node of a query; a key's is its position."""
        tokens, queries = len(self.tokens), len(self.queries)
        return tokens + query if self.cross else tokens - queries + query

    def lines(self, head: int = 0) -> list[str]:
        """Who hears whom, a query a line.

        Args:
            head: Which head, a position.

        Raises:
            TypeError: The head is no integer.
            ValueError: There is no such head.
        """
        heard: list[list[str]] = [[] for _ in self.queries]
        for key, query, weight in self.edges(head):
            heard[query].append(f"{self.tokens[key]} {weight:.2f}")
        pairs = zip(self.queries, heard, strict=True)
        return [f"{query} ← {', '.join(keys) or 'nothing'}" for query, keys in pairs]

    def _one(self, head: int | None) -> int:
        """A head that is there; if there is one, it needs no name."""
        heads = len(self.heads)
        if head is None and heads == 1:
            return 0
        if head is not None:
            head = whole("head", head)
        if head is None or head not in range(heads):
            expected = "0" if heads == 1 else f"0 to {heads - 1}"
            raise ValueError(f"head is {head}: expected {expected}")
        return head

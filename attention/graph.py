"""Attention as a directed graph: an arrow from each token that is heard to the one that listens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from jaxtyping import Float
from torch import Tensor

from attention.checks.numbers import count, real, whole
from attention.checks.tensors import counted
from attention.views.drawing import draw
from attention.views.view import View

if TYPE_CHECKING:
    import networkx


class Edge(NamedTuple):
    """An arrow from a key to the query that gives it `weight`, by their positions."""

    key: int
    query: int
    weight: float


class AttentionGraph(View):
    """Attention weights as a graph, with an arrow from a key to each query that attends to it.

        key j → query i   where   weights[i, j] > 0

    What a query hears comes along its arrows, so the weights that arrive at a node are a row and
    sum to 1; those that leave it are a column. A token that attends to itself has a loop. An arrow
    is drawn as wide as its weight, down to a hair. In a notebook the graph shows itself;
    `save("name.svg")` writes the drawing, whose colours follow the page that it is put into.

    Args:
        weights: Shape `(T, S)`, or `(heads, T, S)`: weights of 0 or more, without unit. A row
            sums to 1, or nearly, or to 0 where a query may attend to nothing.
        tokens: The `S` tokens that stand at the keys. With fewer queries than keys, the queries
            are the last `T` of them, as when decoding with a cache.
        queries: The `T` tokens that stand at the queries, where they are another sequence, as in
            cross-attention. They are nodes of their own then.
        at_least: The least weight that has an arrow, to six decimals. What is left out is said, in
            the text and below the drawing.
        strongest: How many arrows arrive at a query, the strongest first; all if not given.

    Raises:
        TypeError: An argument has the wrong type or dtype.
        ValueError: A shape, a number of tokens or a weight does not fit.

    Source:
        Veličković et al., *Graph Attention Networks* (2018), section 2.1.

    Examples:
        >>> import torch
        >>> from attention import AttentionGraph
        >>> weights = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]])
        >>> AttentionGraph(weights, ["I", "love", "tennis"], at_least=0.2)
        AttentionGraph: 3 tokens, 5 arrows
        I ← I 0.70, love 0.20
        love ← love 0.80
        tennis ← tennis 0.60, love 0.40
        Left out: 3 arrows below 0.2, with 0.30 of the weight of 3.00.
    """

    suffix = ".svg"

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

    def to_networkx(self, head: int | None = None) -> "networkx.DiGraph":
        """The graph of one head as a `networkx.DiGraph`.

        A node is a position and has its `token`; an edge runs from key to query and has its
        `weight`. With `queries` of their own, query `i` is node `S + i`, and a node also has its
        side, `bipartite`: 0 for a key, 1 for a query.

        Args:
            head: Which head, a position; may be left out where there is one.

        Raises:
            ModuleNotFoundError: networkx is not installed.
            TypeError: The head is no integer.
            ValueError: There is no such head, or more than one and none was named.

        Examples:
            >>> import torch
            >>> from attention import AttentionGraph
            >>> graph = AttentionGraph(torch.tensor([[1.0, 0.0], [0.25, 0.75]]), ["so", "so"])
            >>> graph.to_networkx().edges(data="weight")
            OutEdgeDataView([(0, 0, 1.0), (0, 1, 0.25), (1, 1, 0.75)])
        """
        try:
            import networkx
        except ModuleNotFoundError:
            raise ModuleNotFoundError("networkx is not installed: pip install networkx") from None
        graph, head = networkx.DiGraph(), self._one(head)
        for j, token in enumerate(self.tokens):
            graph.add_node(j, token=token, **({"bipartite": 0} if self.cross else {}))
        if self.cross:
            for i, token in enumerate(self.queries):
                graph.add_node(self.node(i), token=token, bipartite=1)
        for key, query, weight in self.edges(head):
            graph.add_edge(key, self.node(query), weight=weight)
        return graph

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

    def __repr__(self) -> str:
        tokens = len(self.tokens) + len(self.queries) * self.cross
        said = []
        for head, title in enumerate(self.titles()):
            arrows = len(self.edges(head))
            named = f"{title}, " if title else ""
            said.append(
                f"AttentionGraph: {named}{counted(tokens, 'token')}, {counted(arrows, 'arrow')}"
            )
            said += self.lines(head) + [text for text in [self.left_out(head)] if text]
        return "\n".join(said)

    def markup(self) -> str:
        return draw(self)

    def _repr_svg_(self) -> str:
        return self.markup()

"""Attention as a directed graph: an arrow from each token that is heard to the one that listens."""

from typing import TYPE_CHECKING

from attention.checks.tensors import counted
from attention.views.arrows import Arrows
from attention.views.drawing import draw

if TYPE_CHECKING:
    import networkx


class AttentionGraph(Arrows):
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

"""The nodes of a formula's tree: each is its kind and its parts."""

from typing import Any

from literate.formulas.cursor import Unread

Node = tuple[Any, ...]  # ("add", left, right), ("name", "alpha", [indices], bold), …


def quotient(above: Node, below: Node) -> Node:
    """What is divided; a slope has a value of its own: `dalpha_ds`, at the indices of both."""
    if above[0] == below[0] == "change":
        if above[1][0] != "name" or below[1][0] != "name":
            raise Unread("only a name has a slope, for a name")
        (_, (_, first, at, _)), (_, (_, second, further, _)) = above, below
        return "name", f"d{first}_d{second}", [*at, *further], False
    return "over", above, below


def renewed(node: Node) -> Node:
    """What something becomes has a value of its own: `a_new`."""
    if node[0] != "name":
        raise Unread("only a name becomes something")
    return "name", node[1] + "_new", *node[2:]

"""A formula as a tree: a node is its kind and its parts."""

from collections.abc import Container
from typing import Any

from literate.formulas.cursor import Cursor, Unread
from literate.formulas.names import letter, named, stepped, subscript
from literate.formulas.tokens import APART, RELATIONS, SAME

Node = tuple[Any, ...]  # ("add", left, right), ("name", "alpha", [indices], bold), …
FUNCTIONS = {r"\exp", r"\ln", r"\log", r"\sin", r"\cos", r"\tanh", r"\max", r"\min"}
OVER = {r"\sum", r"\max"}  # all values of an index
# With what no factor begins: a length is not the second of two.
CLOSING = {")", "]", "}", "|", r"\rVert", ",", APART, SAME, ""}
BETWEEN = {*RELATIONS, "becomes", "+", "-", "/", r"\cdot"}


class Reader(Cursor):
    """Reads signs from left to right; `called` are the names of functions."""

    def __init__(self, signs: list, called: Container[str]) -> None:
        super().__init__(signs)
        self.called = called

    def all(self) -> list[Node]:
        """The formulas, one behind another."""
        found = [self.linked()]
        while self.take(APART, ","):
            found.append(self.linked())
        if self.next:
            raise Unread(f"{self.next!r} is not read")
        return found

    def linked(self) -> Node:
        """A formula, or two of which one says what the other does."""
        found = self.related()
        return ("same", found, self.related()) if self.take(SAME) else found

    def related(self) -> Node:
        """Two sides or more, and what stands between them."""
        parts: list = [self.summed()]
        while sign := self.take(*RELATIONS, "becomes"):
            if sign == "becomes":
                parts[-1] = renewed(parts[-1])
            parts += [RELATIONS.get(sign, "="), self.summed()]
        return ("related", *parts) if len(parts) > 1 else parts[0]

    def summed(self) -> Node:
        sign = self.take("-", "+")
        found = self.product()
        found = ("negative", found) if sign == "-" else found
        while sign := self.take("-", "+"):
            found = ("add" if sign == "+" else "less", found, self.product())
        return found

    def product(self) -> Node:
        found = self.run()
        while self.take(r"\cdot"):
            found = ("dot", found, self.run())
        return found

    def run(self) -> Node:
        """Factors without a sign between them; behind a `/` there is one."""
        found = self.factor()
        while self.begins():
            if self.kind == self.signs[self.at - 1].kind == "number":
                raise Unread(f"a number before {self.next} is seen as one with it")
            found = ("times", found, self.factor())
        if self.take("/"):
            found = quotient(found, self.factor())
            if self.begins() or self.next == "/":
                raise Unread(f"what the fraction before {self.next!r} ends with is not clear")
        return found

    def begins(self) -> bool:
        """Whether a further factor does."""
        return self.next not in CLOSING | BETWEEN

    def factor(self) -> Node:
        if self.next in OVER and self.peek(1) == "_":
            return self.gathered()
        if kind := self.take(*FUNCTIONS):
            return self.function(kind)
        return self.powered(self.atom())

    def gathered(self) -> Node:
        """A sum, or the largest, over the values of an index."""
        kind = self.sign().text
        self.need("_")
        where = self.conditions()
        stop = self.braced() if self.take("^") else None
        if stop and [sign for sign, _ in where[1:2]] != ["="]:
            raise Unread("a sum up to a number begins at one")
        body = self.product() if kind == r"\sum" else self.alone(kind)
        return "each", kind[1:], where, stop, body

    def conditions(self) -> list:
        """The index of a sum, and what its values must be: `("≠", node)`, or a condition's name."""
        if not self.take("{"):
            return subscript(self)
        found: list = [stepped(self)]
        while not self.take("}"):
            if relation := self.take(*RELATIONS):
                found.append((RELATIONS[relation], self.summed()))
            elif not self.take(","):
                found.append((letter(self), 0))
        return found

    def function(self, kind: str) -> Node:
        base = None
        if kind == r"\log":
            self.need("_")
            base = subscript(self)
        if self.next == "(":
            return self.powered(("call", kind[1:], base, *self.arguments()))
        return "call", kind[1:], base, self.alone(kind)

    def alone(self, kind: str) -> Node:
        """What a function is of, without brackets: one factor, and no other behind it."""
        found = self.factor()
        if self.next in ("/", r"\cdot") or self.begins() and self.next not in FUNCTIONS | OVER:
            raise Unread(f"whether {kind} is of {self.next!r} too is not clear")
        return found

    def atom(self) -> Node:
        if not self.next:
            raise Unread("it ends too early")
        one = self.sign()
        if one.kind == "number":
            return "number", float(one.text)
        if one.kind == "name":
            if self.next == "(" and one.text in self.called:
                return ("call", one.text, None, *self.arguments())
            return named(self, one)
        if one.text == r"\frac":
            return quotient(self.braced(), self.braced())
        if one.text == r"\sqrt":
            return "call", "sqrt", None, self.braced()
        if one.text == r"\partial":
            return "change", self.factor()
        if one.text == "(":
            return self.until(")")
        if one.text == "{":
            found = self.factor()
            if not self.take("}"):
                raise Unread("braces are not seen: write brackets")
            return found
        if one.text in ("|", r"\lVert"):
            return "call", "length", None, self.until("|" if one.text == "|" else r"\rVert")
        if one.text == "[":
            found = [self.factor()]
            while not self.take("]"):
                found.append(self.factor())
            return ("beside", *found)
        raise Unread(f"{one.text!r} is not read")

    def until(self, closing: str) -> Node:
        found = self.summed()
        self.need(closing)
        return found

    def arguments(self) -> list[Node]:
        self.need("(")
        found = [self.summed()]
        while self.take(","):
            found.append(self.summed())
        self.need(")")
        return found

    def braced(self) -> Node:
        """What stands in braces, or one sign without them."""
        if self.take("{"):
            return self.until("}")
        self.single()
        if self.kind not in ("name", "number"):
            raise Unread(f"{self.next or 'the end'!r} without braces is not read")
        one = self.sign()
        if one.kind == "number":
            return "number", float(one.text)
        return "name", one.text, [], one.bold

    def powered(self, found: Node) -> Node:
        while self.take("^"):
            if self.take(r"\top"):
                found = "turned", found
            elif self.take_all("{", "-", r"\top", "}"):
                found = "turned", ("power", found, ("number", -1.0))
            else:
                found = "power", found, self.braced()
        return found


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

"""A formula as a tree: sides, their sums and products, and functions of them."""

from literate.formulas.atoms import Atoms
from literate.formulas.cursor import Unread
from literate.formulas.nodes import Node, quotient, renewed
from literate.formulas.tokens import APART, RELATIONS, SAME

FUNCTIONS = {r"\exp", r"\ln", r"\log", r"\sin", r"\cos", r"\tanh", r"\max", r"\min"}
OVER = {r"\sum", r"\max"}  # all values of an index
# With what no factor begins: a length is not the second of two.
CLOSING = {")", "]", "}", "|", r"\rVert", ",", APART, SAME, ""}
BETWEEN = {*RELATIONS, "becomes", "+", "-", "/", r"\cdot"}


class Reader(Atoms):
    """Reads formulas from left to right."""

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
            return self.subscript()
        found: list = [self.stepped()]
        while not self.take("}"):
            if relation := self.take(*RELATIONS):
                found.append((RELATIONS[relation], self.summed()))
            elif not self.take(","):
                found.append((self.letter(), 0))
        return found

    def function(self, kind: str) -> Node:
        base = None
        if kind == r"\log":
            self.need("_")
            base = self.subscript()
        if self.next == "(":
            return self.powered(("call", kind[1:], base, *self.arguments()))
        return "call", kind[1:], base, self.alone(kind)

    def alone(self, kind: str) -> Node:
        """What a function is of, without brackets: one factor, and no other behind it."""
        found = self.factor()
        if self.next in ("/", r"\cdot") or self.begins() and self.next not in FUNCTIONS | OVER:
            raise Unread(f"whether {kind} is of {self.next!r} too is not clear")
        return found

"""What the operators of a formula stand between: numbers, names, calls, and what is in brackets."""

from abc import ABC, abstractmethod
from collections.abc import Container

from literate.formulas.cursor import Unread
from literate.formulas.names import Names
from literate.formulas.nodes import Node, quotient
from literate.formulas.tokens import Sign


class Atoms(Names, ABC):
    """Reads one of them; `called` are the names of functions."""

    def __init__(self, signs: list[Sign], called: Container[str]) -> None:
        super().__init__(signs)
        self.called = called

    @abstractmethod
    def summed(self) -> Node:
        """What may stand in brackets: all that operators can make."""

    @abstractmethod
    def factor(self) -> Node:
        """What may stand where there is no operator."""

    def atom(self) -> Node:
        if not self.next:
            raise Unread("it ends too early")
        one = self.sign()
        if one.kind == "number":
            return "number", float(one.text)
        if one.kind == "name":
            if self.next == "(" and one.text in self.called:
                return ("call", one.text, None, *self.arguments())
            return self.named(one)
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

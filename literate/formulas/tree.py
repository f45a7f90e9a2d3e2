"""A formula as a tree: a node is its kind and its parts."""

from collections.abc import Container
from typing import Any

from literate.formulas.tokens import APART, RELATIONS, SAME, Sign

Node = tuple[Any, ...]  # ("add", left, right), ("name", "alpha", [subscripts]), …
FUNCTIONS = {r"\exp", r"\ln", r"\log", r"\sin", r"\cos", r"\tanh", r"\max", r"\min"}
OVER = {r"\sum", r"\max"}  # all values of an index
WORDS = {"softmax"}
# With what no factor begins: a length is not the second of two.
CLOSING = {")", "]", "}", "|", r"\rVert", ",", APART, SAME, ""}
BETWEEN = {*RELATIONS, "becomes", "+", "-", "/", r"\cdot"}


class Unread(Exception):
    """A formula that is not in the notation; `formula` says which."""


class Reader:
    """Reads the signs of a formula from left to right."""

    def __init__(self, signs: list[Sign], called: Container[str]) -> None:
        self.signs, self.at, self.called = signs, 0, called

    @property
    def next(self) -> str:
        return self.signs[self.at].text if self.at < len(self.signs) else ""

    def take(self, *texts: str) -> str:
        """The next sign, if it is one of these; else an empty text."""
        if self.next and self.next in texts:
            self.at += 1
            return self.signs[self.at - 1].text
        return ""

    def need(self, text: str) -> None:
        if not self.take(text):
            raise Unread(f"{text!r} is missing before {self.next or 'the end'!r}")

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
        if self.next in OVER and self.at + 1 < len(self.signs) and self.after("_"):
            kind = self.take(*OVER)
            self.need("_")
            where = self.subscript()
            stop = self.braced(self.summed) if self.take("^") else None
            if stop and where[1][0] != "=":
                raise Unread("a sum up to a number begins at one")
            return ("each", kind[1:], where, stop, self.product())
        if kind := self.take(*FUNCTIONS):
            base = self.base() if kind == r"\log" else None
            if self.next == "(":
                return self.powered(("call", kind[1:], base, *self.arguments()))
            found = ("call", kind[1:], base, self.factor())
            if self.next == "/" or self.begins() and self.next not in FUNCTIONS | OVER:
                raise Unread(f"whether {kind} is of {self.next!r} too is not clear")
            return found
        return self.powered(self.atom())

    def base(self) -> list:
        self.need("_")
        return self.subscript()

    def after(self, text: str) -> bool:
        return self.signs[self.at + 1].text == text

    def atom(self) -> Node:
        if self.at == len(self.signs):
            raise Unread("it ends too early")
        kind, text, _, bold = self.signs[self.at]
        self.at += 1
        if kind == "number":
            return "number", float(text)
        if kind == "name":
            if self.next == "(" and (text in self.called or text in WORDS):
                return ("call", text, None, *self.arguments())
            return self.named(text, bold)
        if text == r"\frac":
            return quotient(self.braced(self.summed), self.braced(self.summed))
        if text == r"\sqrt":
            return "call", "sqrt", None, self.braced(self.summed)
        if text == r"\partial":
            return "change", self.factor()
        if text == "(":
            found = self.summed()
            self.need(")")
            return found
        if text == "{":
            found = self.factor()
            if self.next != "}":
                raise Unread("braces are not seen: write brackets")
            self.need("}")
            return found
        if text in ("|", r"\lVert"):
            found = self.summed()
            self.need("|" if text == "|" else r"\rVert")
            return "call", "length", None, found
        if text == "[":
            found = [self.factor()]
            while self.next != "]":
                found.append(self.factor())
            self.need("]")
            return ("beside", *found)
        raise Unread(f"{text!r} is not read")

    def named(self, name: str, bold: bool) -> Node:
        below: list = []
        while True:
            if self.take("'"):
                name += "_prime"
            elif self.take("_"):
                below += self.subscript()
            elif self.next == "^" and self.numbered():
                name += self.signs[self.at + 3].text
                self.at += 6
            else:
                return "name", name, below, bold

    def numbered(self) -> bool:
        """Whether a superscript such as `{(2)}` is a part of the name."""
        texts = [sign.text for sign in self.signs[self.at + 1 : self.at + 6]]
        return texts[:2] == ["{", "("] and texts[3:] == [")", "}"]

    def subscript(self) -> list:
        """Indices, each a letter or number and how far from it; or a condition of one."""
        if not self.take("{"):
            self.single()
            return [(self.letter(), 0)]
        found: list = []
        while not self.take("}"):
            if sign := self.take(*RELATIONS):
                found.append((RELATIONS[sign], self.summed()))
            elif not self.take(","):
                found.append(self.stepped())
        return found

    def letter(self) -> str | int:
        kind, text = self.signs[self.at][:2] if self.next else ("", "the end")
        if kind not in ("name", "number"):
            raise Unread(f"{text!r} in a subscript is not read")
        self.at += 1
        return int(float(text)) if kind == "number" else text

    def stepped(self) -> tuple[str | int, int]:
        """A letter or a number, and how far from it."""
        found = self.letter()
        if isinstance(found, int) and self.next.isalpha():
            raise Unread(f"{found}{self.next} in a subscript is a product: write a comma")
        sign, far = self.take("-", "+"), 0
        if sign and not isinstance(far := self.letter(), int):
            raise Unread(f"{far!r} is no step of an index")
        return found, -far if sign == "-" else far

    def arguments(self) -> list[Node]:
        self.need("(")
        found = [self.summed()]
        while self.take(","):
            found.append(self.summed())
        self.need(")")
        return found

    def braced(self, read) -> Node:
        """What stands in braces, or one sign without them."""
        if self.take("{"):
            found = read()
            self.need("}")
            return found
        self.single()
        return self.atom()

    def single(self) -> None:
        """Without braces TeX takes one digit."""
        if len(self.next) > 1 and self.signs[self.at].kind == "number":
            raise Unread(f"only the first digit of {self.next} is placed: write braces")

    def powered(self, found: Node) -> Node:
        while self.take("^"):
            if self.take(r"\top"):
                found = "turned", found
                continue
            start = self.at
            texts = [sign.text for sign in self.signs[start : start + 4]]
            if texts == ["{", "-", r"\top", "}"]:
                self.at += 4
                found = "turned", ("power", found, ("number", -1.0))
            else:
                found = "power", found, self.braced(self.summed)
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

"""A name with its prime, its number and its indices, as in `\\alpha^{(2)}_{ij}`."""

from literate.formulas.cursor import Cursor, Unread
from literate.formulas.nodes import Node
from literate.formulas.tokens import Sign

Index = tuple[str | int, int]  # a letter or a number, and how far from it


class Names(Cursor):
    """Reads what stands at a name."""

    def named(self, name: Sign) -> Node:
        """The name's node: its text, its indices, and whether it is bold."""
        text, below = name.text, []
        while True:
            if self.take("'"):
                text += "_prime"
            elif self.take("_"):
                below += self.subscript()
            elif (number := self.peek(3)) and self.take_all("^", "{", "(", number, ")", "}"):
                text += number
            else:
                return "name", text, below, name.bold

    def subscript(self) -> list[Index]:
        if not self.take("{"):
            self.single()
            return [(self.letter(), 0)]
        found: list[Index] = []
        while not self.take("}"):
            if not self.take(","):
                found.append(self.stepped())
        return found

    def letter(self) -> str | int:
        if self.kind not in ("name", "number") or "." in self.next:
            raise Unread(f"{self.next or 'the end'!r} in a subscript is not read")
        one = self.sign()
        return int(one.text) if one.kind == "number" else one.text

    def stepped(self) -> Index:
        """A letter or a number, and how far from it."""
        found = self.letter()
        if isinstance(found, int) and self.next.isalpha():
            raise Unread(f"{found}{self.next} in a subscript is a product: write a comma")
        sign, far = self.take("-", "+"), 0
        if sign and not isinstance(far := self.letter(), int):
            raise Unread(f"{far!r} is no step of an index")
        return found, -far if sign == "-" else far

"""The signs of a formula, and how far they are read."""

from literate.formulas.tokens import Sign


class Unread(Exception):
    """A formula that is not in the notation; the message says where."""


class Cursor:
    """A place in a row of signs; at its end the next one is an empty text."""

    def __init__(self, signs: list[Sign]) -> None:
        self.signs, self.at = signs, 0

    @property
    def next(self) -> str:
        return self.peek(0)

    @property
    def kind(self) -> str:
        return self.signs[self.at].kind if self.next else ""

    def peek(self, far: int) -> str:
        place = self.at + far
        return self.signs[place].text if place < len(self.signs) else ""

    def sign(self) -> Sign:
        """The next sign, which is read then."""
        self.at += 1
        return self.signs[self.at - 1]

    def take(self, *texts: str) -> str:
        """The next sign, if it is one of these; else an empty text."""
        return self.sign().text if self.next and self.next in texts else ""

    def take_all(self, *texts: str) -> bool:
        """Whether these are next, one behind another; then they are read."""
        there = all(self.peek(far) == text for far, text in enumerate(texts))
        if there:
            self.at += len(texts)
        return there

    def need(self, text: str) -> None:
        if not self.take(text):
            raise Unread(f"{text!r} is missing before {self.next or 'the end'!r}")

    def single(self) -> None:
        """Without braces TeX takes one digit."""
        if len(self.next) > 1 and self.kind == "number":
            raise Unread(f"only the first digit of {self.next} is placed: write braces")

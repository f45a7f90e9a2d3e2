"""A name with its prime, its number and its indices, as in `\\alpha^{(2)}_{ij}`."""

from literate.formulas.cursor import Cursor, Unread
from literate.formulas.tokens import RELATIONS, Sign

Index = tuple  # a letter or a number, and how far from it


def named(signs: Cursor, name: Sign) -> tuple:
    """The name's node: its text, its indices, and whether it is bold."""
    text, below = name.text, []
    while True:
        if signs.take("'"):
            text += "_prime"
        elif signs.take("_"):
            below += subscript(signs)
        elif (number := signs.peek(3)) and signs.take_all("^", "{", "(", number, ")", "}"):
            text += number
        else:
            return "name", text, below, name.bold


def subscript(signs: Cursor) -> list[Index]:
    """Its indices; behind that of a sum what its values must be, as `("≠", node)`."""
    if not signs.take("{"):
        signs.single()
        return [(letter(signs), 0)]
    found: list[Index] = []
    while not signs.take("}"):
        if relation := signs.take(*RELATIONS):
            found.append((RELATIONS[relation], bound(letter(signs))))
        elif not signs.take(","):
            found.append(stepped(signs))
    return found


def letter(signs: Cursor) -> str | int:
    if not signs.next or signs.signs[signs.at].kind not in ("name", "number"):
        raise Unread(f"{signs.next or 'the end'!r} in a subscript is not read")
    kind, text, *_ = signs.sign()
    return int(float(text)) if kind == "number" else text


def stepped(signs: Cursor) -> Index:
    """A letter or a number, and how far from it."""
    found = letter(signs)
    if isinstance(found, int) and signs.next.isalpha():
        raise Unread(f"{found}{signs.next} in a subscript is a product: write a comma")
    sign, far = signs.take("-", "+"), 0
    if sign and not isinstance(far := letter(signs), int):
        raise Unread(f"{far!r} is no step of an index")
    return found, -far if sign == "-" else far


def bound(found: str | int) -> tuple:
    """What the index of a sum is compared with, as a node."""
    return ("number", float(found)) if isinstance(found, int) else ("name", found, [], False)

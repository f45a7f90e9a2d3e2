"""A name with its prime, its number and its indices, as in `\\alpha^{(2)}_{ij}`."""

from literate.formulas.cursor import Cursor, Unread
from literate.formulas.tokens import Sign

Index = tuple[str | int, int]  # a letter or a number, and how far from it


def named(cursor: Cursor, name: Sign) -> tuple:
    """The name's node: its text, its indices, and whether it is bold."""
    text, below = name.text, []
    while True:
        if cursor.take("'"):
            text += "_prime"
        elif cursor.take("_"):
            below += subscript(cursor)
        elif (number := cursor.peek(3)) and cursor.take_all("^", "{", "(", number, ")", "}"):
            text += number
        else:
            return "name", text, below, name.bold


def subscript(cursor: Cursor) -> list[Index]:
    if not cursor.take("{"):
        cursor.single()
        return [(letter(cursor), 0)]
    found: list[Index] = []
    while not cursor.take("}"):
        if not cursor.take(","):
            found.append(stepped(cursor))
    return found


def letter(cursor: Cursor) -> str | int:
    if cursor.kind not in ("name", "number") or "." in cursor.next:
        raise Unread(f"{cursor.next or 'the end'!r} in a subscript is not read")
    one = cursor.sign()
    return int(one.text) if one.kind == "number" else one.text


def stepped(cursor: Cursor) -> Index:
    """A letter or a number, and how far from it."""
    found = letter(cursor)
    if isinstance(found, int) and cursor.next.isalpha():
        raise Unread(f"{found}{cursor.next} in a subscript is a product: write a comma")
    sign, far = cursor.take("-", "+"), 0
    if sign and not isinstance(far := letter(cursor), int):
        raise Unread(f"{far!r} is no step of an index")
    return found, -far if sign == "-" else far

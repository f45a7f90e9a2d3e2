"""What came in the place of what was expected, as a message names it."""

import builtins
import re

LONG = 160  # characters: two lines, more than most masks take
AN = "[AEIOaeio]|[FHLMNRSX][A-Z]|nd"  # an LSTM, an ndarray; a Linear, a UNet


def kind(value: object) -> str:
    """`None`, or an article and the name of the type, of another `bool` with its module."""
    if value is None:
        return "None"
    name = type(value).__name__
    if type(value) is not getattr(builtins, name, type(value)):
        name = f"{type(value).__module__}.{name}"
    return f"an {name}" if re.match(AN, name) else f"a {name}"


def brief(value: object) -> str:
    """Its `repr`, without the numbers of a tensor, and of a long one both ends."""
    short = re.sub(r"(\w+)\(\[.*?\](?=\)|,\s+\w+=)", r"\1([…]", repr(value), flags=re.DOTALL)
    said = " ".join(short.split("\n"))
    return said if len(said) <= LONG else f"{said[: LONG // 2]} … {said[-LONG // 2 :]}"

"""What came in the place of what was expected, as a message names it."""


def kind(value: object) -> str:
    """`None`, or an article and the name of the type."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[0] in "AEIOaeio" else f"a {name}"

"""What a class of masks takes over from its bases."""

# What a mask says of its rule, beside the rule itself.
SAID = ("relative", "over", "span", "full", "intervals", "first")


def forget(cls: type, mask: type) -> None:
    """Of a class with a rule of its own, what its bases said of another, so that it says nothing.

    Args:
        cls: A new class of masks.
        mask: `Mask` itself, which says nothing.
    """
    for name in SAID:
        said = next(base for base in cls.__mro__ if name in vars(base))
        if not issubclass(said, mask):  # a base beside: said of the mask that took it first
            them = (base for base in reversed(cls.__mro__) if issubclass(base, said))
            said = next(base for base in them if issubclass(base, mask))
        if ruling(said) not in (mask, ruling(cls)):  # Mask's is none: a class of many rules
            setattr(cls, name, vars(mask)[name])


def ruling(cls: type) -> type:
    """The class whose rule a class of masks has."""
    return next(base for base in cls.__mro__ if "__call__" in vars(base))

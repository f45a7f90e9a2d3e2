"""On which side of a rounded number its value lies, where the words directly before it say so."""

import re

from literate.compare import decimal
from literate.prose import COMMENT

NO = r"(?<!\bno )(?<!\bnot )"
FLOOR = re.compile(rf"(?:{NO}\bmore than|\bat least|\bnot? (?:less|fewer) than) [*_]*$")
CEILING = re.compile(rf"(?:{NO}\b(?:less|fewer) than|\bat most|\bup to|\bnot? more than) [*_]*$")


def beyond(before: str, printed: str, unit: str, value: float) -> str:
    """The words before a number, if its value lies on the other side of it than they say.

    0.88346 is 0.9, and not `more than 0.9`. What float32 leaves open is no side.
    """
    words = re.sub(r"\s+", " ", COMMENT.sub("", before.rpartition("\n\n")[2]).lower())
    value *= 100 if "%" in unit else 1
    off = value - float(decimal(printed))
    found = (CEILING if off > 0 else FLOOR).search(words)
    return found[0].strip(" *_") if found and abs(off) > 2e-6 * abs(value) else ""

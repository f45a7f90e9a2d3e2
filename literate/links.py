"""`python -m literate links`: asks each address outside the book whether it is still there.

It needs the network, so no test of the book waits for it. `--list` only says which these are.
"""

import argparse
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from literate.pages.remarks import told

PLACES = ["*.md", "docs/**/*.md", "attention/**/*.py", "literate/**/*.py"]
ADDRESS = re.compile(r"https?://[\w.-]+\.[a-z]{2,}(?:/[^\s<>()`'\"{}]*(?:\([\w.]*\)[\w.]*)?)?")
MADE_UP = re.compile(r"https?://(?:[\w.-]+\.)?(?:example(?:\.org)?|w3\.org)(?:/|$)")
PATIENCE = 20  # seconds


def addresses() -> dict[str, list[str]]:
    """Each address, with the places that link to it."""
    found: dict[str, list[str]] = {}
    for path in sorted({path for glob in PLACES for path in Path().glob(glob)}):
        text = told(path)
        for match in ADDRESS.finditer(text):
            address = match[0].rstrip(".,;:")
            if not MADE_UP.match(address):
                line = text.count("\n", 0, match.start()) + 1
                found.setdefault(address.partition("#")[0], []).append(f"{path}:{line}")
    return found


def fault(address: str) -> str:
    """What is wrong with an address, or ""."""
    # Some hosts refuse what names itself as no browser.
    request = Request(address, headers={"User-Agent": "Mozilla/5.0 (compatible; links of a book)"})
    try:
        with urlopen(request, timeout=PATIENCE):
            return ""
    except HTTPError as error:
        return f"{error.code} {error.reason}"
    except (URLError, TimeoutError, OSError) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__


def check(found: dict[str, list[str]], ask: Callable[[str], str] = fault) -> int:
    """Print the addresses that do not answer, with their places; how many these are."""
    with ThreadPoolExecutor(8) as pool:
        said = dict(zip(found, pool.map(ask, found), strict=True))
    wrong = {address: what for address, what in said.items() if what}
    for address, what in wrong.items():
        print(f"{', '.join(found[address])}: {address} answers {what}")
    print(f"{len(found) - len(wrong)} of {len(found)} addresses answer", file=sys.stderr)
    return len(wrong)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate links")
    parser.add_argument("--list", action="store_true", help="say the addresses, and ask none")
    options = parser.parse_args(arguments)
    found = addresses()
    if options.list:
        print("\n".join(f"{address} {' '.join(places)}" for address, places in found.items()))
        return 0
    return min(check(found), 1)

"""python -m literate build | export | …: what the Makefile calls."""

import sys

from literate import bibliography, export, links, lint, site, vendor, words
from literate.printing import book

COMMANDS = {
    "bibliography": bibliography.main,
    "build": site.build,
    "export": export.main,
    "pdf": book.main,
    "serve": site.serve,
    "links": links.main,
    "lint": lint.main,
    "vendor": vendor.main,
    "words": words.main,
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        print(f"python -m literate: expected one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

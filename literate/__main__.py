"""python -m literate build | export | …: what the Makefile calls, and a reader."""

import sys
from importlib import import_module

from literate.pages.page import PageError

# Each is imported when it is called: one imports matplotlib, before which another sets its style.
COMMANDS = {
    "bibliography": "literate.bibliography:main",
    "break": "literate.breaking.book:main",
    "build": "literate.site.build:build",
    "count": "literate.counts:main",
    "export": "literate.site.export:main",
    "links": "literate.links:main",
    "lint": "literate.lint:main",
    "mutate": "literate.mutants.command:main",
    "pdf": "literate.printing.book:main",
    "serve": "literate.site.build:serve",
    "vendor": "literate.site.vendor:main",
    "verify": "literate.verify:main",
    "words": "literate.words:main",
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        print(f"python -m literate: expected one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    module, name = COMMANDS[arguments[0]].split(":")
    try:
        return getattr(import_module(module), name)(arguments[1:])
    except PageError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

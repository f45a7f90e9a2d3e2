"""python -m literate build | export | pdf | serve | lint | mutate | vendor: what make calls."""

import sys

from literate import export, lint, site, vendor
from literate.printing import book


def mutate(arguments: list[str]) -> int:
    from literate.mutants import command  # which loads pytest; the others do without

    return command.main(arguments)


COMMANDS = {
    "build": site.build,
    "export": export.main,
    "pdf": book.main,
    "serve": site.serve,
    "lint": lint.main,
    "mutate": mutate,
    "vendor": vendor.main,
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        print(f"python -m literate: expected one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

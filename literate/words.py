"""`python -m literate words`: the spelling of all prose, British, by cspell and our `words.txt`.

Prose is what the pages say outside code, formulas, citations and addresses, and the docstrings and
comments of the Python files. Each file is written at the same line numbers to `build/words`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from literate.bibliography import CITED
from literate.bibliography import PAGE as NAMES
from literate.pages.prose import CODE, hidden
from literate.pages.remarks import told

FOLDER = Path("build/words")
CSPELL = Path("node_modules/cspell/bin.mjs")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md"]
PYTHON = ["attention/**/*.py", "literate/**/*.py", "tests/**/*.py", "benchmarks/*.py"]
# A formula, an address, an attribute, a tag, an expression that is checked, a name as code.
SILENT = re.compile(
    r"\$\$[\s\S]*?\$\$|\$[^$\n]+\$|\]\([^)]*\)|https?://\S+|\{ ?[.#:][^}\n]*\}|<!--=[\s\S]*?-->"
    r"|<[^>\n]*>|^::: .*|``[^`]*``|^ *>>> .*|^ *\.\.\. .*|\b\w*[_@]\w*\b|\b\w+\(\)|\b\w+\.\w[\w.]*",
    re.M,
)


def prose(path: Path) -> str:
    """The words of a file, each character in its place."""
    said = told(path)
    for pattern in (CITED, CODE, SILENT):
        said = pattern.sub(hidden, said)
    return said


def files(glob: str) -> set[Path]:
    """The files of this folder alone, for the program reads no others. Names are no words."""
    paths = Path().glob(os.path.relpath(glob))
    return {path for path in paths if path.is_file() and ".." not in path.parts} - {NAMES}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate words")
    parser.add_argument("pages", nargs="*", metavar="PAGE", default=[*PAGES, *PYTHON])
    globs = parser.parse_args(arguments).pages
    if not CSPELL.exists():
        print(f"{CSPELL} is missing: run `make .venv/.judges`", file=sys.stderr)
        return 1
    found = {glob: files(glob) for glob in globs}
    if missing := [glob for glob, paths in found.items() if not paths]:
        parser.error(f"no page {missing[0]}")
    shutil.rmtree(FOLDER, ignore_errors=True)
    for path in sorted(set().union(*found.values())):
        target = FOLDER / f"{path}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(prose(path), "utf-8")
    node = Path(sys.executable).parent / "node"
    quiet = ["--no-progress", "--no-summary"]
    command = [str(node), str(CSPELL), *quiet, "--config", "cspell.json", f"{FOLDER}/**"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    print(done.stdout.replace(".txt:", ":").replace(f"{FOLDER}/", ""), end="")
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode

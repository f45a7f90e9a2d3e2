"""A page as a notebook, with the outputs that the tests compared: nothing runs."""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from literate.pages.block import APART, SHOWN, Block
from literate.pages.pictures import committed
from literate.site import plain

MIMES = {".svg": "image/svg+xml", ".html": "text/html"}


def write(parts: list[plain.Part], path: Path) -> str:
    cells = []
    for number, part in enumerate(part for part in parts if part.text.strip()):
        block = part.block
        if block is None or block.kinds & (SHOWN | APART):
            text = part.text if block is None else f"```python\n{part.text.rstrip()}\n```"
            cell = v4.new_markdown_cell(text)
        else:
            cell = v4.new_code_cell(part.text.rstrip("\n"), outputs=outputs(block, path))
            if block.kinds & {"raises", "check"}:
                cell.metadata["tags"] = ["raises-exception"]
        cell.id = f"{path.stem[:48]}-{number}"  # random ones would differ from build to build
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(book)
    return nbformat.writes(book) + "\n"


def outputs(block: Block, path: Path) -> list[Any]:
    """What the page says that the block prints, raises and draws."""
    found, text = [], block.output.text if block.output else ""
    if block.kinds & {"raises", "check"} and text:
        lines = text.rstrip("\n").split("\n")
        at = next((i for i, line in enumerate(lines) if re.match(r"[A-Z]\w*(: |$)", line)), 0)
        text, (name, _, value) = "".join(f"{x}\n" for x in lines[:at]), lines[at].partition(": ")
        value = "\n".join([value, *lines[at + 1 :]])
        error = v4.new_output("error", ename=name, evalue=value, traceback=[f"{name}: {value}"])
        found.append(error)
    if text:
        found.insert(0, v4.new_output("stream", name="stdout", text=text))
    for picture in sorted(committed(path, "").glob("*")):
        if picture.name in block.code:  # the tests see to it that it saves what it names
            data = {MIMES[picture.suffix]: picture.read_text("utf-8")}
            found.append(v4.new_output("display_data", data=data))
    return found

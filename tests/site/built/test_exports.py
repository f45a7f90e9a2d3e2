"""What lies beside the HTML of a page runs, alone, and prints what the page says."""

import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import nbformat
import numpy
import pytest
import torch
from pages import DOCS, PAGES, ROOT, folder, shown

from literate.items.blocks import raised_by_package
from literate.pages.block import Block
from literate.pages.page import Page
from literate.rules.compare import same_error, same_output
from literate.running import settings
from literate.running.exercises import exercises
from literate.running.space import BlockError, Printed, Space
from literate.slices.slicer import scripts

WITH_BLOCKS = [page for page in PAGES if scripts(Page.read(DOCS / page))]


@pytest.fixture
def space() -> Iterator[Space]:
    """An empty module; what a page gets from its seed of 0, a copied script does not."""
    settings.prepare()
    space = Space(Path("script.py"))
    for seed in (torch.manual_seed, random.seed, numpy.random.seed):
        seed(20_261_121)
    yield space
    settings.reset()
    space.close()


def run(space: Space, code: str, *kinds: str) -> Printed:
    return space.execute(Block(1, code, frozenset(kinds), "", "", 0, 0, 0, ""))


def all_scripts() -> Iterator[object]:
    for name in WITH_BLOCKS:
        page = Page.read(DOCS / name)
        # Those for Triton's interpreter ran as these very scripts when the page was tested.
        triton = {block.line for block in page.blocks if "triton" in block.kinds}
        for line, script in scripts(page).items():
            if line in triton:
                continue
            yield pytest.param(page, line, script, id=f"{name}:{line}")


@pytest.mark.slow
@pytest.mark.parametrize(("page", "line", "script"), list(all_scripts()))
def test_a_script_prints_what_the_page_says(
    page: Page, line: int, script: str, space: Space
) -> None:
    block = next(block for block in page.blocks if block.line == line)
    says = block.output.text if block.output else ""
    if block.kinds & {"exercise", "mistake"}:
        task = next(task for task in exercises(page) if line in task.lines)
        if block is task.stub:
            says = task.check.output.text if task.check and task.check.output else ""
        with pytest.raises(BlockError) as refused:
            run(space, script)
        assert isinstance(refused.value.error, AssertionError)
        assert not says or same_output(says, f"{refused.value}\n")
        return
    printed = run(space, script, *block.kinds & {"raises"})
    # Its own pictures, and none of the blocks above it.
    assert set(space.saved()) == {name for name in pictures(page.path) if name in block.code}
    if printed.error is None:
        assert same_output(says, printed.text)
    else:
        lines = says.splitlines(keepends=True)
        at = len(printed.text.splitlines())
        kind, ours = type(printed.error).__name__, raised_by_package(printed.error)
        assert same_output("".join(lines[:at]), printed.text)
        assert same_error("".join(lines[at:]), kind, str(printed.error), ours)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_a_notebook_runs_from_top_to_bottom(built: Path, page: str, space: Space) -> None:
    """Each cell prints what the notebook holds already."""
    book = nbformat.read(beside(built, page, ".ipynb"), as_version=4)
    nbformat.validate(book)
    drawn = [out for cell in book.cells for out in cell.get("outputs", ()) if "data" in out]
    assert len(drawn) == len(pictures(Path("docs") / page))
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        must = ["raises"] if "raises-exception" in cell.metadata.get("tags", ()) else []
        printed = run(space, cell.source, *must)
        text = "".join(out.text for out in cell.outputs if out.output_type == "stream")
        assert same_output(text, printed.text), cell.source
        for out in cell.outputs:
            if out.output_type == "error":
                kind, ours = type(printed.error).__name__, raised_by_package(printed.error)
                assert out.ename == kind
                assert same_error(f"{out.ename}: {out.evalue}", kind, str(printed.error), ours)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_the_script_of_a_page_runs(built: Path, page: str, space: Space) -> None:
    printed = run(space, beside(built, page, ".py").read_text("utf-8"))
    told = ""
    for block in Page.read(DOCS / page).blocks:
        if not block.output or block.kinds & {"check", "mistake", "triton"}:
            continue
        lines = block.output.text.splitlines(keepends=True)
        if "raises" in block.kinds:  # the error is the last thing
            lines = lines[: max(i for i, line in enumerate(lines) if re.match(r"\w+(: |$)", line))]
        told += "".join(lines)
    assert same_output(told, printed.text)


def pictures(page: Path) -> set[str]:
    """The names of what the blocks of a page saved."""
    return {path.name for path in (ROOT / page.parent / "figures" / page.stem).glob("*")}


def beside(built: Path, page: str, suffix: str) -> Path:
    return folder(built, page) / f"{Path(page).stem}{suffix}"


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_offers_is_there(built: Path, page: str) -> None:
    html = shown(built, page)
    folder = beside(built, page, "").parent
    offered = re.findall(r'<a class="cell__script" href="([^"]+)"', html)
    forms = re.findall(r'<a (?:class="formats__copy" )?href="([^"/]+\.(?:ipynb|py|md))"', html)
    assert set(offered) == {path.name for path in folder.glob("block-*.py")}
    assert "index.md" in forms
    assert not [name for name in [*offered, *forms] if not (folder / name).exists()]


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_the_script_that_a_block_offers_is_its_own(built: Path, page: str) -> None:
    """The tests above ran what the slicer made: this is what lies beside the page."""
    parsed, html = Page.read(DOCS / page), shown(built, page)
    folder, made = beside(built, page, "").parent, scripts(Page.read(DOCS / page))
    cells = re.findall(r'href="(block-(\d+)\.py)".*?<pre><code>(.*?)</code></pre>', html, re.S)
    assert len(cells) == len(made)
    for name, number, code in cells:
        block = parsed.blocks[int(number) - 1]
        assert unescape(re.sub(r"<[^>]+>", "", code)).strip() == block.code.strip()
        assert (folder / name).read_text("utf-8") == made[block.line]

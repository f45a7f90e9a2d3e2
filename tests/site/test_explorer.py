"""The explorer: what a reader sees, without a script and with it."""

import re
from pathlib import Path
from typing import Any

import pytest
from javascript import browse
from pages import DOCS, shown

PAGE = DOCS / "explorer.md"


def table(lines: str) -> list[list[str]]:
    rows = [line.strip().strip("|").split("|") for line in lines.strip().split("\n")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def page_tables() -> dict[str, list[list[str]]]:
    """The tables of the page by the words above them, which the runner has checked."""
    found = re.findall(r"^\*\*(\w+)\*\*\n\n((?:\|.*\n)+)", PAGE.read_text("utf-8"), re.M)
    return {name: table(lines) for name, lines in found}


def test_without_a_script_the_page_is_the_start(built: Path, tmp_path: Path) -> None:
    static = page_tables()
    assert static["Weights"][0][1:3] == ["0.2256", "0.1605"]
    seen = browse(built, "await visit(); return seen()", tmp_path)
    assert list(static) == ["Embeddings", "Weights", "Scores", "Contexts"]
    assert {name: seen["tables"][name] for name in static} == static
    assert seen["says"] == ["I attends most to itself, 0.2256."]
    assert seen["hash"] == ""
    html = shown(built, "explorer.md")
    assert "opened from a folder it needs <code>make serve</code>." in html
    assert 'data-md-component="toc"' not in html  # it would write anchors over the state


def test_presets_are_the_numbers_of_the_chapters(built: Path, tmp_path: Path) -> None:
    script = """
await visit()
const found = {}
for (const link of [...page.querySelectorAll(".explorer a[href^='#']")]) {
  link.click()
  await wait(600)
  found[link.textContent] = seen().tables
}
return found"""
    found: dict[str, Any] = browse(built, script, tmp_path)
    chapters = [
        DOCS / f"foundations/{name}.md" for name in ("queries-keys-values", "scaling", "masks")
    ]
    cards, scaled, causal = (path.read_text("utf-8") for path in chapters)
    names = ["four cards", "divided by the root of its width", "causal mask", "start again"]
    assert list(found) == names
    for row in found[names[0]]["Weights"]:
        assert f"| {' | '.join(row)} |" in cards
    assert f" 1 tensor([{', '.join(found[names[1]]['Weights'][4][1:])}])" in scaled
    for row in found[names[2]]["Weights"]:
        assert f"| {' | '.join(row)} |" in causal
    assert found[names[3]]["Contexts"] == page_tables()["Contexts"]
    html = shown(built, "explorer.md")
    for target in re.findall(r'<a href="\.\./(foundations/[\w-]+/)">chapter', html):
        assert (built / target / "index.html").is_file()


def test_a_sentence_has_two_to_eight_tokens(built: Path, tmp_path: Path) -> None:
    script = """
await visit()
const found = []
for (const name of ["add", "remove"]) {
  const button = page.querySelector(`[data-at=${name}]`)
  for (let i = 0; i < 9; i++) button.click()
  const { Weights, Embeddings } = seen().tables
  found.push([Weights.length, Embeddings.length, button.disabled])
}
return found"""
    assert browse(built, script, tmp_path) == [[8, 8, True], [2, 2, True]]


def test_every_field_has_a_name_and_every_table_its_headers(built: Path, tmp_path: Path) -> None:
    script = """
await visit("#heads=3")
const all = selector => [...page.querySelectorAll(`.explorer ${selector}`)]
const named = table => table.caption && table.querySelector("thead th[scope=col]")
return {
  fields: all("input, select").length,
  nameless: all("input, select").filter(node => !node.ariaLabel).length,
  loose: all("table").filter(table => !named(table)).length,
  rows: all("tbody tr").filter(row => row.cells[0].scope !== "row").length,
  heat: getComputedStyle(page.querySelector(".pairs tbody td")).backgroundColor,
}"""
    seen = browse(built, script, tmp_path)
    assert seen["nameless"] == seen["loose"] == seen["rows"] == 0
    assert seen["fields"] == 6 * 4 + 3 * 9 + 4
    assert seen["heat"] != "rgba(0, 0, 0, 0)"  # under a policy that allows no style in the page


def test_the_page_asks_for_no_exception_of_a_strict_policy(built: Path) -> None:
    html = shown(built, "explorer.md")
    own = html[html.index("<article") : html.index("</article>")]
    own += html[html.index("<template") : html.index("</template>")]
    assert not re.search(r"\sstyle=|\son\w+=|<script|javascript:", own)


@pytest.mark.parametrize("name", ["attend", "address", "explorer"])
def test_its_modules_are_loaded_on_its_page_alone(built: Path, name: str) -> None:
    assert (built / f"assets/js/{name}.js").is_file()
    loading = [
        page.parent.name
        for page in built.rglob("index.html")
        if f'assets/js/{name}.js"' in page.read_text("utf-8")
    ]
    assert loading == (["explorer"] if name == "explorer" else [])

"""The explorer: what a reader sees, without a script and with it."""

import re
from pathlib import Path

from explorer import Explorer
from pages import DOCS, shown

PAGE = DOCS / "explorer.md"


def table(lines: str) -> list[list[str]]:
    rows = [line.strip().strip("|").split("|") for line in lines.strip().split("\n")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def page_tables() -> dict[str, list[list[str]]]:
    """The tables of the page by the words above them, which the runner has checked."""
    found = re.findall(r"^\*\*(\w+)\*\*\n\n((?:\|.*\n)+)", PAGE.read_text("utf-8"), re.M)
    return {name: table(lines) for name, lines in found}


def test_without_a_script_the_page_is_the_start(built: Path, explorer: Explorer) -> None:
    static = page_tables()
    assert static["Weights"][0][1:3] == ["0.2256", "0.1605"]
    seen = explorer.seen()
    assert list(static) == ["Embeddings", "Weights", "Scores", "Contexts"]
    assert {name: seen["tables"][name] for name in static} == static
    assert seen["says"] == ["“I” attends most to itself, 0.2256."]
    assert seen["hash"] == ""
    html = shown(built, "explorer.md")
    assert "Every number here can be changed where JavaScript runs" in html
    assert 'data-md-component="toc"' not in html  # it would write anchors over the state


def test_presets_are_the_numbers_of_the_chapters(built: Path, explorer: Explorer) -> None:
    found = {}
    for link in explorer.page.locator(".explorer a[href^='#']").all():
        link.click()
        explorer.wait()
        found[link.text_content()] = explorer.seen()["tables"]
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


def test_a_sentence_has_two_to_eight_tokens(explorer: Explorer) -> None:
    for name, presses, count in [("add", 2, 8), ("remove", 6, 2)]:
        button = explorer.page.locator(f"[data-at={name}]")
        for _ in range(presses):
            button.click()
        tables = explorer.seen()["tables"]
        assert len(tables["Weights"]) == len(tables["Embeddings"]) == count
        assert button.is_disabled()


NAMED = """() => {
  const all = selector => [...document.querySelectorAll(`.explorer ${selector}`)]
  const named = table => table.caption && table.querySelector("thead th[scope=col]")
  return {
    fields: all("input, select").length,
    nameless: all("input, select").filter(node => !node.ariaLabel).length,
    loose: all("table").filter(table => !named(table)).length,
    rows: all("tbody tr").filter(row => row.cells[0].scope !== "row").length,
    heat: getComputedStyle(document.querySelector(".pairs tbody td")).backgroundColor,
  }
}"""


def test_every_field_has_a_name_and_every_table_its_headers(explorer: Explorer) -> None:
    explorer.visit("#heads=3")
    seen = explorer.page.evaluate(NAMED)
    assert seen["nameless"] == seen["loose"] == seen["rows"] == 0
    assert seen["fields"] == 6 * 4 + 3 * 9 + 4
    assert seen["heat"] != "rgba(0, 0, 0, 0)"  # under a policy that allows no style in the page

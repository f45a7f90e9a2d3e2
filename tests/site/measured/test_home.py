"""The numbers of the home page that no block computes: they are those that the script wrote."""

import json
import re

from pages import ROOT, says


def test_the_view_shows_what_was_measured() -> None:
    measured = json.loads((ROOT / "benchmarks/minilm.json").read_text("utf-8"))
    heads, words = measured["heads"], measured["sentence"].rstrip(".").split()
    home = (ROOT / "docs/index.md").read_text("utf-8")
    shown = [
        re.findall(r"\d\.\d{4}", row) for row in re.findall(r"^\| \S+ \|.*\d$|^\|.*", home, re.M)
    ]
    assert [row for row in shown if row] == [
        [f"{w:.4f}" for w in row] for head in heads.values() for row in head
    ]
    columns = re.findall(r"^\| +\| (.+) \|$", home, re.M)
    assert [names.split(" | ") for names in columns] == [words] * len(heads)
    assert re.findall(r"^\| (\S+) \| \d", home, re.M) == words * len(heads)
    assert re.findall(r"^\*\*Head (\d+)\*\*$", home, re.M) == list(heads)
    best = {head: [row.index(max(row)) for row in rows] for head, rows in heads.items()}
    says("index.md", "In head 4 *light* looks at *switch*.", words[best["4"][4]] == "switch")
    before = best["2"][2:] == [1, 2, 3, 4]
    says("index.md", "In head 2 each word after *can't* looks at the word before it.", before)
    many = sum(i == best["8"][i] for i in range(6)) > 3
    says("index.md", "In head 8 most words give more to themselves than to any other word.", many)
    left = measured["shares"]["2"]
    alone = left[0] < 1e-6 and min(left[1:]) > 0.99
    says("index.md", "In head 2 *I* gives all six words together less than a millionth", alone)
    says("index.md", "these are three of the first layer of MiniLM-L6", measured["layer"] == 0)
    assert re.findall(r'data-query="(\w+)"', home) == ["light"]


def test_the_pair_that_chapter_7_quotes_is_of_the_same_head() -> None:
    measured = json.loads((ROOT / "benchmarks/minilm.json").read_text("utf-8"))
    words, weights = measured["sentence"].rstrip(".").split(), measured["heads"]["4"]
    page = (ROOT / "docs/foundations/queries-keys-values.md").read_text("utf-8")
    found = re.findall(r"([\d.]+)<!-- source: benchmarks/minilm\.json, (\w+) to (\w+) -->", page)
    assert len(found) == 4
    for number, listener, heard in found:
        assert number == f"{weights[words.index(listener)][words.index(heard)]:.4f}"


def test_what_the_home_page_counts_is_so() -> None:
    about = ROOT / "docs/about"
    examples = (about / "worked-examples.md").read_text("utf-8")
    parts = re.findall(r"^## (.+)$", examples, re.M)
    says("index.md", "Five small examples, and the page that works each step.", len(parts) == 5)
    table = (about / "figures/conventions/masks.html").read_text("utf-8")
    words = "What a mask, a window or a head means in five interfaces."
    says("index.md", words, table.count("<tr><td>") == 5)

"""What the page of the explorer says and loads, without a browser."""

import re
from pathlib import Path

import pytest
from attend import rule
from javascript import node
from pages import DOCS, shown

from attention import Causal, Mask, SlidingWindow

TEMPLATE = (DOCS / "overrides/explorer.html").read_text("utf-8")
OFFERED = dict(re.findall(r'<option value="(\w+)">(.*)</option>', TEMPLATE))
SAID = {"causal": Causal(), "beyond the window": ~SlidingWindow(3)}
SAID |= dict.fromkeys(["window", "in the window"], SlidingWindow(3))


def test_the_page_asks_for_no_exception_of_a_strict_policy(built: Path) -> None:
    html = shown(built, "explorer.md")
    own = html[html.index("<article") : html.index("</article>")]
    own += html[html.index("<template") : html.index("</template>")]
    assert not re.search(r"\sstyle=|\son\w+=|<script|javascript:", own)
    assert re.search(r"opened from a folder it needs (<[^>]*>)+make serve</code>\.", html)


@pytest.mark.parametrize("name", ["attend", "address", "explorer"])
def test_its_modules_are_loaded_on_its_page_alone(built: Path, name: str) -> None:
    assert (built / f"assets/js/{name}.js").is_file()
    loading = [
        page.parent.name
        for page in built.rglob("index.html")
        if f'assets/js/{name}.js"' in page.read_text("utf-8")
    ]
    assert loading == (["explorer"] if name == "explorer" else [])


def table(mask: Mask) -> list[list[bool]]:
    return mask.to_tensor(8, 8).tolist()


@pytest.mark.parametrize(("name", "words"), OFFERED.items())
def test_a_mask_does_what_its_words_say(name: str, words: str) -> None:
    found = rule({"mask": name, "window": 3})
    if words == "none":
        assert found is None
    else:
        first, *others = words.split(", ")
        mask = SAID[first]
        for other in others:
            mask &= SAID[other]
        assert table(found) == table(mask)


def test_the_masks_that_are_offered_are_those_that_it_computes() -> None:
    assert [*OFFERED] == node("Object.keys(attend.MASKS)", None)
    page = (DOCS / "explorer.md").read_text("utf-8")
    both, beyond = re.search(
        r"\*in the window\* joins them with `(.)`.*\* is `(.+?)`", page
    ).groups()
    scope = {"Causal": Causal, "SlidingWindow": SlidingWindow, "width": 3}
    for name, code in ("both", f"Causal() {both} SlidingWindow(width)"), ("beyond", beyond):
        assert table(eval(code, scope)) == table(rule({"mask": name, "window": 3}))
    assert not any(map(any, table(rule({"mask": "beyond", "window": 3}))[:3]))

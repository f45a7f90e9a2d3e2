"""What the page of the explorer says and loads, without a browser."""

import re
from pathlib import Path

import pytest
from pages import shown


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

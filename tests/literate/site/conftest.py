"""A site of one page, built by the tests."""

from pathlib import Path

import pytest

from literate import __main__ as literate

CONFIG = """site_name: One page
strict: true
theme: {name: null, custom_dir: theme}
validation:
  links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}
plugins:
  autorefs: {}
  mkdocstrings:
    handlers: {python: {paths: [%s], options: {heading_level: 2}}}
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - tables
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.superfences
  - literate.extensions.attention_view
  - literate.extensions.chapter
  - literate.extensions.include
  - literate.extensions.maths
  - literate.extensions.numbers
  - literate.extensions.predictions
  - literate.extensions.raw
"""


@pytest.fixture
def build(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Build a site of one page; the exit status, what was said, and the folder."""

    def build(text: str) -> tuple[int, str, Path]:
        for folder in ("docs", "theme"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "docs/index.md").write_text(text, "utf-8")
        (tmp_path / "theme/main.html").write_text("{{ page.content }}", "utf-8")
        root = Path(__file__).parents[3]
        (tmp_path / "mkdocs.yml").write_text(CONFIG % root, "utf-8")
        monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
        monkeypatch.chdir(tmp_path)
        status = literate.main(["build", "--site-dir", str(tmp_path / "site")])
        printed = capsys.readouterr()
        return status, printed.out + printed.err, tmp_path / "site"

    return build

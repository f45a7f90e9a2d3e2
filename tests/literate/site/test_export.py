"""A page as Markdown, notebook and script, and the list of all pages: what each reader gets."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from literate.pages.page import Page
from literate.site import export, letters, social

PAGE = """# *All* of it
{ .lede-less }

Words of a [link](b.md#part).

```python
x = 1
print(x)
```

```text {.output}
1
```

```python {.raises}
if x:

    x @ X
```

```text {.output}
before
this
TypeError: no
more of X
```

```python {.raises}
x = = 1
```

```text {.output}
SyntaxError: invalid syntax
```

```python {.notest}
shown()
```

```python {.gpu}
far = 1
```

```python
open("x.svg", "w").write("<svg/>")
open("y.html", "w").write("<p>")
```

![A line](figures/all/x.svg)

```python {.exercise}
def f():
    return 1
```

```python {.check}
assert f() == 2, "f is 1"
```

```text {.output}
AssertionError: f is 1
```

```python {.solution}
def f():
    return 2
```
"""
MARKDOWN = """# *All* of it

Words of a [link](https://book.example/b/#part).

```python
x = 1
print(x)
```

```text
1
```

```python
if x:

    x @ X
```
"""
SCRIPT = """# From https://book.example/all/

from contextlib import suppress

# %% [markdown]
# # *All* of it
#
# Words of a [link](https://book.example/b/#part).

# %%
x = 1
print(x)

# %%
with suppress(Exception):  # it raises
    if x:

        x @ X

# %% [markdown]
# x = = 1

# %% [markdown]
# shown()

# %% [markdown]
# far = 1

# %%
open("x.svg", "w").write("<svg/>")
open("y.html", "w").write("<p>")

# %% [markdown]
# ![A line](https://book.example/figures/all/x.svg)

# %% [markdown]
# def f():
#     return 1

# %% [markdown]
# assert f() == 2, "f is 1"

# %% [markdown]
# def f():
#     return 2
"""
SAVES = ['open("x.svg", "w").write("<svg/>")', 'open("y.html", "w").write("<p>")']
CELLS = [
    ("markdown", "# *All* of it\n\nWords of a [link](https://book.example/b/#part).", ""),
    ("code", "x = 1\nprint(x)", "1\n"),
    ("code", "if x:\n\n    x @ X", "before\nthis\n|TypeError: no\nmore of X"),
    ("code", "x = = 1", "SyntaxError: invalid syntax"),
    ("markdown", "```python\nshown()\n```", ""),
    ("markdown", "```python\nfar = 1\n```", ""),
    ("code", f"{SAVES[0]}\n{SAVES[1]}", "image/svg+xml <svg></svg>|text/html <p>"),
    ("markdown", "![A line](https://book.example/figures/all/x.svg)", ""),
    ("code", "def f():\n    return 1", ""),
    ("code", 'assert f() == 2, "f is 1"', "AssertionError: f is 1"),
    ("code", "def f():\n    return 2", ""),
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "docs/all.md"
    (path.parent / "figures/all").mkdir(parents=True)
    for name, text in {"x.svg": "<svg></svg>", "y.html": "<p>", "of another.svg": ""}.items():
        (path.parent / "figures/all" / name).write_text(text, "utf-8")
    path.write_text(PAGE, "utf-8")
    return path


@pytest.fixture
def files(page: Path) -> dict[str, str]:
    return export.files(Page.read(page), page, "https://book.example/all.md")


def test_each_file_of_a_page_has_its_name(files: dict[str, str]) -> None:
    scripts = [f"block-{number:02}.py" for number in (1, 2, 3, 6, 7, 9)]
    assert sorted(files) == sorted(["index.md", "all.ipynb", "all.py", *scripts])
    assert files["block-01.py"] == "x = 1\nprint(x)\n"


def test_a_page_without_code_is_markdown_alone(tmp_path: Path) -> None:
    assert export.files(Page(Path("a.md"), "Words.\n"), tmp_path, "/a.md") == {
        "index.md": "Words.\n"
    }


def test_markdown(files: dict[str, str]) -> None:
    assert files["index.md"].startswith(MARKDOWN)
    assert "\n\n\n" not in files["index.md"]
    assert "{" not in re.sub(r"```[\s\S]*?```", "", files["index.md"])


def test_a_script(files: dict[str, str], page: Path) -> None:
    assert files["all.py"] == SCRIPT
    one = Page(Path("a.md"), "Words.\n\n```python\nx = 1\n```\n")
    text = "# %% [markdown]\n# Words.\n\n# %%\nx = 1\n"
    assert export.files(one, Path("a.md"), "/a.md")["a.py"] == text


def test_a_notebook(files: dict[str, str]) -> None:
    book = nbformat.reads(files["all.ipynb"], as_version=4)
    nbformat.validate(book)
    assert files["all.ipynb"].endswith("}\n")
    assert book.metadata.kernelspec.name == book.metadata.kernelspec.language + "3" == "python3"
    assert book.metadata.kernelspec.display_name == "Python 3"
    assert [(c.cell_type, c.source, "|".join(map(shown, c.get("outputs", []))))
            for c in book.cells] == CELLS  # fmt: skip
    assert [cell.id for cell in book.cells] == [f"all-{n}" for n in range(len(CELLS))]
    tagged = {n for n, cell in enumerate(book.cells) if "raises-exception" in str(cell.metadata)}
    assert tagged == {2, 3, 9}
    assert book.cells[2].metadata == {"tags": ["raises-exception"]}


def test_a_notebook_of_a_page_with_a_long_name_and_an_odd_error() -> None:
    page = Page(Path("a.md"), "```python {.raises}\nx\n```\n\n```text {.output}\nodd\nwords\n```\n")
    path = Path("x" * 60 + ".md")
    (cell,) = json.loads(export.files(page, path, "/a.md")[f"{path.stem}.ipynb"])["cells"]
    assert cell["id"] == "x" * 48 + "-0"
    (error,) = cell["outputs"]
    assert (error["ename"], error["evalue"]) == ("odd", "\nwords")


def shown(output: nbformat.NotebookNode) -> str:
    if output.output_type == "stream":
        assert output.name == "stdout"
        return output.text
    if output.output_type == "error":
        assert output.traceback == [f"{output.ename}: {output.evalue}"]
        return output.traceback[0]
    ((kind, data),) = output.data.items()
    return f"{kind} {data}"


def test_the_whole_book(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages in the order of the contents; others behind them."""
    docs, site = tmp_path / "docs", tmp_path / "out"
    (docs / "part").mkdir()
    (docs / "index.md").write_text("# A book\n\nIn *short*.\n{ .lede }\n\nMore.\n", "utf-8")
    (docs / "part/one.md").write_text("Nothing.\n", "utf-8")
    drawn = "<svg><text font-family=\"'DejaVu Sans'\">é</text></svg>"
    (docs / "figures/all/x.svg").write_text(drawn, "utf-8")
    config = ["site_name: The name", "site_description: All about it", "nav:"]
    config += ["  - Home: index.md", "  - Part:", "    - part/one.md", "    - One: all.md"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(social, "picture", lambda *given: "|".join(map(str, given)).encode())
    monkeypatch.setattr(letters, "address", lambda shown: "".join(map(chr, shown)))
    for name in ("all", "part/one", "assets", "figures/all"):
        (site / name).mkdir(parents=True)
    (site / "figures/all/x.svg").write_text("as it was copied", "utf-8")
    (site / "index.html").touch()
    for address in ("", "site_url: https://book.example/"):
        Path("mkdocs.yml").write_text("\n".join([*config, address]), "utf-8")
        assert export.main(["--site-dir", "out"]) == 0
        root = address.partition(" ")[2] or "/"
        assert (site / "llms.txt").read_text("utf-8") == (
            "# The name\n\n> All about it\n"
            f"\n## Book\n\n- [A book]({root}index.md): In *short*.\n"
            f"- [All of it]({root}all/index.md)\n"
            f"\n## Part\n\n- [one]({root}part/one/index.md)\n"
        )
    assert (site / "assets/social.png").read_text() == f"The name|All about it|{docs / 'assets'}"
    assert (site / "figures/all/x.svg").read_text("utf-8") == letters.lettered(drawn) != drawn
    assert (site / "index.md").read_text("utf-8").startswith("# A book\n\nIn")
    assert json.loads((site / "all/all.ipynb").read_text("utf-8"))["cells"]
    assert (site / "part/one/index.md").read_text("utf-8") == "Nothing.\n"
    assert "[link](https://book.example/b/#part)" in (site / "all/index.md").read_text("utf-8")
    Path("mkdocs.yml").write_text("\n".join(config), "utf-8")
    assert export.main(["--site-dir", "out"]) == 0
    assert "[link](/b/#part)" in (site / "all/index.md").read_text("utf-8")

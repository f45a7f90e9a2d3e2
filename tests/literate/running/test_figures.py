"""A figure is drawn again, and compared with the one that the page shows."""

import pytest
from helpers import counts, failures

from literate.running.figures import same_figure, tidy

PAGE = """# Page

```python
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(2, 1))
axes.plot([0, 1], [0, 0.5])
axes.set_title("a half is 0.5000")
fig.savefig("line.svg")
```

![A line](figures/page/line.svg)
"""


@pytest.fixture
def figure(run, pytester: pytest.Pytester):
    """The figure of the page, drawn."""
    run(PAGE, "--update-docs")
    return pytester.path / "figures/page/line.svg"


def test_a_figure_is_drawn_once(run, pytester: pytest.Pytester) -> None:
    assert "has no file" in failures(run(PAGE)[0])[0]
    assert counts(run(PAGE, "--update-docs")[0]) == (1, 0, 0)
    path = pytester.path / "figures/page/line.svg"
    before = path.read_text("utf-8")
    assert counts(run(PAGE, "--update-docs")[0]) == (1, 0, 0)
    assert path.read_text("utf-8") == before
    assert counts(run(PAGE)[0]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0, 0.5]", "[0, 0.6]"),
        ("0.5000", "0.5001"),
        ("figsize=(2, 1)", "figsize=(2, 1.1)"),
        ("[0, 0.5])", "[0, 0.5], color='red')"),
    ],
)
def test_another_figure_is_refused(run, figure, old: str, new: str) -> None:
    first = failures(run(PAGE.replace(old, new))[0])[0]
    assert "page.md:4: the figure that the block saves is not the one in figures/page" in first


def test_an_edited_file_is_refused_and_drawn_again(run, figure) -> None:
    right = figure.read_text("utf-8")
    for old, new in (("a half", "a third"), ("<g ", "<g id='x' "), ("0.5000", "0.5001")):
        assert old in right
        figure.write_text(right.replace(old, new, 1), "utf-8")
        assert failures(run(PAGE)[0])
        run(PAGE, "--update-docs")
        assert figure.read_text("utf-8") == right


def test_a_figure_that_the_page_does_not_show(run, figure) -> None:
    page = PAGE.replace("![A line](figures/page/line.svg)", "")
    assert (
        "page.md:4: the block saves line.svg, but the page does not show"
        in failures(run(page)[0])[0]
    )


def test_a_figure_that_no_block_saves(run, figure) -> None:
    page = PAGE + "\n![Old](figures/page/old.svg)\n"
    assert "page.md:14: no block saves old.svg" in failures(run(page)[0])[0]


def test_a_picture_that_cannot_be_compared(run, figure) -> None:
    page = PAGE.replace("line.svg", "line.png")
    assert "saves line.png: a figure is an .svg or .html" in failures(run(page)[0])[0]


TABLE = """# Page

```python
with open("table.html", "w") as file:
    file.write("<td>0.1234</td><td>0.56</td>")
```

[A table](figures/page/table.html)
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [("0.1234", "0.1235", True), ("0.1234", "0.1236", False), ("0.56", "0.57", False)],
)
def test_a_table_is_compared_as_an_output_is(run, old: str, new: str, same: bool) -> None:
    assert counts(run(TABLE, "--update-docs")[0]) == (1, 0, 0)
    assert counts(run(TABLE.replace(old, new))[0]) == ((1, 0, 0) if same else (0, 0, 1))


def test_a_replayed_figure_is_not_judged_again(run, figure) -> None:
    page = PAGE.replace("[0, 0.5]", "[0, 0.6]") + "\nStill<!--= True -->.\n"
    assert counts(run(page, "-k", "True")[0]) == (1, 0, 0)


def test_a_new_process_draws_the_same(run, figure, pytester: pytest.Pytester) -> None:
    """Matplotlib is imported by the page there, not before it."""
    plugins = ["-p", "pytest_markdown_docs.plugin", "-p", "literate.runner", "--markdown-docs"]
    result = pytester.runpytest_subprocess(*plugins, "page.md")
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ('<path d="M1.50 2"/>', '<path d="M1.54 2"/>', True),
        ('<path d="M1.50 2"/>', '<path d="M1.56 2"/>', False),
        ('<path d="M1.50 2"/>', '<path d="M1.50 3"/>', False),
        ('<rect width="9.96" x="0.1"/>', '<rect width="9.99" x="0.14"/>', True),
        ('<path fill-opacity="0.48"/>', '<path fill-opacity="0.47"/>', False),
        ('<path stroke-width="2.5"/>', '<path stroke-width="2.52"/>', False),
        ('<path stroke-width="2.5"/>', '<path stroke-width="2.5004"/>', True),
        ('<g style="opacity: 0.48"/>', '<g style="opacity: 0.44"/>', False),
        ('<path x1="1.5"/>', '<path x2="1.5"/>', False),
    ],
)
def test_places_have_slack_and_weights_have_none(want: str, got: str, same: bool) -> None:
    assert same_figure(want, got) == same


def test_a_tidy_figure_keeps_its_weights() -> None:
    assert tidy('<p d="M1.23456 2" style="opacity: 0.123456">0.123456</p>\n') == (
        '<p d="M1.23 2" style="opacity: 0.1235">0.123456</p>\n'
    )


SAVES = """```python
with open("x.svg", "w") as file: file.write("<svg></svg>")
```

![A](figures/page/x.svg)
"""
OTHER = "```python\ny = 1\n```\n\n![A](figures/page/x.svg)\n"


@pytest.fixture
def saved(run, pytester: pytest.Pytester) -> None:
    """The file that a page shows, whether or not a block saves it."""
    (pytester.path / "figures/page").mkdir(parents=True)
    (pytester.path / "figures/page/x.svg").write_text("<svg></svg>\n", "utf-8")
    assert counts(run(SAVES)[0]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("page", "line", "says"),
    [
        (OTHER.replace("y = 1", "y = 1  # x.svg"), 5, "no block saves x.svg"),
        (OTHER.replace("y = 1", 'y = "max.svg"'), 5, "no block saves x.svg"),
        (SAVES.replace("with", "if False:\n    with"), 6, "no block saves x.svg"),
        (SAVES.replace("![A](figures/page/x.svg)", "<!-- ![A](figures/page/x.svg) -->"), 2, "the"),
        (SAVES.replace("![A](figures/page/x.svg)", "`![A](figures/page/x.svg)`"), 2, "the block"),
        (SAVES + "\n![B](figures/other/x.svg)\n", 7, "figures/other/x.svg is compared with"),
        (SAVES + "\n![B](assets/mark.svg)\n", 7, "assets/mark.svg is compared with nothing"),
        (SAVES + "\n![B [1]](https://a.example/x)\n", 7, "https://a.example/x is compared"),
        (SAVES + '\n<img alt="B" src="mark.png">\n', 7, "mark.png is compared with nothing"),
        (SAVES + "\n[B](other.html)\n", 7, "other.html is compared with nothing"),
        (SAVES + "\n![B][b]\n\n[b]: mark.svg\n", 7, "![B][b] is compared with nothing"),
        (SAVES + "\n![B] [b]\n\n[b]: mark.svg\n", 7, "![B] [b] is compared with nothing"),
        (SAVES + '\n<p style="background: url(a.png)">\n', 7, "url(a.png) is compared"),
        (SAVES + "\n[B](figures/page/y.html)\n", 7, "no block saves y.html"),
    ],
)
def test_a_figure_that_nothing_was_compared_with(run, saved, page, line, says) -> None:
    assert f"page.md:{line}: {says}" in failures(run(page)[0])[0]


def test_two_figures_that_were_swapped(run, saved, pytester: pytest.Pytester) -> None:
    """They are first shown in the order in which the code names them: z, a, m."""
    code = ""
    for name in "zam":
        (pytester.path / f"figures/page/{name}.svg").write_text("<svg></svg>\n", "utf-8")
        code += SAVES.partition("![")[0].replace("x.svg", f"{name}.svg")
    for order, says in {
        "zam": "", "zzam": "", "zamaz": "", "amz": "z.svg is shown behind m.svg",
        "zzma": "a.svg is shown behind m.svg", "azm": "z.svg is shown behind a.svg",
    }.items():  # fmt: skip
        shown = "\n\n".join(f"![A](figures/page/{name}.svg)" for name in order)
        found = failures(run(f"{code}\n{shown}\n")[0])
        assert bool(found) == bool(says)
        assert not says or f"{says}, and saved before it" in found[0]
    (pytester.path / "figures/page/max.svg").write_text("<svg></svg>\n", "utf-8")
    code = "".join(
        SAVES.partition("![")[0].replace("x.svg", name) for name in ("max.svg", "m.svg", "x.svg")
    )
    shown = "\n\n".join(f"![A](figures/page/{name}.svg)" for name in ("max", "m", "x"))
    assert not failures(run(f"{code}\n{shown}\n")[0])


def test_a_picture_that_no_block_can_draw_names_its_source(run, saved) -> None:
    page = SAVES + "\n![B](shots/home.jpg)<!-- source: the site in Chromium -->\n"
    assert not failures(run(page)[0])
    assert (
        "shots/home.jpg is compared"
        in failures(run(page.replace(" the site in Chromium", ""))[0])[0]
    )


@pytest.mark.parametrize(
    "more",
    [
        "[B](https://a.example/x.html)",
        "[B](other.md#x)",
        "`![B](y.svg)`",
        "![B](./figures/page/x.svg#a)",
    ],
)
def test_what_is_no_figure_of_a_block(run, saved, more: str) -> None:
    assert not failures(run(f"{SAVES}\n{more}\n")[0])


def test_a_part_of_a_page_may_save_a_part(run, saved) -> None:
    page = SAVES + "\n```python\ny = 2\n```\n"
    assert not failures(run(page, "-k", "line8 or guards")[0])


def test_a_figure_of_a_gpu_is_a_record(run, saved, monkeypatch: pytest.MonkeyPatch) -> None:
    page = SAVES.replace("```python", "```python {.gpu}")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert not failures(run(page)[0])
    assert "no block saves x.svg" in failures(run(page.replace('"x.svg', '"max.svg'))[0])[0]
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert not failures(run(page)[0])
    assert failures(run(page.replace("<svg></svg>", "<svg><g/></svg>"))[0])


def test_what_a_solution_saves_is_not_compared(run, saved) -> None:
    task = "```python {.exercise}\nx = 0\n```\n\n```python {.check}\nassert x, 'not yet'\n```\n\n"
    solution = SAVES.replace("```python\n", "```python {.solution}\nx = 1\n")
    assert "no block saves x.svg" in failures(run(task + solution)[0])[0]

"""A `.source` block is the text of the package."""

from pathlib import Path

import pytest
from helpers import counts, failures

from literate.pages.sources import NoSource, source

ROOT = Path(__file__).parents[3]
CODE = '''def wave(x):
    """Wave."""

    return x


class Hand:
    @staticmethod
    def shake():
        return 1
'''
PAGE = """# Page

```python {.source of="parts.body.wave"}
def wave(x):
    \"\"\"Wave.\"\"\"

    return x
```

> ```python {.source of="parts.body.Hand.shake"}
> @staticmethod
> def shake():
>     return 1
> ```
"""


@pytest.fixture
def package(pytester: pytest.Pytester) -> Path:
    (pytester.path / "parts").mkdir()
    (pytester.path / "parts/body.py").write_text(CODE, "utf-8")
    return pytester.path / "parts/body.py"


def test_a_right_source_passes(run, package: Path) -> None:
    assert counts(run(PAGE)[0]) == (2, 0, 0)


def test_a_source_that_no_longer_matches(run, package: Path) -> None:
    package.write_text(CODE.replace("return x", "return -x").replace("return 1", "return 2"))
    result, _ = run(PAGE)
    assert "page.md:4: this is not the text of parts.body.wave any more" in failures(result)[0]
    assert "page.md:11: this is not the text of parts.body.Hand.shake" in failures(result)[1]
    _, path = run(PAGE, "--update-docs")
    text = path.read_text("utf-8")
    assert text == PAGE.replace("return x", "return -x").replace("return 1", "return 2")
    assert counts(run(text)[0]) == (2, 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("parts.body.wave", "parts.body.wive", "page.md:3: parts/body.py does not define 'wive'"),
        ("parts.body.wave", "parts.hand.wave", "page.md:3: no file defines 'parts.hand.wave'"),
        ("parts.body.wave", "wave", "page.md:3: no file defines 'wave'"),
        (' of="parts.body.wave"', "", 'page.md:3: a .source block is {.source of="package.mod'),
        ('.source of="parts.body.wave"', 'of="x"', "page.md:3: a .source block is {.source of="),
    ],
)
def test_a_name_that_is_not_there(run, package: Path, old: str, new: str, says: str) -> None:
    assert says in failures(run(PAGE.replace(old, new))[0])[0]


def test_overloads_are_not_the_function() -> None:
    text = source(ROOT, "attention.functional.dot_product_attention")
    assert text.startswith("def dot_product_attention(")
    assert "checks.explain(query, key, value)" in text
    assert source(ROOT, "attention.masks.causal.Causal").startswith(
        "@dataclass(frozen=True)\nclass Causal"
    )
    assert source(ROOT, "attention.backends.eager.eager").startswith("def eager(")
    with pytest.raises(NoSource, match="no file defines 'attention.functional'"):
        source(ROOT, "attention.functional")


def test_a_paragraph_of_a_source(package: Path) -> None:
    root = package.parent.parent
    assert source(root, "parts.body.wave:1") == 'def wave(x):\n    """Wave."""\n'
    assert source(root, "parts.body.wave:2") == "return x\n"
    for part in ("0", "3", "x", "-1", "01", "1" * 5000):
        with pytest.raises(NoSource, match=f"no paragraph '{part}': expected 1 to 2"):
            source(root, f"parts.body.wave:{part}")

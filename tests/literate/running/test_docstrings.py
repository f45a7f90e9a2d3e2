"""The digits of the examples in docstrings are compared as those of the pages are."""

from pathlib import Path

import pytest

from literate.running.docstrings import Checker

PAIRS = [  # what an example may say; what comes; whether it passes
    ("tensor([0.2069])", "tensor([0.2068])", True),
    ("tensor([0.2070])", "tensor([0.2068])", False),
    ("[0.7]", "[0.79]", False),
    ("tensor([1., 0.])", "tensor([0., 1.])", False),
    ("0.25", "0.2500001", False),
    ("-0.5000", "0.5000", False),
]


@pytest.mark.parametrize(("says", "came", "same"), PAIRS)
def test_an_example_is_compared_as_a_page_is(says: str, came: str, same: bool) -> None:
    assert Checker().check_output(f"{says}\n", f"{came}\n", 0) is same


def test_pytest_uses_it(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    ours = "-p pytest_markdown_docs.plugin -p literate.runner -p no:cacheprovider"
    path = Path(pytester.path, "piece.py")
    for says, fails in (("[0.3334]", 0), ("[0.3335]", 1)):
        path.write_text(f'"""\n>>> print("[{1 / 3:.4f}]")\n{says}\n"""\n', "utf-8")
        result = pytester.inline_run(*ours.split(), "--doctest-modules", str(path))
        result.assertoutcome(passed=1 - fails, failed=fails)

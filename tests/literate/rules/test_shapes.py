"""A shape in a remark is held against what stands before it."""

from helpers import failures


def test_a_shape_in_a_remark_is_held(run) -> None:
    block = "import torch\n\n\ndef f(x):\n    y = x.T  # {}\n    return y\n\n\nf(torch.ones(2, 3))"
    for remark, fits in (
        ("(3, 2)", True),
        ("one a column, (3, 2)", True),
        ("(2, 3)", False),
        ("(3,)", False),
        ("(D, T)", True),
        ("in 1 of 2", True),
        ("(3 rows, 2)", True),
        ("(7 more)", True),
        ("(3, 2,)", True),
        ("(3, 2 each)", True),
    ):
        result, _ = run(f"# Page\n\n```python\n{block.format(remark)}\n```\n")
        assert bool(failures(result)) != fits
        if not fits:
            assert "page.md:8: " in failures(result)[0]
            assert (
                f"the remark says that y has the shape {remark.rstrip(')').rstrip(',')},)"
                in failures(result)[0]
            )
    for remark in ("(2 rows, 3)", "(2, 3 columns)"):
        result, _ = run(f"# Page\n\n```python\n{block.format(remark)}\n```\n")
        assert "the remark says that y has the shape (2, 3,)" in failures(result)[0]
    for block, line in (
        ("if not x:\n    pass\nelse:\n    x = torch.ones(2, 3)  # (2, 4)", 6),
        ("try:\n    pass\nfinally:\n    x = torch.ones(2, 3)  # (2, 4)", 6),
        ("y = 1\nx = torch.ones(2, 3)  # (2, 4)", 4),
    ):
        result, _ = run(f"# Page\n\n```python\nimport torch\nx = 1\n{block}\n```\n")
        assert f"page.md:{line + 3}: " in failures(result)[0]
    for code in ("torch.ones(2, 3).sum()  # of (4, 5)", "x = 1\ny = x  # no shape"):
        held = f"import torch\n{code}\nx = torch.ones(3)  # (3,)"
        result, _ = run(f"# Page\n\n```python\n{held}\n```\n")
        assert not failures(result)
    for left, fits in (("a, b", True), ("a, (b, c)", False)):
        code = f"import torch\n\n{left} = torch.ones(2, 2, 3)  # (2, 3)"
        result, _ = run(f"# Page\n\n```python\n{code}\n```\n")
        assert bool(failures(result)) != fits

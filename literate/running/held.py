"""Each assertion of a page has held once at least.

One that nothing reaches says nothing, and neither does one that always fails and is caught: in a
function that nobody calls, behind `if False`, in a `try` that lets it pass. In a block that must
raise, the one that fails has done what it is for.
"""

import ast

from literate.rules.assertions import asserts

HELD = "__held__"  # no name that a page would have


class Marked(ast.NodeTransformer):
    """Puts a call of `HELD` behind each assertion, and keeps where they begin, for each line."""

    def __init__(self) -> None:
        self.begins: dict[int, int] = {}

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        return [node, self.mark(node)]

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return [node, self.mark(node)] if asserts(node.value) else [node]

    def mark(self, node: ast.stmt) -> ast.stmt:
        last = node.end_lineno or node.lineno
        self.begins |= dict.fromkeys(range(node.lineno, last + 1), node.lineno)
        call = ast.Call(ast.Name(HELD, ast.Load()), [ast.Constant(node.lineno)], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))

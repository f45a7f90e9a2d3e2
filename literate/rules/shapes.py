"""A remark that says a shape in numbers is held against what stands before it.

    scores = inputs @ inputs.T  # (6, 6)

Of several names on the left, each must have that shape. A number may have a word behind it, as in
`(2, 8 heads, 6)`. Shapes in letters are left to the reader.
"""

import ast
import re

from literate.pages.remarks import remarks

WORD = r"(?<=\d) [^\W\d]\w*"
SIZE = rf"\d+(?:{WORD})?"
SHAPE = re.compile(rf"\((\d+|{SIZE},|{SIZE}(?:, ?{SIZE})+,?)\)")


def held(code: str, path: str) -> ast.Module:
    """The tree of code, with an assertion behind each assignment that such a remark follows."""
    said = {
        remark.start[0]: f"({re.sub(WORD, '', match[1]).rstrip(',')},)"
        for remark in remarks(code)
        if (match := SHAPE.search(remark.string))
    }
    tree = ast.parse(code, path)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, [part for one in body for part in (one, *behind(one, said))])
    return tree


def behind(statement: ast.stmt, said: dict[int, str]) -> list[ast.stmt]:
    """The assertions that a statement is followed by."""
    line = statement.end_lineno or 0
    if not isinstance(statement, ast.Assign) or line not in said:
        return []
    target = statement.targets[0]
    found: list[ast.stmt] = []
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    for name in (ast.unparse(one) for one in names if not isinstance(one, ast.Starred)):
        message = f"the remark says that {name} has the shape {said[line]}"
        code = f"assert tuple({name}.shape) == {said[line]}, {message!r}"
        found += ast.parse("\n" * (line - 1) + code).body  # at the line of the remark
    return found

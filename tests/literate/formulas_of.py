"""Values for formulas, and what a check of a page says of a formula."""

import torch

from literate.formulas import check, held
from literate.formulas.tokens import signs

S = torch.tensor([0.3, -1.2, 0.8, 0.1])
A = S.softmax(dim=0)
SQUARE = torch.randn(4, 4, generator=torch.Generator().manual_seed(0))
X, Y = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(1))
W = torch.randn(3, 3, generator=torch.Generator().manual_seed(2))


def formula(latex: str, *cases: dict, **given: object) -> object:
    """What a check says that asks for the formula with these values."""
    return held(latex, lambda formula: formula(*cases, **given))


def alone(latex: str, **given: object) -> object:
    """What the formula comes to, without asking its neighbours."""
    return check.formula(signs(latex), **given)

"""Formulas of a page, computed: what KaTeX typesets is read, and held against values.

    $s_j = \\mathbf{q} \\cdot \\mathbf{k}_j$<!--= formula(s=scores, q=query, k=keys) -->

Each free index takes all its values, and the formula must hold for each. It must not hold with one
sign, number or letter changed: then the values would tell nothing, and the check is refused.
"""

from literate.formulas.check import formula

__all__ = ["formula"]

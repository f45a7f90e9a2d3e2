"""Formulas of a page, computed: what KaTeX typesets is read, and held against values.

    $s_j = \\mathbf{q} \\cdot \\mathbf{k}_j$<!--= formula(s=scores, q=query, k=keys) -->

Each free index takes all its values, and the formula must hold for each. A formula with one sign,
number or letter changed must not do as well: then the values would tell nothing.
"""

from literate.formulas.check import held

__all__ = ["held"]

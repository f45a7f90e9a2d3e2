"""Masks as pictures."""

from itertools import product

import torch

from attention import Causal, Documents

from .kinds import IDS, MASKS


def test_a_picture_fills_what_is_seen() -> None:
    """One subpath for each True, in its row and column; one group for each sequence."""
    for name, (queries, keys) in product(MASKS, [(2, 5), (5, 5)]):
        mask = MASKS[name]
        picture = mask.svg(queries, keys)
        keep = mask.to_tensor(queries, keys)
        assert picture.count("h1v1h-1z") == keep.sum()
        assert picture.count("<g ") == (mask.batch or 1)
    assert "M2 0h1v1h-1z" in Causal().svg(2, 4)
    assert "M3 0h1v1h-1z" not in Causal().svg(2, 4)
    assert "<title>Causal(): a row for each query" in Causal().svg(2, 4)


def test_a_notebook_shows_the_picture() -> None:
    assert Causal()._repr_html_() == Causal().svg(8, 8)
    assert Documents(IDS)._repr_html_() == Documents(IDS).svg(5, 5)
    long = Documents(torch.zeros(1, 100, dtype=torch.int64))
    assert long._repr_html_() is None  # the notebook falls back to the text


def test_a_notebook_shows_no_picture_of_many_sequences() -> None:
    assert Documents(torch.zeros(16, 16, dtype=torch.int64))._repr_html_() is not None
    assert Documents(torch.zeros(17, 16, dtype=torch.int64))._repr_html_() is None

    class Heads(Causal):
        heads = 65

    assert Heads()._repr_html_() is None  # of 8 keys
    Heads.heads = 64
    assert Heads()._repr_html_() is not None

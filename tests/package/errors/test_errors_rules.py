"""Each bad rule of a mask, and the one sentence that it gets when it is asked."""

import pytest
import torch

from attention import Causal, Mask

from .bad_calls import K, nested, said

pytestmark = pytest.mark.untyped


class Rule(Mask):
    def __init__(self, rule) -> None:
        self.rule = rule

    def __call__(self, batch, head, query, key):
        return self.rule(query, key)


class Texts(Mask):
    """It tells sequences apart, and does not say so."""

    def __call__(self, batch, head, query, key):
        return key < torch.tensor([4, 6])[batch]


class Stretched(Mask):
    """What it gives as its stretches is whatever it is made with."""

    def __init__(self, stop) -> None:
        self.stop = stop

    def __call__(self, batch, head, query, key):
        return key <= query

    def intervals(self, query, keys):
        return [(0, self.stop)]


class Bare(Stretched):
    """The same, not as a pair in a list."""

    def intervals(self, query, keys):
        return self.stop


CASES = {
    "a rule that gives sequences of several lengths": (
        {"mask": Causal() & ~Rule(lambda query, key: nested(torch.strided).bool())},
        TypeError,
        "what Rule gives is a nested tensor: expected one tensor of all sequences, with Padding or "
        "Documents as the mask",
    ),
    "stretches of several lengths": (
        {"mask": Stretched(nested(torch.jagged).long()), "value": K, "backend": "spans"},
        TypeError,
        "what Stretched gives is a nested tensor: expected one tensor of all sequences, with "
        "Padding or Documents as the mask",
    ),
    "a mask whose rule gives floats": (
        {"mask": Rule(lambda query, key: (key <= query).float())},
        TypeError,
        "Rule gives torch.float32: expected torch.bool, where True means attend",
    ),
    "a mask whose rule gives nothing": (
        {"mask": Rule(lambda query, key: None)},
        TypeError,
        "Rule gives None: expected torch.bool, where True means attend",
    ),
    "the contrary of a mask whose rule gives 1": (
        {"mask": ~Rule(lambda query, key: 1)},
        TypeError,
        "Rule gives an int: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives floats": (
        {"mask": Causal() & Rule(lambda query, key: (key <= query).float())},
        TypeError,
        "Rule gives torch.float32: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives nothing": (
        {"mask": Rule(lambda query, key: None) | Causal()},
        TypeError,
        "Rule gives None: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives too few keys": (
        {"mask": Causal() & Rule(lambda query, key: torch.ones(5, dtype=torch.bool))},
        ValueError,
        "Causal gives shape (5, 6) and Rule (5,): expected shapes that broadcast",
    ),
    "a mask of which one rule gives too few queries": (
        {"mask": Causal() & Rule(lambda query, key: torch.ones(4, 6, dtype=torch.bool))},
        ValueError,
        "Causal gives shape (5, 6) and Rule (4, 6): expected shapes that broadcast",
    ),
    "a mask of which one rule gives what lies elsewhere": (
        {"mask": Causal() & Rule(lambda query, key: (key <= query).to("meta"))},
        ValueError,
        "Causal gives a mask on cpu and Rule on meta: expected one device",
    ),
    "a mask whose rule gives one row too many": (
        {"mask": Rule(lambda query, key: torch.ones(6, 6, dtype=torch.bool))},
        ValueError,
        "Rule gives shape (6, 6): expected (5, 6)",
    ),
    "a mask that does not say how many sequences it tells apart": (
        {"mask": Causal() & Texts()},
        ValueError,
        "Texts gives shape (1, 1, 1, 6): expected (5, 6); one that tells sequences or heads apart "
        "needs the property batch or heads",
    ),
    "the contrary of a rule that gives one row too many": (
        {"mask": Causal() | ~Rule(lambda query, key: torch.ones(1, 5, 6, dtype=torch.bool))},
        ValueError,
        "Rule gives shape (1, 5, 6): expected (5, 6); one that tells sequences or heads apart "
        "needs the property batch or heads",
    ),
    "the contrary of a rule that is elsewhere": (
        {"mask": ~Rule(lambda query, key: (key <= query).to("meta"))},
        ValueError,
        "Rule gives a mask on meta: expected cpu",
    ),
    "a mask whose stretches are floats": (
        {"mask": Stretched(torch.ones(5)), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of torch.float32: expected integers",
    ),
    "masks of which one has stretches of a string": (
        {"mask": Causal() & ~Stretched("a"), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of a str: expected integers",
    ),
    "masks of which one has too few stretches": (
        {
            "mask": Causal() & Stretched(torch.ones(4, dtype=torch.long)),
            "value": K,
            "backend": "spans",
        },
        ValueError,
        "Stretched gives intervals of shape (4,): expected (batch, T), (1, 5)",
    ),
    "a mask whose stretches are no tensors": (
        {"mask": Stretched(1.0), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of a float: expected integers",
    ),
    "a mask whose stretches are too few": (
        {"mask": Stretched(torch.ones(4, dtype=torch.long)), "value": K, "backend": "spans"},
        ValueError,
        "Stretched gives intervals of shape (4,): expected (batch, T), (1, 5)",
    ),
    "a mask whose stretch stands in no list": (
        {"mask": Bare((0, torch.ones(5))), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives an int as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose stretches are none": (
        {"mask": Bare(torch.ones(5)), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives a Tensor as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose stretch has three ends": (
        {"mask": Bare([(0, 1), (2, 3, 4)]), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives a tuple of 3 as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose rule is elsewhere": (
        {"mask": Rule(lambda query, key: torch.ones(5, 6, dtype=torch.bool, device="meta"))},
        ValueError,
        "Rule gives a mask on meta: expected cpu",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, error, message = CASES[name]
    assert said(given, error, monkeypatch) == message


def test_the_contrary_of_a_rule_that_gives_nothing_hides_nothing_in_silence() -> None:
    with pytest.raises(TypeError, match="Rule gives None"):
        (Causal() & ~Rule(lambda query, key: None)).to_tensor(2, 2)

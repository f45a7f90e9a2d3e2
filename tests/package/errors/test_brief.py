"""What came, where there is much of it: a message is read by people."""

from dataclasses import dataclass
from typing import Any

import pytest

from attention import Causal, Mask, RollingKVCache
from attention.checks.kinds import LONG, brief


@dataclass(frozen=True)
class Listed(Mask):
    """The keys of a list."""

    seen: list[int]

    def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
        return sum((key == each) for each in self.seen) > 0


def test_of_a_long_list_both_ends_are_said() -> None:
    said = brief(Causal() & Listed([*range(5000)]))
    assert said.startswith("(Causal() & Listed(seen=[0, 1, 2, ")
    assert said.endswith(", 4998, 4999]))")
    assert " … " in said
    assert len(said) == LONG + 3


@pytest.mark.parametrize(("many", "short"), [(LONG - 2, True), (LONG - 1, False)])
def test_what_fits_is_said_as_it_is(many: int, short: bool) -> None:
    name = "x" * many
    assert (brief(name) == repr(name)) is short


def test_a_mask_with_a_long_list_gets_a_short_message() -> None:
    mask = Listed([*range(5000)])
    with pytest.raises(ValueError, match=r"^mask Listed\(seen=\[0, 1, .* … .*, 4999\]\) may") as it:
        RollingKVCache(3).mask(mask, 1)
    assert len(str(it.value)) < 400

"""What holds of every page, opened once: for everybody, at every width, and nothing from elsewhere.

Two files share the pages between them, since two workers share the files.
"""

from collections.abc import Iterable

import pytest
from axe import COLOURS, RULES, violations
from conftest import Visit

WIDER = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth"


class EveryPage:
    @pytest.mark.parametrize(
        ("looked", "rules"),
        [("light", RULES), ("dark", COLOURS), ("phone", RULES)],
        indirect=["looked"],
    )
    def test_axe_finds_nothing(self, looked: Visit, rules: list[str]) -> None:
        assert violations(looked.page, rules) == []

    @pytest.mark.parametrize("looked", ["phone", "zoomed"], indirect=True)
    def test_nothing_reaches_past_the_window(self, looked: Visit) -> None:
        assert looked.page.evaluate(WIDER) <= 0

    def test_nobody_else_is_asked_and_nothing_is_reported(self, seen: Visit) -> None:
        """What the policy of the site forbids is reported as well."""
        assert seen.elsewhere == []
        assert seen.messages == []


def each(addresses: Iterable[str]) -> pytest.MarkDecorator:
    """The pages that a class sees."""
    named = [pytest.param(address, id=address or "/") for address in addresses]
    return pytest.mark.parametrize("seen", named, indirect=True, scope="module")

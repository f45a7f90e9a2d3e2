"""What the tests of a call's way share: which calls did not go directly."""

import pytest

from attention import functional
from attention.dispatch import route
from attention.kept import Kept


@pytest.fixture
def slow(monkeypatch):
    """The calls for which it was found out how to compute them, or that did not go directly."""
    calls, found, later = [], route.new, functional.route

    def looked(*arguments):
        calls.append(arguments)
        return found(*arguments)

    def long(*arguments):
        calls.append(arguments)
        return later(*arguments)

    monkeypatch.setattr(route, "new", looked)
    monkeypatch.setattr(functional, "route", long)
    monkeypatch.setattr(route, "kept", Kept(8))
    return calls

"""What the tests of modes share: no call warns."""

import warnings

import pytest


@pytest.fixture
def no_warning():
    """Ours or torch's: a call warns of nothing. What torch itself uses and deprecates may."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)  # of other tests, collected during ours
        warnings.filterwarnings("ignore", message=".*torch.jit.script.* is deprecated")
        yield

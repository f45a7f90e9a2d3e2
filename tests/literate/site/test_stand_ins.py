"""The faces that stand in for ours: each of them, to the hundredth of a percent."""

from pathlib import Path

from literate.site import stand_ins, vendor


def test_the_style_sheet_is_as_it_was_read() -> None:
    """On other fonts it may differ: read it, and copy it from `docs/assets/vendor`."""
    known = Path(__file__).with_name("stand_ins.css").read_text("utf-8")
    assert stand_ins.style_sheet(vendor.TARGET) == known

"""Triton, and with it the kernel for Hopper, is there on Linux alone."""

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]

if sys.platform == "linux":
    import interpreter  # noqa: F401 - whichever test of a process loads Triton, it is interpreted

"""Triton, and with it the kernel for Hopper, is there on Linux alone."""

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]

"""One file a way to compute the same function."""

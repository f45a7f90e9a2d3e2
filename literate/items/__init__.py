"""The tests of a page: one file a kind of thing that is tested."""

"""Which earlier statements a block needs, so that it runs alone."""

"""What a page does: its blocks run in one module, and nothing is left for the next page."""

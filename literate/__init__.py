"""What executes, checks and renders the book."""

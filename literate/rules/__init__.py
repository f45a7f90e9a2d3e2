"""What a page must hold, and what it must not contain."""

"""The book on paper: its pages printed by Chromium, in their order, and joined into one PDF."""

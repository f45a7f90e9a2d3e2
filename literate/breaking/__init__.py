"""The proof that digits are checked: change one, and see whether a test complains."""

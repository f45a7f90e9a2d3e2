"""What an extension raises where a page is wrong."""


class Fault(Exception):
    """What is wrong, and the words of the page where it is: an extension does not know lines."""

    def __init__(self, message: str, words: str, occurrence: int = 1) -> None:
        super().__init__(message)
        self.words = words
        self.occurrence = occurrence  # where the words stand more than once

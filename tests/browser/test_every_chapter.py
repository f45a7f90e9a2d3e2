"""Every chapter, opened once."""

from every_page import EveryPage, each
from pages import CHAPTERS, address


@each(map(address, CHAPTERS))
class TestEveryChapter(EveryPage):
    pass

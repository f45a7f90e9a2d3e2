"""Every page that is no chapter, opened once, and the one for an address that is none."""

from every_page import EveryPage, each
from pages import CHAPTERS, PAGES, address


@each([*(address(page) for page in PAGES if page not in CHAPTERS), "404.html"])
class TestEveryOtherPage(EveryPage):
    pass

"""The formulas that nothing computes."""

from pages import DOCS


def test_there_are_as_many_as_the_page_about_it_says() -> None:
    pages = [path.read_text("utf-8") for path in DOCS.rglob("*.md")]
    assert sum(page.count("<!-- not computed: ") for page in pages) == 2
    verified = (DOCS / "about/verified.md").read_text("utf-8")
    assert "has such a check, but for two, about the mean and the variance" in verified

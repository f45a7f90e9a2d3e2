"""What the hook for the reference takes away: the space before a bracket, and no other."""

from literate.site.brackets import on_page_content


def test_a_space_before_a_bracket_goes() -> None:
    html = "(<code>int</code>, default:\n <code>None</code>\n   ) <code>x</code> (y )"
    kept = "(<code>int</code>, default:\n <code>None</code>) <code>x</code> (y )"
    assert on_page_content(html, page=None) == kept

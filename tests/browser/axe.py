"""What axe-core finds on a page: https://github.com/dequelabs/axe-core."""

from judges import judge
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]  # what the dark can change
# What is folded is seen by somebody, and the shade at the edge of what scrolls would hide contrast.
# A constructed style sheet, since the policy of the site allows none from elsewhere.
UNFOLD = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true
  for (const input of document.querySelectorAll(".choice input")) input.checked = true
  const sheet = new CSSStyleSheet()
  const scrolls = "pre > code, .md-typeset__scrollwrap, .maths--display"
  sheet.replaceSync(`:is(${scrolls}) { background-image: none !important }`)
  document.adoptedStyleSheets = [sheet]
}"""
# Looking for a ::before and an ::after of each element is a third of axe's time (a chapter: 0.95 s,
# and 0.6 s without), and only leaves the text under them for a person to judge.
JUDGE = "axe.configure({ checks: [{ id: 'color-contrast', options: { ignorePseudo: true } }] })"
RUN = """async rules => {
  const found = await axe.run({ runOnly: rules, resultTypes: ["violations"], preload: false })
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}"""


def violations(page: Page, rules: list[str] = RULES) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(judge("axe-core/axe.min.js").read_text("utf-8"))
        page.evaluate(JUDGE)
    return page.evaluate(RUN, rules)

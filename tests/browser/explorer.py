"""The explorer as a reader has it: opened, typed into, read. Its waits cost no time."""

from typing import Any

from playwright.sync_api import Page

# What is read aloud, the tables by their captions, and the fragment of the address.
SEEN = """() => {
  const texts = selector => [...document.querySelectorAll(selector)]
  const says = texts(".explorer [role=status]").map(node => node.textContent).filter(Boolean)
  const cell = node => node.querySelector("input")?.value ?? node.textContent
  const rows = table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell))
  const tables = texts(".explorer table").map(table => [table.caption.textContent, rows(table)])
  return { says, tables: Object.fromEntries(tables), hash: location.hash }
}"""
TYPE = """([name, value]) => {
  const field = document.querySelector(`[name="${name}"]`), was = field.value
  field.value = value
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }))
  return was
}"""


class Explorer:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.address = page.url
        page.clock.install()
        self.visit()

    def visit(self, fragment: str = "") -> None:
        self.page.goto("about:blank")  # another fragment alone would not load the page
        self.page.goto(self.address + fragment)
        self.wait()

    def wait(self) -> None:
        self.page.clock.run_for(600)  # sentences wait 400 ms

    def type(self, name: str, value: str) -> str:
        """Puts a value into a field; gives what was there."""
        was = self.page.evaluate(TYPE, [name, value])
        self.wait()
        return was

    def seen(self) -> dict[str, Any]:
        return self.page.evaluate(SEEN)

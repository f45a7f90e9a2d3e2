"""The tests of a page as a whole: its guards, and its record."""

from literate.items.base import UPDATE, Item, Mismatch, Whole
from literate.pages import pictures
from literate.pages.choices import undecided
from literate.rules.assertions import toothless
from literate.rules.claims import at_odds
from literate.rules.guards import unchecked, uncomputed, unreasoned
from literate.rules.shown import never_run
from literate.rules.typed import typed
from literate.rules.unfailing import unfailing
from literate.rules.units import changed
from literate.running import records
from literate.running.exercises import exercises
from literate.running.module import runs

NEVER = "this assertion never held: nothing that runs here reaches it, or it fails and that is "
NEVER += "caught: call what has it, or let the block be one that .raises"


class GuardItem(Item[Whole]):
    """Nothing is shown that was not run, and no number of the prose stands unchecked."""

    def check(self) -> None:
        page = self.run.page
        for line, message in never_run(page):
            raise Mismatch(line, message)
        for line in unreasoned(page):
            raise Mismatch(line, "a .notest block needs a comment above it that says why")
        for line in uncomputed(page):
            said = "nothing computes this formula: put <!--= formula(…) --> below it"
            raise Mismatch(line, said)
        for line, expression in unfailing(page):
            raise Mismatch(line, f"{expression} checks nothing: write what the page computes")
        for line, message in toothless(page):
            raise Mismatch(line, message)
        for line, number in unchecked(page):
            meant = "<!--= expression -->, <!-- source: … --> or, for a setting, backticks"
            raise Mismatch(line, f"nothing checks {number}: write {number}{meant}")
        for line, number in typed(page):
            raise Mismatch(line, f"the block types {number} into what it prints: compute it")
        for line, message in undecided(page.prose, page.predictions, page.checks):
            raise Mismatch(line, message)
        for line, message in at_odds(page):
            raise Mismatch(line, message)
        for line, message in pictures.out_of_order(page, self.path.stem):
            raise Mismatch(line, message)
        # A part of the page may have been chosen, or have failed: then it saved a part.
        blocks = {block.line for block in page.blocks if runs(block)}
        if blocks.union(*(task.lines for task in exercises(page))) <= self.run.ran:
            for line, message in pictures.uncompared(page, self.path.stem, self.run.compared):
                raise Mismatch(line, message)
            for line in self.run.module.unheld():
                raise Mismatch(line, NEVER)


class RecordItem(Item[Whole]):
    """The page has as many checks as its record says, and the values that it keeps."""

    def check(self) -> None:
        page, run = self.run.page, self.run
        folder = self.config.rootpath / self.config.getini("records")
        path = records.place(folder, page.path)
        old = records.read(path)
        if not self.updating:
            now, then = records.counts(page), old.get("counts", {})
            for kind in now | then:
                if now.get(kind, 0) != then.get(kind, 0):
                    change = f"{now.get(kind, 0)} {kind}, its record {then.get(kind, 0)}"
                    raise Mismatch(1, f"the page has {change} ({UPDATE})")
            if other := changed(page, old.get("units", [])):
                raise Mismatch(other[0], f"{other[1]} ({UPDATE})")
        if len(run.values) != sum(bool(check.printed) for check in page.checks):
            return  # a part of the page ran
        spreads = self.config.getoption("--update-spread")
        found = records.stale(old, page, run.values)
        if found and not self.updating and not spreads:
            raise Mismatch(found[0], f"{found[1]} ({UPDATE})")
        new = records.updated(old, page, run.values) if self.updating else old
        if spreads:
            new = records.spread(new, page, run.values)
        if new != old:
            records.write(path, new)

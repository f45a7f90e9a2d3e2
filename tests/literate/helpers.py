"""Pages of a text, what a run of pages came to, and the script of a block."""

from pathlib import Path

from literate.pages.page import Page
from literate.site.plain import parts
from literate.slices.slicer import scripts

HERE = "https://book.example/part/page.md"  # where a plain page is


def page(text: str) -> Page:
    return Page(Path("page.md"), text)


def plain(text: str) -> str:
    """A page as plain Markdown of a site."""
    return "\n\n".join(part.text for part in parts(page(text), HERE))


def failures(result) -> list[str]:
    return [str(report.longrepr) for report in result.getreports() if report.failed]


def counts(result) -> tuple[int, int, int]:
    """Passed, skipped, failed; without the guards, which every page has and most pass."""
    passed, skipped, failed = result.listoutcomes()
    passed = [report for report in passed if not report.nodeid.endswith("[guards]")]
    return len(passed), len(skipped), len(failed)


def script(*blocks: str, kinds: str = "") -> str:
    """The script of the last of these blocks; `kinds` are those of the first."""
    fences = [f"```python{kinds if i == 0 else ''}\n{code}\n```" for i, code in enumerate(blocks)]
    found = scripts(page("\n\n".join(fences) + "\n"))
    return found[max(found)]

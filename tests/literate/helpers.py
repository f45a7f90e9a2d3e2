"""Reading the result of a run of pages."""


def failures(result) -> list[str]:
    return [str(report.longrepr) for report in result.getreports() if report.failed]


def counts(result) -> tuple[int, int, int]:
    """Passed, skipped, failed; without the guards, which every page has and most pass."""
    passed, skipped, failed = result.listoutcomes()
    passed = [report for report in passed if not report.nodeid.endswith("[guards]")]
    return len(passed), len(skipped), len(failed)

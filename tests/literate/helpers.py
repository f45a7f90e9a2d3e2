"""Reading the result of a run of pages."""


def failures(result) -> list[str]:
    return [str(report.longrepr) for report in result.getreports() if report.failed]


def counts(result) -> tuple[int, int, int]:
    passed, skipped, failed = result.listoutcomes()
    return len(passed), len(skipped), len(failed)

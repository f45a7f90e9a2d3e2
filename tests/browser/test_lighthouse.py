"""What Lighthouse says of the built site: https://github.com/GoogleChrome/lighthouse."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from judges import judge
from server import Server

LEAST = {"accessibility": 100, "best-practices": 100, "seo": 100, "performance": 95}
# Performance is timed: other work on the machine lowers it, and nothing raises it.
ATTEMPTS = 3
MOST = {"cumulative-layout-shift": 0.01, "total-byte-weight": 300_000}
# Nothing comes from elsewhere: no other name has an address.
CHROME = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking"
    ' --host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"'
)


def report(chrome: str, address: str, profile: Path) -> dict[str, Any]:
    done = subprocess.run(
        [
            judge(".bin/lighthouse"),
            address,
            "--quiet",
            "--output=json",
            "--preset=desktop",
            "--no-enable-error-reporting",
            f"--only-categories={','.join(LEAST)}",
            f'--chrome-flags={CHROME} --user-data-dir="{profile}"',
        ],
        # Its first line asks for node, which stands beside this Python.
        env={
            **os.environ,
            "CHROME_PATH": chrome,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return json.loads(done.stdout)


def short(found: dict[str, Any]) -> list[str]:
    """What of a report is less, or more, than it may be, each score with the audits it lacks."""
    audits, wrong = found["audits"], []
    for name, least in LEAST.items():
        category = found["categories"][name]
        if category["score"] is None or 100 * category["score"] < least:
            weighed = [part["id"] for part in category["auditRefs"] if part["weight"]]
            lacks = [part for part in weighed if audits[part]["score"] not in (None, 1)]
            wrong.append(f"{name} {category['score']}, below {least / 100}: {', '.join(lacks)}")
    for name, most in MOST.items():
        if audits[name]["numericValue"] > most:
            wrong.append(f"{name} {audits[name]['numericValue']:.6g}, above {most}")
    return wrong


@pytest.mark.parametrize("page", ["", "foundations/softmax/", "reference/functional/"])
def test_lighthouse_is_content(chrome: str, server: Server, page: str, tmp_path: Path) -> None:
    for attempt in range(ATTEMPTS):
        found = report(chrome, server.address + page, tmp_path / str(attempt))
        assert found["runWarnings"] == []
        wrong = short(found)
        if not any(one.startswith("performance") for one in wrong):
            break
    assert wrong == []

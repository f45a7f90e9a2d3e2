"""Runs the site's own modules in node."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pages import DOCS

NODE = Path(sys.executable).with_name("node")


def node(expression: str, data: Any) -> Any:
    """The value of an expression of `data`, with the modules of the explorer."""
    code = f"""
import * as attend from "{(DOCS / "assets/js/attend.js").as_uri()}"
import * as address from "{(DOCS / "assets/js/address.js").as_uri()}"
import {{ readFileSync }} from "node:fs"
const data = JSON.parse(readFileSync(0, "utf8"))
console.log(JSON.stringify({expression}))"""
    done = subprocess.run(
        [NODE, "--input-type=module", "--no-warnings", "--eval", code],
        input=json.dumps(data), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

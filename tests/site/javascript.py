"""Runs the site's own modules: in node, and in a browser on the built pages."""

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS

NODE = Path(sys.executable).with_name("node")
BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


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


# A page that holds another in a frame, runs a script, and becomes the text of what it returns.
STAGE = """<!doctype html><iframe width="1200" height="900"></iframe>
<script type="module" src="/script.js"></script>"""
SCRIPT = """
import {{ field, page, seen, type, visit, wait }} from "/stage.js"
const run = async () => {{ {script} }}
const result = await run().catch(error => ({{ error: String(error.stack) }}))
document.body.textContent = JSON.stringify(result)
"""


class Files(http.server.SimpleHTTPRequestHandler):
    """The built site under the strictest policy, and a stage to run a script beside it."""

    def __init__(self, *args: Any, extra: dict[str, tuple[str, str]], **more: Any) -> None:
        self.extra = extra
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        if self.path not in self.extra:
            return super().do_GET()
        kind, text = self.extra[self.path]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())
        return None

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def browse(built: Path, script: str, folder: Path) -> Any:
    """What a script returns that visits the explorer in a browser."""
    if BROWSER is None:
        pytest.skip("there is no Chromium here")
    stage = Path(__file__).with_name("stage.js").read_text("utf-8")
    extra = {
        "/stage": ("text/html", STAGE),
        "/stage.js": ("text/javascript", stage),
        "/script.js": ("text/javascript", SCRIPT.format(script=script)),
    }
    handler = functools.partial(Files, directory=str(built), extra=extra)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            f"--user-data-dir={folder}", "--virtual-time-budget=60000", "--dump-dom",
        ]  # fmt: skip
        page = f"http://127.0.0.1:{server.server_port}/stage"
        done = subprocess.run(
            [BROWSER, *options, page], capture_output=True, text=True, timeout=120, check=False
        )
        server.shutdown()
    found = re.search(r"<body>(.*)</body>", done.stdout, re.S)
    assert found, done.stdout[:500] + done.stderr[-500:]
    assert "<iframe" not in found[1], "the script did not end"
    result = json.loads(unescape(found[1]))
    assert "error" not in result, result["error"]
    return result

"""Prints an HTML file as a PDF, with the browser that is there."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
FLAGS = [
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--allow-file-access-from-files",  # the fonts
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
]


def browser() -> str | None:
    """The browser that CHROME names, or the first that is found."""
    return next((found for name in [os.environ.get("CHROME", ""), *NAMES]
                 if name and (found := shutil.which(name))), None)  # fmt: skip


def print_page(chrome: str, page: Path, target: Path) -> None:
    # The sandbox refuses to run as root, as in a container.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        subprocess.run(
            [chrome, *FLAGS, *root, f"--user-data-dir={profile}",
             f"--print-to-pdf={target}", page.resolve().as_uri()],
            capture_output=True,
            timeout=120,
        )  # fmt: skip
    if not target.exists():
        raise RuntimeError(f"{chrome} printed nothing of {page}")

"""The built site over HTTP as a host serves it: compressed, kept for ten minutes, its own 404."""

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

PACKED = {".html", ".css", ".js", ".svg", ".json", ".xml", ".md", ".py", ".txt"}


class Server(ThreadingHTTPServer):
    """A folder, and what went over the wire: each path with the bytes of its answer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.folder = folder.resolve()
        self.sent: list[tuple[str, int]] = []
        self.fonts_wait = 0.0  # seconds that a font waits, as over a slow line

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Answer(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        file = self.server.folder / path.lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        status = 200 if file.is_file() else 404
        file = file if file.is_file() else self.server.folder / "404.html"
        if file.suffix == ".woff2":
            time.sleep(self.server.fonts_wait)
        body, packed = read(file)
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        head = sum(map(len, self._headers_buffer))
        self.end_headers()
        self.wfile.write(body)
        self.server.sent.append((path, head + len(body)))

    def log_message(self, *_: object) -> None:
        """Tests print what fails, not what is asked for."""


@cache
def read(file: Path) -> tuple[bytes, bool]:
    data = file.read_bytes()
    return (gzip.compress(data), True) if file.suffix in PACKED else (data, False)


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()

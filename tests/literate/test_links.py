"""The addresses outside the book: listed offline, and asked of a server of our own."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from literate import links

ROOT = Path(__file__).parents[2]
PAGE = """# A page

[One](https://one.test/a_(b).html#part), <https://two.test/>, and https://three.test/x.
[Again](https://one.test/a_(b).html) `https://four.test/` [made up](https://book.example/)

```python
where = "https://code.test/"
```
"""


class Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response({"/here": 200, "/moved": 302}.get(self.path, 404))
        if self.path == "/moved":
            self.send_header("Location", "/here")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_is_there_is_told_from_what_is_not(server: str) -> None:
    assert links.fault(f"{server}/here") == ""
    assert links.fault(f"{server}/moved") == ""
    assert links.fault(f"{server}/gone") == "404 Not Found"
    assert "refused" in links.fault("http://127.0.0.1:1/")


def test_an_address_that_does_not_answer_is_named_with_its_places(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {f"{server}/here": ["a.md:1"], f"{server}/gone": ["a.md:2", "b.md:3"]}
    assert links.check(found) == 1
    told = capsys.readouterr()
    assert told.out == f"a.md:2, b.md:3: {server}/gone answers 404 Not Found\n"
    assert told.err == "1 of 2 addresses answer\n"


def test_addresses_are_listed_once_with_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text(PAGE, "utf-8")
    assert links.main(["--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "https://one.test/a_(b).html README.md:3 README.md:4",
        "https://two.test/ README.md:3",
        "https://three.test/x README.md:3",
        "https://four.test/ README.md:4",
    ]


def test_the_book_s_own_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = links.addresses()
    assert len(found) > 60
    (place,) = found["https://arxiv.org/abs/1706.03762"]
    assert place.startswith("docs/about/sources.md:")

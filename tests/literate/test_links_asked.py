"""Which addresses are outside the book, how they are asked, and what the command ends with."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from literate import links

GOES_ON = Event()


class Server(BaseHTTPRequestHandler):
    """Refuses what does not name itself as a browser; one address takes its time."""

    def do_GET(self) -> None:
        if self.path == "/slow":
            GOES_ON.wait(1)
        known = self.headers["User-Agent"].startswith("Mozilla/5.0 (")
        self.send_response(404 if self.path.startswith("/gone") else 200 if known else 403)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    GOES_ON.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        GOES_ON.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_addresses_stand_in_pages_and_in_the_words_of_python(book: Path) -> None:
    for name in ("README.md", "docs/a.md", "docs/part/b.md"):
        put(book / name, "# A page\n\n<https://one.test/>\n")
    for name in ("attention/a.py", "attention/masks/b.py", "literate/c.py"):
        put(book / name, '"""Words.\n\nhttps://one.test/\n"""\n\nx = "https://code.test/"\n')
    put(book / "tests/d.py", "# https://other.test/\n")
    assert links.addresses() == {
        "https://one.test/": [
            *("README.md:3", "attention/a.py:3", "attention/masks/b.py:3"),
            *("docs/a.md:3", "docs/part/b.md:3", "literate/c.py:3"),
        ]
    }


def test_an_address_ends_before_the_stop_of_its_sentence(book: Path) -> None:
    text = "https://a.test/X, https://b.test/x; https://c.test/X: https://d.test/1.0.\n"
    put(book / "README.md", text)
    found = ["https://a.test/X", "https://b.test/x", "https://c.test/X", "https://d.test/1.0"]
    assert [*links.addresses()] == found


def test_places_within_one_page_are_one_address(book: Path) -> None:
    put(book / "README.md", "https://a.test/x#one and\nhttps://a.test/x#two\n")
    assert links.addresses() == {"https://a.test/x": ["README.md:1", "README.md:2"]}


@pytest.mark.parametrize("above", [0, 1, 2])
def test_lines_are_counted_below_empty_ones(book: Path, above: int) -> None:
    put(book / "README.md", "\n" * above + "https://a.test/\n")
    assert links.addresses() == {"https://a.test/": [f"README.md:{above + 1}"]}


def test_a_host_is_asked_as_a_browser_asks(server: str) -> None:
    assert links.fault(f"{server}/here") == ""


def test_a_refusal_is_said_without_what_python_puts_around_it() -> None:
    assert links.fault("http://127.0.0.1:1/").startswith("[Errno ")


def test_an_answer_that_does_not_come_is_not_waited_for(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "PATIENCE", 0.05)
    assert links.fault(f"{server}/slow") == "timed out"


@pytest.mark.parametrize(("gone", "status"), [(0, 0), (1, 1), (2, 1)])
def test_the_command_fails_if_an_address_does(
    server: str,
    gone: int,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """However many do not answer, it ends with 1."""
    found = {f"{server}/here": ["a.md:1"]}
    found |= {f"{server}/gone{n}": [f"a.md:{n + 2}"] for n in range(gone)}
    monkeypatch.setattr(links, "addresses", lambda: found)  # those of a book have a domain
    assert links.main([]) == status
    told = capsys.readouterr()
    assert told.out.count(" answers 404 Not Found\n") == gone
    assert told.err == f"1 of {gone + 1} addresses answer\n"

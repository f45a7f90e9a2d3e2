"""What a reader finds first: the worker that the site ships is asked, with the index it ships."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import quickjs

import attention

# What a worker finds around it in a browser.
BROWSER = """
var self = globalThis, window = globalThis, console = { warn() {} }, said = [], hear
function postMessage(message) { said.push(message) }
function addEventListener(type, listener) { hear = listener }
"""
SETUP, QUERY = 0, 2  # the theme's kinds of messages
# The words "mask" and "position" are titles of chapters.
NAMES = sorted({*attention.__all__} - {"Mask", "Positions"})


@pytest.fixture(scope="session")
def search(built: Path) -> Callable[[str], list[list[str]]]:
    """The pages that a query finds, best first: of each its places, best first."""
    (worker,) = built.glob("assets/javascripts/workers/search.*.min.js")
    index = json.loads((built / "search/search_index.json").read_text("utf-8"))
    engine = quickjs.Context()
    engine.eval(BROWSER + worker.read_text("utf-8"))

    def tell(kind: int, data: object) -> dict:
        engine.eval(f"said = []; hear({{data: {json.dumps({'type': kind, 'data': data})}}})")
        while engine.execute_pending_job():
            pass
        (answer,) = json.loads(engine.eval("JSON.stringify(said)"))
        return answer

    tell(SETUP, {"config": index["config"], "docs": index["docs"], "options": {"suggest": False}})

    def search(query: str) -> list[list[str]]:
        pages = tell(QUERY, query)["data"]["items"]
        return [[place["location"] for place in page] for page in pages]

    return search


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_finds_its_reference(
    search: Callable[[str], list[list[str]]], name: str
) -> None:
    home = getattr(attention, name).__module__
    first = search(name)[0][0]
    assert first.startswith("reference/")
    assert first.endswith(f"#{home}.{name}")


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("causal mask", ["foundations/masks/", "reference/masks/"]),
        ("softmax", ["foundations/softmax/"]),
        ("scaling", ["foundations/scaling/"]),
        ("multi-head attention", ["foundations/multi-head-attention/"]),
        ("cross-attention", ["foundations/cross-attention/"]),
        ("self-attention", ["foundations/the-self-attention-module/"]),
        ("position", ["foundations/position/"]),
        ("rotary", ["reference/positions/", "foundations/position/"]),
        ("sliding window", ["reference/masks/", "reference/recipes/"]),
        ("padding", ["reference/masks/", "foundations/masks/"]),
        ("varlen", ["reference/recipes/"]),
        ("attention sinks", ["reference/recipes/"]),
        ("RoPE scaling", ["reference/models/"]),
        ("LoRA", ["reference/models/"]),
        ("T5", ["reference/models/"]),
        ("BERT", ["reference/models/"]),
        ("rollout", ["reference/models/"]),
        ("beam search", ["reference/recipes/"]),
        ("bf16", ["reference/recipes/"]),
        ("need_weights", ["reference/multi_head/"]),
        ("glossary", ["about/glossary/"]),
        ("embedding", ["foundations/tokens-and-embeddings/"]),
        ("flash attention", ["speed/a-gpu-kernel/"]),
        ("FlashAttention", ["speed/a-gpu-kernel/"]),
        ("GQA", ["speed/the-cache/"]),
        ("kv cache", ["speed/the-cache/"]),
        ("paged", ["speed/the-cache/"]),
        ("positional encoding", ["foundations/position/"]),
        ("residual", ["foundations/the-block/"]),
        ("softcap", ["foundations/scaling/", "reference/multi_head/"]),
        ("install", ["reference/recipes/"]),
    ],
)
def test_a_topic_finds_its_page(
    search: Callable[[str], list[list[str]]], query: str, pages: list[str]
) -> None:
    assert search(query)[0][0].partition("#")[0] in pages


def test_what_is_found_shows_no_buttons(built: Path) -> None:
    index = (built / "search/search_index.json").read_text("utf-8")
    assert "Six embeddings" in index
    assert "CopyScript" not in index


def test_nonsense_finds_nothing(search: Callable[[str], list[list[str]]]) -> None:
    assert search("xyzzyplugh") == []

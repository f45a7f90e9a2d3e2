"""Attention as a graph: its edges, what is left out, and its drawing."""

import importlib.abc
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as etree

import pytest
import torch

from attention import AttentionGraph, Causal

TENNIS = ["I", "love", "tennis", "."]
WEIGHTS = torch.tensor(
    [[0.7, 0.2, 0.06, 0.04], [0.1, 0.8, 0.05, 0.05], [0.05, 0.1, 0.75, 0.1], [0.1, 0.2, 0.05, 0.65]]
)
SVG = "{http://www.w3.org/2000/svg}"


def some(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0)).softmax(-1)


def drawn(graph: AttentionGraph) -> etree.Element:
    return etree.fromstring(graph.markup())


def texts(graph: AttentionGraph) -> list[str]:
    return [element.text or "" for element in drawn(graph).iter(f"{SVG}text")]


def test_arrows_run_from_key_to_query() -> None:
    graph = AttentionGraph(WEIGHTS, TENNIS).to_networkx()
    assert len(graph.edges) == 16
    for query in range(4):
        for key in range(4):
            assert graph.edges[key, query]["weight"] == pytest.approx(WEIGHTS[query, key].item())
    arrive = [weight for _, weight in graph.in_degree(weight="weight")]
    leave = [round(weight, 4) for _, weight in graph.out_degree(weight="weight")]
    assert arrive == pytest.approx([1, 1, 1, 1])
    assert leave == [0.95, 1.3, 0.91, 0.84]  # love is heard most
    assert [graph.nodes[node]["token"] for node in graph] == TENNIS


def test_what_may_not_be_seen_has_no_arrow() -> None:
    keep = Causal().to_tensor(5, 5)
    weights = some(5, 5).masked_fill(~keep, 0)
    weights = weights / weights.sum(-1, keepdim=True)
    edges = set(AttentionGraph(weights, "abcde").to_networkx().edges)
    assert edges == {(key, query) for query in range(5) for key in range(query + 1)}


def test_a_query_that_attends_to_nothing() -> None:
    graph = AttentionGraph(torch.tensor([[0.0, 0.0], [0.5, 0.5]]), ["a", "b"])
    assert set(graph.to_networkx().edges) == {(0, 1), (1, 1)}
    assert "a ← nothing" in str(graph)


def test_a_threshold_says_what_it_leaves_out() -> None:
    graph = AttentionGraph(WEIGHTS, TENNIS, at_least=0.1)
    assert {(e.query, e.key) for e in graph.edges()} == {
        (i, j) for i in range(4) for j in range(4) if WEIGHTS[i, j] >= 0.1
    }
    said = "Left out: 6 arrows below 0.1, with 0.30 of the weight of 4.00."
    assert graph.left_out() == said
    assert str(graph).endswith(said)
    assert said.partition(",")[0] in texts(graph)
    assert said.partition(", ")[2] in texts(graph)
    assert len(graph.to_networkx().edges) == 10


@pytest.mark.untyped
def test_counts_are_whole() -> None:
    for strongest, kind in (("a", "str"), (2.5, "float"), (True, "bool")):
        with pytest.raises(TypeError, match=f"^strongest is a {kind}: expected an int$"):
            AttentionGraph(WEIGHTS, TENNIS, strongest=strongest)


def test_the_strongest_of_each_query() -> None:
    graph = AttentionGraph(WEIGHTS, TENNIS, strongest=1)
    assert [(e.key, e.query) for e in graph.edges()] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert graph.left_out() == (
        "Left out: 12 arrows beyond the strongest 1, with 1.10 of the weight of 4.00."
    )
    both = AttentionGraph(WEIGHTS, TENNIS, strongest=2, at_least=0.15).left_out()
    assert both.startswith("Left out: 10 arrows below 0.15 or beyond the strongest 2, with 0.70 of")


def test_a_weight_is_at_least_itself() -> None:
    """Also in float32, where 0.7 is a little less than 0.7."""
    assert [e.weight for e in AttentionGraph(WEIGHTS, TENNIS, at_least=0.7).edges()] == [
        *(pytest.approx(weight) for weight in (0.7, 0.8, 0.75))
    ]
    for count in (3, 6, 7):  # a third, in six decimals, is less than a third
        even = torch.full((count, count), 1 / count)
        assert len(AttentionGraph(even, "abcdefg"[:count], at_least=1 / count).edges()) == count**2


def test_noise_decides_no_order() -> None:
    weights = torch.tensor([[0.25, 0.25 + 4e-7, 0.25, 0.25]], dtype=torch.float64)
    graph = AttentionGraph(weights, "abcd")
    assert [e.key for e in graph.edges()] == [0, 1, 2, 3]
    said = [(path[0].text or "")[:5] for path in drawn(graph).iter(f"{SVG}path")]
    assert said == ["d ← a", "d ← b", "d ← c", "d ← d"]


def test_of_equals_the_first_is_kept() -> None:
    graph = AttentionGraph(torch.full((3, 3), 1 / 3), "abc", strongest=2)
    assert [e.key for e in graph.edges()] == [0, 1] * 3


def test_nothing_left_out_is_not_mentioned() -> None:
    graph = AttentionGraph(WEIGHTS, TENNIS, strongest=4, at_least=0.04 - 1e-6)
    assert graph.left_out() == ""
    assert "Left out" not in str(graph) + graph.markup()


def test_fewer_queries_are_the_last_tokens() -> None:
    graph = AttentionGraph(some(2, 4), TENNIS)
    assert set(graph.to_networkx().edges) == {(j, i) for j in range(4) for i in (2, 3)}
    assert [line.split(" ←")[0] for line in graph.lines()] == ["tennis", "."]


def test_queries_of_another_sequence_are_nodes_of_their_own() -> None:
    graph = AttentionGraph(some(2, 3), ["I", "love", "it"], queries=["I", "aime"])
    nodes = graph.to_networkx().nodes
    assert [nodes[n]["token"] for n in nodes] == ["I", "love", "it", "I", "aime"]
    assert [nodes[n]["bipartite"] for n in nodes] == [0, 0, 0, 1, 1]
    assert set(graph.to_networkx().edges) == {(j, i) for j in range(3) for i in (3, 4)}
    assert str(graph).startswith("AttentionGraph: 5 tokens, 6 arrows\nI ←")


def test_keys_stand_above_the_queries_of_another_sequence() -> None:
    svg = drawn(AttentionGraph(some(2, 3), ["I", "love", "it"], queries=["je", "aime"]))
    places = {text.text: float(text.attrib["y"]) for text in svg.iter(f"{SVG}text")}
    assert max(places[key] for key in ("I", "love", "it")) < min(places["je"], places["aime"])
    assert len({path[0].text for path in svg.iter(f"{SVG}path")}) == 6


def test_heads() -> None:
    weights = some(3, 4, 4)
    graph = AttentionGraph(weights, TENNIS)
    for head in range(3):
        edge = graph.to_networkx(head).edges[1, 2]
        assert edge["weight"] == pytest.approx(weights[head, 2, 1].item())
    assert [text for text in texts(graph) if "head" in text] == ["head 0", "head 1", "head 2"]
    assert str(graph).count("AttentionGraph: head") == 3
    for head in (None, 3, -1):
        with pytest.raises(ValueError, match=f"^head is {head}: expected 0 to 2$"):
            graph.to_networkx(head)
    for told in (graph.edges, graph.left_out, graph.lines):
        with pytest.raises(ValueError, match="^head is -1: expected 0 to 2$"):
            told(-1)
    with pytest.raises(ValueError, match="^head is None: expected 0 to 1$"):
        AttentionGraph(weights[:2], TENNIS).to_networkx()
    with pytest.raises(ValueError, match="^head is 1: expected 0$"):
        AttentionGraph(WEIGHTS, TENNIS).to_networkx(1)


@pytest.mark.untyped  # the types would refuse it first
def test_a_head_is_a_whole_number() -> None:
    graph = AttentionGraph(some(3, 4, 4), TENNIS)
    for head, kind in ((0.0, "float"), (True, "bool"), (torch.tensor(0), "Tensor")):
        with pytest.raises(TypeError, match=f"^head is a {kind}: expected an int$"):
            graph.edges(head)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8, 12])
def test_the_drawing_is_whole(count: int) -> None:
    tokens = [f"token{i}" for i in range(count)]
    weights = some(count, count)
    svg = drawn(AttentionGraph(weights, tokens))
    shown = [text.text for text in svg.iter(f"{SVG}text")]
    assert shown == tokens
    titles = {path[0].text for path in svg.iter(f"{SVG}path")}
    assert titles == {
        f"{tokens[i]} ← {tokens[j]} {weights[i, j]:.2f}" for i in range(count) for j in range(count)
    }
    assert svg.get("role") == "img"
    assert svg[0].tag == f"{SVG}title"
    assert all(token in (svg[0].text or "") for token in tokens)
    assert svg[1].tag == f"{SVG}desc"
    assert not any(element.get("id") for element in svg.iter())


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8, 12])
@pytest.mark.parametrize("cross", [False, True])
def test_nothing_is_drawn_outside(count: int, cross: bool) -> None:
    tokens = ["hesitating"] * count
    svg = drawn(AttentionGraph(some(count, count), tokens, tokens if cross else None))
    width, height = (float(number) for number in svg.attrib["viewBox"].split()[2:])
    group = next(g for g in svg.iter(f"{SVG}g") if g.get("transform"))
    x, y = map(float, re.findall(r"-?[\d.]+", group.attrib["transform"]))
    for path in svg.iter(f"{SVG}path"):
        for px, py in re.findall(r"(-?\d+\.\d+) (-?\d+\.\d+)(?=[LAZ])", path.attrib["d"]):
            assert 0 < float(px) + x < width
            assert 0 < float(py) + y < height
    pills = [
        [float(rect.attrib[name]) for name in ("x", "y", "width", "height")]
        for rect in group.iter(f"{SVG}rect")
    ]
    for i, (left, top, wide, high) in enumerate(pills):
        for other, above, across, down in pills[:i]:  # no pill on another
            apart = left >= other + across or other >= left + wide
            assert apart or top >= above + down or above >= top + high


def test_wider_and_darker_where_the_weight_is_larger() -> None:
    svg = drawn(AttentionGraph(torch.tensor([[0.9, 0.1], [0.4, 0.6]]), ["a", "b"]))
    opacity = {path[0].text: float(path.attrib["fill-opacity"]) for path in svg.iter(f"{SVG}path")}
    assert sorted(opacity, key=lambda name: opacity[name]) == [
        *("a ← b 0.10", "b ← a 0.40", "b ← b 0.60", "a ← a 0.90")
    ]
    radii = {
        path[0].text: [float(r) for r in re.findall(r"A(\S+)", path.attrib["d"])]
        for path in svg.iter(f"{SVG}path")
    }
    width = {name: outer - inner for name, (outer, inner) in radii.items()}
    assert width["a ← a 0.90"] == pytest.approx(9 * width["a ← b 0.10"], abs=0.2)


@pytest.mark.slow
@pytest.mark.untyped  # another process runs without beartype
def test_another_process_writes_the_same_bytes_and_needs_no_networkx(tmp_path) -> None:
    script = (
        "import sys, torch, attention; weights = torch.full((3, 3), 1 / 3);"
        "attention.AttentionGraph(weights, list('aab')).save('graph.svg');"
        "print('networkx' in sys.modules)"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", script], check=True, cwd=tmp_path, env=env, capture_output=True
    )
    assert ran.stdout.split() == [b"False"]
    here = AttentionGraph(torch.full((3, 3), 1 / 3), "aab").markup()
    assert (tmp_path / "graph.svg").read_bytes() == here.encode()


def test_numbers_have_two_decimals_and_zero_no_sign() -> None:
    for count in range(1, 9):
        tags = re.findall(
            r"<[^>]*>", AttentionGraph(some(count, count), "abcdefgh"[:count]).markup()
        )
        assert not [tag for tag in tags if re.search(r"\.\d{3,}|-0\.00\b", tag)]


def test_a_notebook_shows_the_drawing() -> None:
    graph = AttentionGraph(WEIGHTS, TENNIS)
    assert graph._repr_svg_() == graph.markup()
    assert graph.markup().startswith("<svg ")


def test_networkx_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Absent(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name == "networkx":
                raise ModuleNotFoundError("No module named 'networkx'")

    for name in [name for name in sys.modules if name.partition(".")[0] == "networkx"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    graph = AttentionGraph(WEIGHTS, TENNIS)
    assert graph.markup()
    message = "^networkx is not installed: pip install networkx$"
    with pytest.raises(ModuleNotFoundError, match=message):
        graph.to_networkx()

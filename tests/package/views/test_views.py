"""What graph and table have in common: the input they refuse, and how they name tokens."""

import re
import xml.etree.ElementTree as etree

import pytest
import torch

from attention import AttentionGraph, AttentionTable

VIEWS = pytest.mark.parametrize("view", [AttentionGraph, AttentionTable])
EYE = torch.eye(3)
FLOATS = "expected float64, float32, float16 or bfloat16"


def weights(**rows: list[float]) -> torch.Tensor:
    changed = EYE.clone()
    for name, row in rows.items():
        changed[int(name[1:])] = torch.tensor(row)
    return changed


CASES = {
    "a list": ([[1.0]], {}, TypeError, "weights is a list: expected a torch.Tensor"),
    "few that are not 0": (
        EYE.to_sparse(),
        {},
        TypeError,
        "weights has layout torch.sparse_coo: expected torch.strided",
    ),
    "integers": (EYE.long(), {}, TypeError, f"weights has dtype torch.int64: {FLOATS}"),
    "a vector": (
        torch.ones(3),
        {},
        ValueError,
        "weights has 1 axis: expected (T, S) or (heads, T, S), got (3,)",
    ),
    "a batch of heads": (
        torch.ones(1, 2, 3, 3),
        {},
        ValueError,
        "weights has 4 axes: expected (T, S) or (heads, T, S), got (1, 2, 3, 3); "
        "of a batch, one sequence",
    ),
    "nothing": (
        torch.ones(0, 3),
        {},
        ValueError,
        "weights is empty: expected at least one query and one key, got (0, 3)",
    ),
    "no values": (
        torch.ones(3, 3, device="meta"),
        {},
        ValueError,
        "weights is on meta: expected a device that holds values",
    ),
    "NaN": (
        weights(_1=[0.5, torch.nan, 0.5]),
        {},
        ValueError,
        "weights has NaN or infinity in row 1: expected finite weights",
    ),
    "NaN in a head": (
        torch.stack([EYE, weights(_1=[torch.nan, 0.5, 0.5])]),
        {},
        ValueError,
        "weights has NaN or infinity in row 1 of head 1: expected finite weights",
    ),
    "infinity": (
        weights(_2=[torch.inf, 0.0, 0.0]),
        {},
        ValueError,
        "weights has NaN or infinity in row 2: expected finite weights",
    ),
    "scores": (
        weights(_0=[1.5, -0.5, 0.0]),
        {},
        ValueError,
        "weights has -0.5 in row 0: expected 0 or more",
    ),
    "a softmax over the queries": (
        torch.stack([EYE, weights(_2=[0.4, 0.4, 0.4])]),
        {},
        ValueError,
        "weights sums to 1.2000 in row 2 of head 1: expected 1, or 0 for a query that may attend "
        "to nothing",
    ),
    "half of a row": (
        weights(_1=[0.5, 0.0, 0.0]),
        {},
        ValueError,
        "weights sums to 0.5000 in row 1: expected 1, or 0 for a query that may attend to nothing",
    ),
    "a token too few": (
        EYE,
        {"tokens": ["a", "b"]},
        ValueError,
        "tokens has length 2 but weights has 3 keys: expected a token for each key",
    ),
    "a token too many": (
        torch.ones(1, 1),
        {},
        ValueError,
        "tokens has length 3 but weights has 1 key: expected a token for each key",
    ),
    "a query too few": (
        EYE,
        {"queries": ["a"]},
        ValueError,
        "queries has length 1 but weights has 3 queries: expected a token for each query",
    ),
    "ids for tokens": (
        EYE,
        {"tokens": [0, 5, 3]},
        TypeError,
        "tokens has an int: expected strings",
    ),
    "more queries than keys": (
        torch.ones(3, 1),
        {"tokens": ["a"]},
        ValueError,
        "weights has 3 queries but 1 key: expected the queries' own tokens, as queries=",
    ),
}


@VIEWS
@pytest.mark.untyped
@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(view, name: str) -> None:
    given, change, error, message = CASES[name]
    with pytest.raises(error) as raised:
        view(given, **{"tokens": ["a", "b", "c"], **change})
    assert str(raised.value) == message


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("view", "option", "message"),
    [
        (AttentionGraph, {"at_least": 1.5}, "at_least is 1.5: expected a weight from 0 to 1"),
        (AttentionGraph, {"at_least": torch.nan}, "at_least is nan: expected a weight from 0 to 1"),
        (
            AttentionGraph,
            {"strongest": 0},
            "strongest is 0: expected a count of at least 1",
        ),
        (AttentionTable, {"digits": 0}, "digits is 0: expected 1 to 6"),
        (AttentionTable, {"digits": 7}, "digits is 7: expected 1 to 6"),
        (AttentionTable, {"full": 0.0}, "full is 0.0: expected a weight above 0, and at most 1"),
        (AttentionTable, {"full": 1.5}, "full is 1.5: expected a weight above 0, and at most 1"),
    ],
)
def test_options_are_checked(view, option: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        view(EYE, ["a", "b", "c"], **option)


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("view", "change", "message"),
    [
        (AttentionTable, {"tokens": 3}, "tokens is an int: expected a list of strings"),
        (AttentionGraph, {"queries": EYE}, "queries is a Tensor: expected a list of strings"),
        (AttentionGraph, {"at_least": "1"}, "at_least is a str: expected a number"),
        (AttentionTable, {"digits": 2.5}, "digits is a float: expected an int"),
        (AttentionTable, {"full": None}, "full is None: expected a number"),
    ],
)
def test_options_of_another_kind_are_refused(view, change: dict, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        view(EYE, **{"tokens": ["a", "b", "c"], **change})


@VIEWS
def test_a_file_has_the_suffix_of_its_view(view, tmp_path) -> None:
    shown = view(EYE, ["a", "b", "c"])
    with pytest.raises(
        ValueError, match=f"^name is a.png: expected one that ends in {view.suffix}$"
    ):
        shown.save(tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
    shown.save(str(tmp_path / f"a{view.suffix}"))
    assert (tmp_path / f"a{view.suffix}").read_text("utf-8") == shown.markup()


@VIEWS
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_dtype_with_a_gradient(view, dtype: torch.dtype) -> None:
    scores = torch.randn(2, 9, 9, generator=torch.Generator().manual_seed(0)).to(dtype)
    weights = scores.requires_grad_().softmax(-1)
    assert view(weights, [str(i) for i in range(9)]).markup()


@VIEWS
def test_tokens_are_text_and_never_markup(view) -> None:
    nasty = ["<b>", "&amp;", '"', "</svg>", "\x00\n"]
    shown = view(torch.full((5, 5), 0.2), nasty)
    root = etree.fromstring(f"<main>{shown.markup()}</main>")
    said = [text for element in root.iter() for text in (element.text, element.tail) if text]
    for token in [*nasty[:4], r"\x00\n"]:
        assert token in said, token
    assert not [element for element in root.iter() if element.tag == "b"]


@VIEWS
def test_tokens_that_repeat_are_kept_apart(view) -> None:
    tokens = ["is", "this", "is", *"abcdefgh", "is"]
    shown = view(torch.eye(12), tokens)
    assert shown.tokens == ["is₀", "this", "is₂", *"abcdefgh", "is₁₁"]
    assert all(token in str(shown) and token in shown.markup() for token in shown.tokens)


@VIEWS
def test_a_token_with_its_position_is_not_taken_for_another(view) -> None:
    for tokens in (["a", "a", "a₀"], ["a", "a₁", "a"], ["a₀", "a", "a", "a₀₀"]):
        assert len({*view(torch.eye(len(tokens)), tokens).tokens}) == len(tokens)


@VIEWS
def test_spaces_are_seen(view) -> None:
    shown = view(torch.eye(6), [" the", "a b ", " ", "", "\t", " X"])
    assert shown.tokens == ["␣the", "a b␣", "␣", "∅", r"\t", "␣X"]
    assert len(str(shown).splitlines()) == 7

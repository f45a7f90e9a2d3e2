"""What of `benchmarks/gpu.py` needs no GPU: shapes, counts, rounds, the check, and a dry run."""

import json
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import gpu
import gpu_check
import gpu_clock
import gpu_rounds
import gpu_table
import gpu_ways
import pytest
import timing
import torch
from gpu_shapes import DRY, PARTS, Shape

from attention import dot_product_attention

SCRIPT = Path(gpu.__file__)


def test_the_shapes_are_those_of_the_published_tables() -> None:
    tables = {part: shapes() for part, shapes in PARTS.items()}
    assert {part: len(shapes) for part, shapes in tables.items()} == {
        "forward": 24, "backward": 24, "grouped": 10, "decode": 24, "sparing": 9,
    }  # fmt: skip
    for shape in tables["forward"] + tables["backward"]:
        assert shape.batch * shape.queries == 2**14
        assert shape.heads * shape.width == 2048
        assert shape.queries == shape.keys
    assert {shape.keys for shape in tables["decode"]} == {2**n for n in range(10, 18)}
    assert not any(shape.causal for shape in tables["decode"])
    assert all(shape.heads == 8 * shape.kv_heads for shape in tables["grouped"] + tables["decode"])
    assert {part for part, shapes in tables.items() for x in shapes if not x.square} == {"sparing"}
    assert not any(shape.square for shape in tables["sparing"])
    every = sum(tables.values(), [])
    assert len({shape.name for shape in every}) == len(every)


def test_work_is_counted_as_published() -> None:
    full = Shape(1, 16, 16, 16384, 16384, 128)
    assert full.flops == 4 * 16384**2 * 128 * 16
    assert Shape(1, 16, 16, 16384, 16384, 128, causal=True).flops == full.flops / 2
    assert Shape(1, 16, 16, 16384, 16384, 128, backward=True).flops == full.flops * 2.5


@pytest.mark.parametrize("shape", [x for part in ("sparing", "grouped") for x in DRY[part]()])
def test_what_a_mask_leaves_is_counted(shape: Shape) -> None:
    kept = gpu_ways.mask(shape).to_tensor(shape.queries, shape.keys).sum().item()
    counted = shape.queries**2 / 2 if shape.square else kept
    assert shape.flops == 4 * shape.batch * shape.heads * counted * shape.width
    assert counted <= kept


@pytest.mark.parametrize("shape", DRY["sparing"]())
def test_torchs_kernels_under_a_tensor_answer_the_same_question(
    shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_ways, "sdpa_kernel", lambda kernel: nullcontext())
    inputs = gpu_ways.inputs(shape, "cpu", torch.float32)
    expected = gpu_ways.ours("eager", shape)(*inputs)
    found = gpu_ways.beside(shape, "cpu", torch.float32)
    assert len(found) == (3 if shape.window else 2)
    for name, make in found.items():
        if name != "flash 2, window":  # which has no kernel for a CPU
            torch.testing.assert_close(make()(*inputs), expected)


@pytest.mark.parametrize("backward", [False, True])
def test_a_window_of_flash_attention_is_asked_for_as_torch_takes_it(backward: bool) -> None:
    shape = Shape(1, 2, 2, 48, 48, 64, True, backward, window=9)
    inputs = gpu_ways.inputs(shape, "meta")
    context = gpu_ways.window(shape)(*inputs)
    assert context.shape == inputs[0].shape
    if backward:
        grads = torch.autograd.grad(context, inputs, torch.empty_like(context))
        assert [x.shape for x in grads] == [x.shape for x in inputs]


def test_a_window_of_flash_attention_counts_the_keys_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In its place the formula, with the window as flash-attn's documentation words it."""
    shape = DRY["sparing"]()[0]

    def flash(query, key, value, *rest, window_size_left, window_size_right):
        assert rest == (None, None, shape.queries, shape.keys, 0.0, False, False)
        i, j = torch.arange(shape.queries)[:, None], torch.arange(shape.keys)
        seen = (j >= i - window_size_left) & (j <= i + window_size_right)
        rows = (x.transpose(1, 2) for x in (query, key, value))
        return (dot_product_attention(*rows, seen).transpose(1, 2),)

    inputs = gpu_ways.inputs(shape, "cpu", torch.float32)
    expected = gpu_ways.ours("eager", shape)(*inputs)
    monkeypatch.setattr(torch.ops.aten, "_flash_attention_forward", flash)
    torch.testing.assert_close(gpu_ways.window(shape)(*inputs), expected)


def test_traffic_is_inputs_and_contexts() -> None:
    shape = Shape(2, 8, 2, 3, 5, 64)
    inputs = gpu_ways.inputs(shape, "cpu")
    context = gpu_ways.ways(shape, "cpu")["eager"]()(*inputs)
    forth = sum(x.nbytes for x in (*inputs, context))
    assert shape.traffic == forth
    assert replace(shape, backward=True).traffic == 2 * forth


def test_rounds_are_merged() -> None:
    shape = Shape(1, 1, 1, 1000, 1000, 100)
    rounds = [{"a": 1.0, "b": 4.0}, {"a": 2.0, "b": 6.0}, {"a": 4.0, "b": 8.0}]
    found = gpu_rounds.merge(shape, rounds, "a")
    assert found["a"]["ratio"] == 1
    assert found["b"] == {
        "ms": 6.0, "range": [4.0, 8.0], "tflops": 0.0667, "gbs": 0.133, "ratio": 3.0,
    }  # fmt: skip


def test_a_way_that_fails_once_has_no_time() -> None:
    rounds = [{"a": 1.0, "b": 4.0}, {"a": "no", "b": 6.0}]
    found = gpu_rounds.merge(Shape(1, 1, 1, 1, 1, 64), rounds, "a")
    assert found["a"] == {"missing": "no"}
    assert found["b"]["ms"] == 5
    assert "ratio" not in found["b"]


def test_a_way_that_cannot_leaves_the_others() -> None:
    def refuses(*_: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no kernel\nbut much to say")

    def unmade() -> gpu_ways.Way:
        raise MemoryError("no room for a mask")

    every = {"good": lambda: lambda q, k, v: v, "bad": lambda: refuses, "large": unmade}
    found = gpu_rounds.turn(Shape(1, 1, 1, 2, 2, 64), every, "cpu", 0)
    assert found["bad"] == "RuntimeError: no kernel"
    assert found["large"] == "MemoryError: no room for a mask"
    assert found["good"] > 0


@pytest.mark.parametrize("backward", [False, True])
def test_a_way_that_agrees_with_no_other_has_no_time(backward: bool) -> None:
    shape = Shape(1, 2, 2, 16, 16, 64, backward=backward)

    def times(factor: float) -> gpu_ways.Make:
        right = gpu_ways.ours("eager", shape)
        return lambda: lambda *inputs: right(*inputs) * factor

    def without(**factors: float) -> dict[str, str]:
        every = {name: times(factor) for name, factor in factors.items()}
        found = gpu_rounds.turn(shape, every, "cpu", 0)
        return {name: said for name, said in found.items() if isinstance(said, str)}

    # Far by a figure that rounding to bfloat16, a thousandth, cannot change.
    far, lost = (f"agrees with no other way: {share} of its size apart" for share in (0.98, "nan"))
    assert without(ours=1.0, near=1.01, far=2.0) == {"far": far}
    assert without(near=1.0, nearer=1.01, ours=2.0) == {"ours": far}  # whoever's it is
    assert without(ours=1.0, near=1.01, none=torch.nan) == {"none": lost}
    assert {*without(ours=1.0, near=1.01, far=1.06)} == {"far"}
    assert {*without(ours=1.0, far=1.06)} == {"ours", "far"}  # nobody knows which
    assert without(alone=1.06) == {}


def test_heads_of_a_token_lie_side_by_side_but_in_decoding() -> None:
    for queries, step in ((3, 2 * 64), (1, 64)):
        query, key, _ = gpu_ways.inputs(Shape(1, 2, 2, queries, 5, 64), "cpu")
        assert query.shape == (1, 2, queries, 64)
        assert key.stride(2) == step


def test_an_error_without_words_is_a_reason_too() -> None:
    assert gpu_rounds.reason(AssertionError()) == "AssertionError"
    assert gpu_rounds.reason(ValueError("one\ntwo")) == "ValueError: one"


def test_what_does_not_fit_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = Shape(64, 64, 8, 1, 2**17, 128)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (2**30, 2**34))
    found = gpu_rounds.turn(shape, {"a": lambda: None}, "cuda", 0)
    assert found == {"a": "needs about 52.0 GiB, 1.0 are free"}


def test_the_check_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gpu_check.results
    monkeypatch.setattr(gpu_check, "SIZES", gpu_check.SIZES[1:2])
    assert gpu_check.check("eager", "cpu", 64) == []
    for broken in (lambda x: x * 1.05, lambda x: x * torch.nan):
        monkeypatch.setattr(gpu_check, "results", lambda *a, f=broken: [f(x) for x in right(*a)])
        found = gpu_check.check("eager", "cpu", 64)
        assert len(found) > 32  # 16 cases, the context and three gradients in each
        assert all(any(how in line for line in found) for how in ("turned=False", "turned=True"))
        assert "expected an error of at most" in found[0]


def test_each_round_is_kept_beside_the_script(tmp_path: Path) -> None:
    shapes = [Shape(1, 1, 1, 4, 4, 64)]
    for cells in gpu_table.table(shapes, "cpu", "eager", 2, 0):
        timing.keep(str(tmp_path / "gpu.py"), "part", cells, gpu={"name": "none"})
    kept = json.loads((tmp_path / "gpu.json").read_text("utf-8"))["part"]
    assert kept["gpu"] == {"name": "none"}
    assert kept["torch"] == torch.__version__.split("+")[0]
    assert kept["cells"]["rounds"] == 2
    assert len(kept["cells"]["ceilings"]) == 2
    assert set(kept["cells"]["shapes"][shapes[0].name]) == {"eager", "fused"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no CUDA device: expected an NVIDIA GPU and a torch built for CUDA, or --dry\n"),
        (["--wet"], "gpu.py: error: unrecognized arguments: --wet\n"),
        (["--dry", "--rounds", "0"], "argument --rounds: invalid choice: 0 "),
    ],
)
def test_what_cannot_run_says_so(arguments: list[str], message: str) -> None:
    command = [sys.executable, str(SCRIPT), *arguments]
    ran = subprocess.run(
        command, capture_output=True, text=True, env={"CUDA_VISIBLE_DEVICES": ""}, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr


def test_what_does_not_run_is_a_line_of_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> list[torch.Tensor]:
        raise RuntimeError("out of registers")

    monkeypatch.setattr(gpu_check, "SIZES", gpu_check.SIZES[:1])
    monkeypatch.setattr(gpu_check, "results", refuses)
    found = gpu_check.check("eager", "cpu", 64)
    assert len(found) == 16
    assert all(line.endswith(": RuntimeError: out of registers") for line in found)


def test_heads_of_a_wrong_width_are_not_timed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu, "check", lambda _, __, width: ["wrong"] if width == 64 else [])
    assert gpu.main(["--dry", "--part", "sparing", "--part", "decode"]) == 1
    out, progress = capfd.readouterr()
    tables = json.loads(out)
    assert tables["sparing"] == []  # all of width 64
    assert len(tables["decode"][-1]["shapes"]) == 1
    assert "wrong\n" in progress


def test_a_dry_run_goes_through_every_part(capfd: pytest.CaptureFixture[str]) -> None:
    before = SCRIPT.with_suffix(".json").exists()
    assert gpu.main(["--dry"]) == 0
    out, progress = capfd.readouterr()
    found = json.loads(out)
    assert {part: len(table[-1]["shapes"]) for part, table in found.items()} == {
        "forward": 2, "backward": 2, "grouped": 1, "decode": 1, "sparing": 2,
    }  # fmt: skip
    times = [
        way for t in found.values() for cell in t[-1]["shapes"].values() for way in cell.items()
    ]
    assert {name for name, _ in times} == {"eager", "fused"}
    assert all(way["ms"] > 0 for _, way in times)
    for width in gpu_check.WIDTHS:
        assert f"eager is right at small and ragged shapes of width {width}\n" in progress
    assert "round 1 of 1" in progress
    assert SCRIPT.with_suffix(".json").exists() == before


def test_how_the_cache_is_left_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def take(prepare, device, written=False):
        asked.append(written)
        return 1.0

    monkeypatch.setattr(gpu_rounds, "take", take)
    list(gpu_table.table(DRY["decode"](), "cpu", "eager", 1, 0, written=True))
    assert set(asked) == {True}


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ([], "decode"),
        (["--written"], "decode, written"),
        (["--only", "flex"], "decode, flex"),
    ],
)
def test_what_is_measured_otherwise_is_a_part_of_its_own(
    more: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(gpu, "check", lambda *given: [])
    monkeypatch.setattr(gpu, "machine", dict)
    monkeypatch.setattr(gpu, "ways", lambda *given: dict.fromkeys(("triton", "flex", "cudnn")))

    def table(shapes, device, ours, rounds, pause, every, written):
        seen.append(([*every(shapes[0], device)], written))
        return [{}]

    monkeypatch.setattr(gpu, "table", table)
    monkeypatch.setattr(gpu, "keep", lambda script, part, cells, **given: seen.append(part))
    assert gpu.main(["--part", "decode", *more]) == 0
    ways = ["triton", "flex"] if "--only" in more else ["triton", "flex", "cudnn"]
    assert seen == [(ways, "--written" in more), name]


@pytest.mark.parametrize("written", [False, True])
def test_the_cache_is_emptied_before_each_call(
    written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = []

    class Buffer:
        def sum(self):
            log.append("read")

        def zero_(self):
            log.append("written")

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            log.append("event")

        def elapsed_time(self, end):
            return 1.0

    monkeypatch.setattr(torch, "zeros", lambda size, device: Buffer())
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    assert gpu_clock.take(lambda: lambda: log.append("call"), "cuda", written) == 1.0
    each = ["written" if written else "read", "event", "call", "event"]
    assert log == ["call"] * gpu_clock.WARM + each * gpu_clock.SAMPLES

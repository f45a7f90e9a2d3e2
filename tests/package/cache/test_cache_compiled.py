"""A step of decoding, compiled and exported once for every length."""

import pytest
import torch
from torch import Tensor

from attention import ALiBi, Causal, KVCache, MultiHeadAttention, RollingKVCache, Rotary
from attention.cache import Cache

from .chunks import in_chunks, masked, module


def decoding(kind: str, device: str):
    fixed = kind == "fixed"
    positions = Rotary() if fixed else ALiBi()
    attend = module(dtype=torch.float32, positions=positions, qk_norm=fixed).to(device)
    x = torch.randn(2, 24, 10, device=device)
    cache = KVCache(24, fixed=True) if fixed else RollingKVCache(5)
    return attend, x, cache, 5 if kind == "rolling" else None


@pytest.mark.slow
@pytest.mark.untyped
def test_a_cache_that_grows_compiles_a_few_times(device: str) -> None:
    """Where it first doubles; after that a longer one is no news."""
    from torch._dynamo.testing import CompileCounterWithBackend

    torch.compiler.reset()
    counter = CompileCounterWithBackend("eager")
    attend = module(dtype=torch.float32, positions=Rotary()).to(device)
    x, cache = torch.randn(2, 40, 10, device=device), KVCache()

    @torch.compile(fullgraph=True, backend=counter)
    def step(token: Tensor) -> Tensor:
        return attend(token, mask=Causal(), cache=cache)

    outs = [step(x[:, i : i + 1]) for i in range(40)]
    torch.testing.assert_close(torch.cat(outs, dim=1), attend(x, mask=Causal()))
    assert counter.frame_count <= 4

    @torch.compile(fullgraph=True, backend="eager")
    def choose(index: Tensor) -> None:
        cache.reorder(index)

    held = cache.key.clone()
    choose(torch.tensor([1, 1], device=device))
    assert torch.equal(cache.key, held[[1, 1]])


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("kind", ["fixed", "rolling"])
def test_a_decode_step_compiles_once_for_every_length(kind: str, device: str) -> None:
    """One graph for the first number of positions, one for any number: then none, to the end."""
    from torch._dynamo.testing import CompileCounterWithBackend  # takes two seconds

    torch.compiler.reset()
    counter = CompileCounterWithBackend("aot_eager")
    attend, x, cache, window = decoding(kind, device)

    @torch.compile(fullgraph=True, backend=counter)
    def step(token: Tensor, cache: Cache, lengths: Tensor) -> Tensor:
        return attend(token, mask=masked(window, lengths), cache=cache)

    lengths = torch.tensor([24, 22], device=device)
    outs = [attend(x[:, :3], mask=masked(window, lengths - 21), cache=cache)]
    for end in range(4, 25):
        with torch._dynamo.config.patch(error_on_recompile=end > 5):
            outs.append(step(x[:, end - 1 : end], cache, lengths - (24 - end)))
    assert counter.frame_count == 2
    want = attend(x, mask=masked(window, lengths))
    torch.testing.assert_close(torch.cat(outs, dim=1), want)


class Step(torch.nn.Module):
    """What a server exports: keys and values in, one more of each out."""

    def __init__(self, attend: MultiHeadAttention) -> None:
        super().__init__()
        self.attend = attend

    def forward(self, x: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        cache = KVCache(24, fixed=True)
        cache.update(key, value)
        out = self.attend(x, mask=Causal(), cache=cache)
        return out, cache.key, cache.value


class Holding(torch.nn.Module):
    """A cache that is held: its length would be a constant, and the export itself would write."""

    def __init__(self, attend: MultiHeadAttention, cache: Cache) -> None:
        super().__init__()
        self.attend, self.cache = attend, cache

    def forward(self, x: Tensor) -> Tensor:
        return self.attend(x, mask=Causal(), cache=self.cache)


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_a_cache_from_outside_is_not_exported(strict: bool, begun: bool, device: str) -> None:
    attend, x, _, _ = decoding("fixed", device)
    step = Holding(attend, KVCache(capacity=24, fixed=True))
    if begun:
        step(x[:, :5])
    error = torch._dynamo.exc.Unsupported if strict else ValueError
    said = "ValueError" if strict else "cache was made outside of what is exported"
    with pytest.raises(error, match=said):
        torch.export.export(step, (x[:, 5:6],), strict=strict)
    assert step.cache.length == (5 if begun else 0)
    if not begun:
        step(x[:, :5])
    torch.testing.assert_close(step(x[:, 5:6]), attend(x[:, :6], mask=Causal())[:, 5:])


class Roll(torch.nn.Module):
    def __init__(self, attend: MultiHeadAttention) -> None:
        super().__init__()
        self.attend = attend

    def forward(self, x: Tensor) -> Tensor:
        return in_chunks(self.attend, x, (3, 1, 1, 2), RollingKVCache(3), window=3)


@pytest.mark.slow
@pytest.mark.untyped
def test_a_decode_step_exports_for_any_length(device: str) -> None:
    attend, x, _, _ = decoding("fixed", device)
    held = torch.export.Dim("held", min=2, max=20)
    key, value = torch.randn(2, 2, 5, 4, device=device), torch.randn(2, 2, 5, 4, device=device)
    shapes = {"x": None, "key": {2: held}, "value": {2: held}}
    step = Step(attend)
    exported = torch.export.export(step, (x[:, :1], key, value), dynamic_shapes=shapes).module()
    for length in (2, 5, 20):
        key, value = torch.randn(2, 2, 2, length, 4, device=device)
        got = exported(x[:, :1], key, value)
        torch.testing.assert_close(got, step(x[:, :1], key, value))
        assert got[1].shape[-2] == length + 1
    exported = torch.export.export(Roll(attend), (x[:, :7],)).module()
    torch.testing.assert_close(exported(x[:, 7:14]), attend(x[:, 7:14], mask=masked(3, None)))

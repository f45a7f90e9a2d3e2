"""The table of docs/reference/backends.md: each cell is what the backend does, or refuses."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch
from interpreter import DEVICE
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.dispatch.call import Call
from attention.dispatch.named import named
from attention.kept import Kept

pytestmark = pytest.mark.untyped

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/backends.md").read_text("utf-8")
KINDS = {"onednn": torch.float32, "triton": torch.float16}


class Even(Mask):
    """A rule that says nothing of itself."""

    def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
        return (query + key) % 2 == 0


def drawn(backend: str, dtype: torch.dtype | None = None) -> Tensor:
    numbers = torch.randn(3, 1, 2, 6, 64, generator=torch.Generator().manual_seed(0))
    on = DEVICE if backend == "triton" else "cpu"
    return numbers.to(on, dtype or KINDS.get(backend, torch.float32))


def computes(backend: str, dtype: torch.dtype | None = None, width: int = 64, **given: Any) -> None:
    """The same as the loops, in double precision; of dropout, another context than without."""
    query, key, value = drawn(backend, dtype)
    value = value[..., :width]
    options = {"mask": Causal(), **given}
    if "bias" in options:
        options["bias"] = options["bias"].to(query.dtype)
    got = dot_product_attention(query, key, value, backend=backend, **options)
    exact = [x.cpu().double() for x in (query, key, value)]
    if "bias" in options:
        options["bias"] = options["bias"].cpu().double()
    dropped = options.pop("dropout_p", 0.0)
    want = dot_product_attention(*exact, backend="loops", **options)
    for one, other in zip(pair(got), pair(want), strict=True):
        assert bool(dropped) != one.cpu().double().allclose(other, atol=2e-2)


def pair(found: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return found if isinstance(found, tuple) else (found,)


def attend(backend: str, inputs: Any) -> Tensor:
    return dot_product_attention(*inputs, Causal(), backend=backend)


def differentiates(backend: str, again: bool = False) -> None:
    x = drawn(backend).requires_grad_()
    out = attend(backend, x.unbind()).float().square().sum()
    [grad] = torch.autograd.grad(out, x, create_graph=again)
    if again:
        [grad] = torch.autograd.grad(grad.float().square().sum(), x)
    if backend != "loops":
        exact = drawn("loops").to(x).detach().cpu().double().requires_grad_()
        want = attend("loops", exact.unbind()).square().sum()
        [want] = torch.autograd.grad(want, exact, create_graph=again)
        if again:
            [want] = torch.autograd.grad(want.square().sum(), exact)
        assert grad.cpu().double().allclose(want, rtol=2e-2, atol=2e-2)


def maps(backend: str) -> None:
    x = drawn(backend)
    got = torch.func.vmap(lambda x: attend(backend, x.unbind()), in_dims=1)(x)
    torch.testing.assert_close(got, attend("loops", x.unbind()))


def compiles(backend: str) -> None:
    """Under a tensor: PyTorch 2.11 traces no rule into `tiled`."""
    compiled = torch.compile(dot_product_attention, backend="eager", fullgraph=True)
    mask = Causal() if backend in ("spans", "onednn", "triton") else torch.eye(6).bool()
    got = compiled(*drawn(backend), mask, backend=backend)
    torch.testing.assert_close(got, dot_product_attention(*drawn(backend), mask, backend="loops"))


def on_cpu(backend: str) -> None:
    with patch("attention.backends.triton.INTERPRETED", False):
        named(backend, Call(*drawn(backend).cpu(), Causal()))


def on_gpu(backend: str) -> None:
    """Tensors that only say where they lie: what would be refused there."""
    with (
        FakeTensorMode(),
        patch("torch.cuda.get_device_capability", lambda device: (9, 0)),
        patch("attention.dispatch.named.traced", lambda: False),
        patch("attention.dispatch.kernels.compilable", lambda: True),
    ):
        dtype = KINDS.get(backend, torch.float32)
        x = torch.empty(1, 2, 6, 64, dtype=dtype, device="cuda")
        named(backend, Call(x, x, x, Causal()))


ASKED: dict[str, Callable[[str], None]] = {
    "on a CPU": on_cpu,
    "on an NVIDIA GPU": on_gpu,
    **{
        str(dtype).removeprefix("torch."): partial(computes, dtype=dtype)
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16)
    },
    "no mask": partial(computes, mask=None),
    "`Causal`": partial(computes, mask=Causal()),
    "`SlidingWindow`": partial(computes, mask=SlidingWindow(3)),
    "`Padding`": partial(computes, mask=Padding(torch.tensor([4]))),
    "`PrefixLM`": partial(computes, mask=PrefixLM(2)),
    "`Documents`": partial(computes, mask=Documents(torch.arange(6)[None] // 3)),
    "a rule without `intervals`": partial(computes, mask=Even()),
    "a tensor of booleans": partial(computes, mask=torch.ones(6, 6).tril().bool()),
    "`bias`": partial(computes, bias=torch.eye(6)),
    "`softcap`": partial(computes, softcap=0.5),
    "`dropout_p`": partial(computes, dropout_p=0.5),
    "`return_weights`": partial(computes, return_weights=True),
    "values of another width": partial(computes, width=32),
    "gradients": differentiates,
    "gradients of gradients": partial(differentiates, again=True),
    "`torch.compile`": compiles,
    "`torch.func`": maps,
}


def cells() -> Iterator[tuple[str, str, str]]:
    table = re.search(r"\n\n(\| a call \| `loops` .*?)\n\n", PAGE, re.DOTALL)
    assert table is not None
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in table[1].splitlines()
    )
    for asked, *words in rows:
        for backend, word in zip(head[1:], words, strict=True):
            yield asked, backend.strip("`"), word


@pytest.mark.parametrize(("asked", "backend", "word"), list(cells()))
def test_each_cell_is_what_the_backend_does(asked: str, backend: str, word: str) -> None:
    if asked == "memory":
        assert word == grows(backend)
        return
    if word == "yes":
        ASKED[asked](backend)
        return
    assert word == "–"
    told = f"backend '{backend}'|cannot be differentiated twice|[Dd]ata-dependent"
    with pytest.raises(Exception, match=told):
        ASKED[asked](backend)


def test_every_question_has_its_row() -> None:
    assert {asked for asked, *_ in cells()} == {*ASKED, "memory"}
    assert {backend for _, backend, _ in cells()} == set(named_on_the_page())


def named_on_the_page() -> list[str]:
    return re.findall(r"^::: attention\.backends\.(\w+)\.\w+$", PAGE, re.MULTILINE) + ["triton"]


class Largest(TorchDispatchMode):
    """The bytes of the largest tensor that an operation makes."""

    most = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for x in out if isinstance(out, tuple) else (out,):
            if isinstance(x, Tensor):
                self.most = max(self.most, x.untyped_storage().nbytes())
        return out


def grows(backend: str, value_width: int = 1, **given: Any) -> str:
    """How the largest tensor grows when the text is twice as long."""
    made = []
    for n in {"loops": (4, 8), "triton": (64, 128)}.get(backend, (1024, 2048)):
        width = 64 if backend == "triton" else 1
        dtype = KINDS.get(backend, torch.float32)
        on = DEVICE if backend == "triton" else "cpu"
        x = torch.ones(1, 1, n, width, dtype=dtype, device=on)
        value = x if value_width == 1 else x.expand(1, 1, n, value_width)
        options = {"mask": Causal(), **given}
        made_anew = patch.object(Kept, "under", lambda self, name, make: make())
        with made_anew, Largest() as largest:
            dot_product_attention(x, x, value, backend=backend, **options)
        made.append(largest.most)
    return "T · S" if made[1] > 3 * made[0] else "T + S"


def test_where_torchs_kernel_makes_all_scores() -> None:
    learns = torch.zeros(1, 1, requires_grad=True)
    more = partial(grows, "fused", mask=None)
    assert more(dropout_p=0.1) == more(bias=learns) == "T · S"
    assert more() == more(bias=learns.detach()) == "T + S"
    assert grows("fused", mask=SlidingWindow(9)) == "T · S"
    assert more(value_width=129) == "T · S"

"""What neither comes from torch's module nor goes to it, and the sentence that it gets."""

import pytest
from torch import nn
from torch.nn.utils import prune
from torch.nn.utils.parametrizations import weight_norm

from attention import MultiHeadAttention

pytestmark = pytest.mark.untyped


def theirs(**options) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(32, 4, **{"batch_first": True, **options})


class Other(nn.MultiheadAttention):
    def forward(self, query, key, value):
        return value


class Own(nn.Linear):
    """Another layer, whose weights alone say too little."""


def ending(module, layer: nn.Linear):
    module.out_proj = layer
    return module


def pruned(module):
    prune.random_unstructured(module, "in_proj_weight", 0.5)
    return module


def wrapped(module):
    module.out_proj = nn.Sequential(module.out_proj)
    return module


def normed(module, name="out_proj"):
    if name == "out_proj":
        weight_norm(module.out_proj)
    else:
        weight_norm(module, name)
    return module


MODULES = {
    "not torch's module": (
        lambda: MultiHeadAttention.from_torch(nn.Linear(32, 32)),
        TypeError,
        "module is a Linear: expected nn.MultiheadAttention",
    ),
    "torch's module by another way": (
        lambda: MultiHeadAttention.from_torch(Other(32, 4, batch_first=True)),
        TypeError,
        "Other has a forward of its own: expected torch's",
    ),
    "tokens first": (
        lambda: MultiHeadAttention.from_torch(theirs(batch_first=False)),
        ValueError,
        "module has batch_first=False: expected batch_first=True, as it is here",
    ),
    "a width of its own for keys": (
        lambda: MultiHeadAttention.from_torch(theirs(kdim=16)),
        ValueError,
        "module has kdim 16 and vdim 32: expected both to be embed_dim, 32",
    ),
    "a key of its own": (
        lambda: MultiHeadAttention.from_torch(theirs(add_bias_kv=True)),
        ValueError,
        "module has add_bias_kv=True: expected False, since it adds a key of its own",
    ),
    "a key of zeros": (
        lambda: MultiHeadAttention.from_torch(theirs(add_zero_attn=True)),
        ValueError,
        "module has add_zero_attn=True: expected False, since it adds a key of its own",
    ),
    "grouped heads to torch": (
        lambda: MultiHeadAttention(32, 4, num_kv_heads=2).to_torch(),
        ValueError,
        "num_kv_heads is 2: nn.MultiheadAttention has no grouped heads, expected num_heads, 4",
    ),
    "wide heads to torch": (
        lambda: MultiHeadAttention(32, 4, head_dim=16).to_torch(),
        ValueError,
        "head_dim is 16: nn.MultiheadAttention expects embed_dim / num_heads, 32 / 4",
    ),
    "a wrapped layer from torch": (
        lambda: MultiHeadAttention.from_torch(wrapped(theirs())),
        TypeError,
        "out_proj is a Sequential: expected nn.Linear itself",
    ),
    "a wrapped layer to torch": (
        lambda: wrapped(MultiHeadAttention(32, 4)).to_torch(),
        TypeError,
        "out_proj is a Sequential: expected nn.Linear itself",
    ),
    "a computed matrix to torch": (
        lambda: normed(MultiHeadAttention(32, 4), "in_proj_weight").to_torch(),
        TypeError,
        "in_proj_weight of the module is parametrized: expected a plain nn.Parameter",
    ),
    "a computed matrix from torch": (
        lambda: MultiHeadAttention.from_torch(normed(theirs(), "in_proj_weight")),
        TypeError,
        "in_proj_weight of the module is parametrized: expected a plain nn.Parameter",
    ),
    "a pruned matrix from torch": (
        lambda: MultiHeadAttention.from_torch(pruned(theirs(bias=False))),
        TypeError,
        "the module differs by in_proj_weight, in_proj_weight_mask, in_proj_weight_orig: "
        "expected in_proj_weight, out_proj.weight",
    ),
    "a layer without a bias, to torch": (
        lambda: ending(MultiHeadAttention(32, 4), nn.Linear(32, 32, bias=False)).to_torch(),
        TypeError,
        "the module differs by out_proj.bias: "
        "expected in_proj_weight, out_proj.weight, in_proj_bias, out_proj.bias",
    ),
    "a layer of another width, to torch": (
        lambda: ending(MultiHeadAttention(32, 4), nn.Linear(32, 16)).to_torch(),
        ValueError,
        "out_proj.weight has shape (16, 32): expected (32, 32)",
    ),
    "a layer of a class of its own, from torch": (
        lambda: MultiHeadAttention.from_torch(ending(theirs(), Own(32, 32))),
        TypeError,
        "out_proj is an Own: expected nn.Linear itself",
    ),
    "a layer that is computed, to torch": (
        lambda: normed(MultiHeadAttention(32, 4)).to_torch(),
        TypeError,
        "out_proj is a ParametrizedLinear: expected nn.Linear itself",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_bad_module_or_call_gets_one_sentence(name: str) -> None:
    make, error, message = MODULES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message

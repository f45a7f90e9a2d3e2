"""What `gpu.py` measures: the shapes, and how much work and memory each is.

Lengths, widths and counting are those of Shah et al., *FlashAttention-3* (2024), section 4.1:
16k tokens in all, 2048 entries a token over all heads, 4 operations for each entry of each score,
half of them under a causal mask, and 2.5 times as many in backward.
"""

from dataclasses import dataclass

TOKENS, ENTRIES, BYTES = 2**14, 2048, 2  # bfloat16 has two bytes


@dataclass(frozen=True)
class Shape:
    """One call; `backward` times the gradients alone."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    width: int
    causal: bool = False
    backward: bool = False

    @property
    def name(self) -> str:
        heads = f"{self.heads}/{self.kv_heads} heads of {self.width}"
        mask = "causal" if self.causal else "full"
        part = "backward" if self.backward else "forward"
        return f"{self.batch} × {self.queries} × {self.keys}, {heads}, {mask}, {part}"

    @property
    def flops(self) -> float:
        """Operations of the products: two of them in forward, five in backward."""
        share = 0.5 if self.causal else 1.0
        products = 5 if self.backward else 2
        scores = self.batch * self.heads * self.queries * self.keys
        return 2 * products * scores * self.width * share

    @property
    def traffic(self) -> int:
        """Bytes that forward has to move: queries, keys and values in, contexts out."""
        rows = 2 * self.heads * self.queries + 2 * self.kv_heads * self.keys
        return self.batch * rows * self.width * BYTES

    @property
    def memory(self) -> int:
        """Bytes that must be free: inputs and context; in backward their gradients as well.

        Half as much again for what a way keeps beside them: a gradient in float32, sums of rows.
        """
        return int(self.traffic * (3 if self.backward else 1.5))


def published(lengths: tuple[int, ...] = (512, 1024, 2048, 4096, 8192, 16384)) -> list[Shape]:
    """The tables of the FlashAttention papers."""
    return [
        Shape(TOKENS // n, ENTRIES // width, ENTRIES // width, n, n, width, causal, backward)
        for width in (64, 128)
        for causal in (False, True)
        for backward in (False, True)
        for n in lengths
    ]


def grouped(lengths: tuple[int, ...] = (2048, 4096, 8192, 16384, 32768)) -> list[Shape]:
    """One long sequence, eight query heads to a key head."""
    return [Shape(1, 64, 8, n, n, 128, causal) for causal in (False, True) for n in lengths]


def decode(keys: tuple[int, ...] = tuple(2**n for n in range(10, 18))) -> list[Shape]:
    """One query a sequence on a cache of 1k to 128k keys: it sees all, so no mask."""
    return [Shape(batch, 64, 8, 1, n, 128) for batch in (1, 16, 64) for n in keys]


NO_YES = (False, True)
PARTS = {"published": published, "grouped": grouped, "decode": decode}

# On a CPU, to see that everything runs: one of each kind.
DRY = {
    "published": lambda: [Shape(2, 2, 2, 32, 32, 64, c, b) for c in NO_YES for b in NO_YES],
    "grouped": lambda: [Shape(1, 8, 1, 48, 48, 128, causal=True)],
    "decode": lambda: [Shape(2, 8, 1, 1, 64, 128)],
}

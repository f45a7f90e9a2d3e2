"""What `gpu.py` measures: the shapes, and how much work and memory each is.

Lengths, widths and counting are those of Shah et al., *FlashAttention-3* (2024), section 4.1:
16k tokens in all, 2048 entries a token over all heads, 4 operations for each entry of each score,
half of them under a square causal mask, and 2.5 times as many in backward.
"""

from dataclasses import dataclass

TOKENS, ENTRIES, BYTES = 2**14, 2048, 2  # bfloat16 has two bytes
NO_YES = (False, True)


@dataclass(frozen=True)
class Shape:
    """One call; `backward` times the gradients alone."""

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    width: int
    causal: bool = False  # the last query at the last key
    backward: bool = False
    window: int | None = None  # of a causal mask: so many keys a query, at most

    @property
    def name(self) -> str:
        heads = f"{self.heads}/{self.kv_heads} heads of {self.width}"
        mask = "causal" if self.causal else "full"
        mask = f"window of {self.window}" if self.window else mask
        part = "backward" if self.backward else "forward"
        return f"{self.batch} × {self.queries} × {self.keys}, {heads}, {mask}, {part}"

    @property
    def square(self) -> bool:
        """Whether torch's kernels know the mask: it is none, or their own causal one."""
        return not self.causal or (self.queries == self.keys and not self.window)

    @property
    def heard(self) -> float:
        """Scores of a head that count: of a square causal mask half, as published."""
        if self.square:
            return self.queries * self.keys * (0.5 if self.causal else 1.0)
        places = range(self.keys - self.queries + 1, self.keys + 1)
        return sum(min(place, self.window or place) for place in places)

    @property
    def flops(self) -> float:
        """Operations of the products: two of them in forward, five in backward."""
        products = 5 if self.backward else 2
        return 2 * products * self.batch * self.heads * self.heard * self.width

    @property
    def traffic(self) -> int:
        """Bytes that have to move: queries, keys, values and contexts; in backward twice those.

        Backward reads all four and the gradient of contexts, and writes three gradients.
        """
        rows = 2 * self.heads * self.queries + 2 * self.kv_heads * self.keys
        return self.batch * rows * self.width * BYTES * (2 if self.backward else 1)

    @property
    def memory(self) -> int:
        """Bytes that must be free: inputs and context; in backward their gradients as well.

        Half as much again for what a way keeps beside them: a gradient in float32, sums of rows.
        """
        return int(self.traffic * 1.5)


def published(backward: bool) -> list[Shape]:
    """The tables of the FlashAttention papers."""
    return [
        Shape(TOKENS // n, ENTRIES // width, ENTRIES // width, n, n, width, causal, backward)
        for width in (64, 128)
        for causal in NO_YES
        for n in (512, 1024, 2048, 4096, 8192, 16384)
    ]


def grouped(lengths: tuple[int, ...] = (2048, 4096, 8192, 16384, 32768)) -> list[Shape]:
    """One long sequence, eight query heads to a key head."""
    return [Shape(1, 64, 8, n, n, 128, causal) for causal in (False, True) for n in lengths]


def decode(keys: tuple[int, ...] = tuple(2**n for n in range(10, 18))) -> list[Shape]:
    """One query a sequence on a cache of 1k to 128k keys: it sees all, so no mask."""
    return [Shape(batch, 64, 8, 1, n, 128) for batch in (1, 16, 64) for n in keys]


def sparing() -> list[Shape]:
    """What `auto` gives to our kernels: a window, and a part of a prompt on a longer cache."""
    window = [
        Shape(1, 16, 16, n, n, 128, True, backward, 256)
        for backward in NO_YES
        for n in (2048, 8192, 16384)
    ]
    return window + [Shape(1, 64, 8, 512, n, 128, True) for n in (2048, 8192, 32768)]


# Apart, so that each can be a run of its own: most of it are pauses, and FlexAttention's compiler.
PARTS = {
    "forward": lambda: published(False),
    "backward": lambda: published(True),
    "grouped": grouped,
    "decode": decode,
    "sparing": sparing,
}

# On a CPU, to see that everything runs: one of each kind.
DRY = {
    "forward": lambda: [Shape(2, 2, 2, 32, 32, 64, causal) for causal in NO_YES],
    "backward": lambda: [Shape(2, 2, 2, 32, 32, 64, causal, True) for causal in NO_YES],
    "grouped": lambda: [Shape(1, 8, 1, 48, 48, 128, causal=True)],
    "decode": lambda: [Shape(2, 8, 1, 1, 64, 128)],
    "sparing": lambda: [
        Shape(1, 2, 2, 48, 48, 64, True, window=9),
        Shape(1, 4, 1, 16, 48, 64, True),
    ],
}

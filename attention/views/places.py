"""Where the tokens of a graph stand, and which way its arrows go."""

import math
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

# In pixels: the width of a weight of 1, the least width, a node's half height, a loop's radius,
# the air between an arrow and a node.
UNIT, HAIR, HALF, LOOP, AIR = 12.0, 0.4, 15.0, 17.0, 2.0
TURN = 0.62  # how far an arrow turns on its way, in radians: there and back stay apart


class Node(NamedTuple):
    """A token's place: the middle of its pill, half the pill's width, which way is out."""

    text: str
    x: float
    y: float
    half: float
    out: float  # an angle, in radians

    def holds(self, x: float, y: float) -> bool:
        beside = max(abs(x - self.x) - (self.half - HALF), 0.0)
        return math.hypot(beside, y - self.y) < HALF + AIR


class Arc(NamedTuple):
    """A part of a circle, from one angle to another."""

    x: float
    y: float
    radius: float
    start: float
    end: float

    def at(self, angle: float, beside: float = 0.0) -> tuple[float, float]:
        radius = self.radius + beside
        return self.x + radius * math.cos(angle), self.y + radius * math.sin(angle)


def width(text: str) -> float:
    """About how wide a token is; a wide character of Chinese or Japanese counts for two."""
    return sum(0 if combining(c) else 14.5 if east_asian_width(c) in "WF" else 8.0 for c in text)


def half(text: str) -> float:
    return max(HALF + 3.0, width(text) / 2 + 10)


def ring(tokens: Sequence[str]) -> list[Node]:
    """Tokens clockwise, in the order of reading, the first at the upper left."""
    count, widest = len(tokens), max(half(token) for token in tokens)
    across = widest + 40 if count == 2 else max(70 + 12 * count, widest * count / 3.3)
    down = 0.0 if count == 1 else 48 + 14.0 * count
    nodes = []
    for i, token in enumerate(tokens):
        angle = (2 * i - 1) * math.pi / count - math.pi / 2
        x, y = across * math.cos(angle), down * math.sin(angle)
        out = math.atan2(1.5 * math.sin(angle), math.cos(angle)) if count > 2 else -math.pi / 2
        nodes.append(Node(token, x, y, half(token), out))
    return nodes


def rows(tokens: Sequence[str], queries: Sequence[str]) -> list[Node]:
    """The keys in a row above the queries, where those are another sequence."""
    nodes = []
    for y, row in ((-70.0, tokens), (70.0, queries)):
        step = 2 * max(half(token) for token in row) + 14
        for i, token in enumerate(row):
            nodes.append(Node(token, (i - (len(row) - 1) / 2) * step, y, half(token), 0.0))
    return nodes


def box(nodes: Sequence[Node]) -> tuple[float, float, float, float]:
    """What the nodes and their loops take up: left, top, right, bottom."""
    air = 2.4 * LOOP
    return (
        min(node.x - node.half for node in nodes) - air,
        min(node.y for node in nodes) - HALF - air,
        max(node.x + node.half for node in nodes) + air,
        max(node.y for node in nodes) + HALF + air,
    )


def path(source: Node, target: Node) -> Arc:
    """The circle from the middle of one node to that of another, or a loop."""
    if source is target:
        reach = HALF
        while source.holds(*toward(source, reach)):
            reach += 1.0
        x, y = toward(source, reach + 0.55 * LOOP)
        back = source.out + math.pi
        return Arc(x, y, LOOP, back, back + 2 * math.pi)
    dx, dy = target.x - source.x, target.y - source.y
    radius = math.hypot(dx, dy) / 2 / math.sin(TURN / 2)
    lift = 0.5 / math.tan(TURN / 2)
    x, y = (source.x + target.x) / 2 - dy * lift, (source.y + target.y) / 2 + dx * lift
    start = math.atan2(source.y - y, source.x - x)
    return Arc(x, y, radius, start, start + TURN)


def toward(node: Node, reach: float) -> tuple[float, float]:
    return node.x + reach * math.cos(node.out), node.y + reach * math.sin(node.out)


def trimmed(arc: Arc, source: Node, target: Node) -> Arc:
    """The part of an arc between its two nodes."""
    middle = (arc.start + arc.end) / 2

    def leaves(node: Node, inner: float) -> float:
        outer = middle
        for _ in range(24):
            between = (inner + outer) / 2
            inner, outer = (between, outer) if node.holds(*arc.at(between)) else (inner, between)
        return outer

    return arc._replace(start=leaves(source, arc.start), end=leaves(target, arc.end))


def arrow(source: Node, target: Node, weight: float) -> str:
    """The outline of an arrow: a band along the arc, and its head."""
    arc = trimmed(path(source, target), source, target)
    wide = max(UNIT * weight, HAIR) / 2
    head = 1.2 * wide + 2.4
    neck = max(arc.end - 2.1 * head / arc.radius, arc.start)
    large = int(neck - arc.start > math.pi)

    def point(angle: float, beside: float) -> str:
        x, y = arc.at(angle, beside)
        return f"{x:z.2f} {y:z.2f}"

    outer, inner = (f"A{arc.radius + r:.2f} {arc.radius + r:.2f} 0 {large}" for r in (wide, -wide))
    return (
        f"M{point(arc.start, wide)}{outer} 1 {point(neck, wide)}L{point(neck, head)}"
        f"L{point(arc.end, 0.0)}L{point(neck, -head)}L{point(neck, -wide)}"
        f"{inner} 0 {point(arc.start, -wide)}Z"
    )

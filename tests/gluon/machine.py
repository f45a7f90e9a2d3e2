"""A block of a GPU, as far as its protocol goes: agents, barriers, copies and products.

Copies land and products read whenever the schedule likes, between their start and the wait for
them. Two things are checked. The numbers: what is read too early is NaN. And knowledge: an agent
knows an event (a tile has landed, a product has ended) only if a chain of barriers and waits tells
it so. What it touches without knowing is a fault, even where this schedule did no harm.
"""

import random
import threading
from collections.abc import Callable


class Fault(Exception):
    """What the protocol forbids."""


class Agent(threading.Thread):
    """A group of warps. It runs only while the machine lets it, one agent at a time."""

    def __init__(self, machine: "Machine", work: Callable[[], None]):
        super().__init__(daemon=True)
        self.machine, self.work = machine, work
        self.go = threading.Semaphore(0)
        self.until: Callable[[], bool] = lambda: True
        self.ended = False
        self.known: set[int] = set()  # events
        self.products: list[Product] = []  # begun and not yet waited for, in their order
        self.stores: list[Step] = []
        # Registers that a product has read, to be named once more, and its event.
        self.kept: list[tuple[int, object]] = []

    def run(self) -> None:
        self.go.acquire()
        try:
            if not self.machine.fault:
                self.work()
                if self.products:
                    raise Fault("a group ends while its product is under way")
                if self.kept:
                    events = ", ".join(str(event) for event, _ in self.kept)
                    raise Fault(f"registers may be reused while products read them: {events}")
                if any(not store.done for store in self.stores):
                    raise Fault("a group ends while its tile is being stored")
        except BaseException as fault:
            self.machine.fault = self.machine.fault or fault
        self.ended = True
        self.machine.turn.release()

    def pause(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let others run, and go on when the schedule and the condition allow it."""
        self.until = until
        self.machine.turn.release()
        self.go.acquire()
        if self.machine.fault:
            raise Fault("stopped")


class Step:
    """Something that hardware does on its own, at any time after `after`."""

    def __init__(self, work: Callable[[], None], after: "Step | None" = None):
        self.work, self.after, self.done = work, after, False


class Product(Step):
    """A matrix product under way, and what `warpgroup_mma` returns of it: no tensor yet."""

    value = None
    event: int
    registers: object = None  # its left operand, if that is not in shared memory


class Machine:
    """`mood`: whether hardware is late, early or neither; `seed`: the rest of the order."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.mood = ("late", "early", "neither")[seed % 3]
        self.turn = threading.Semaphore(0)
        self.steps: list[Step] = []
        self.agents: list[Agent] = []
        self.barriers: list = []
        self.fault: BaseException | None = None
        self.events = 0

    def event(self) -> int:
        self.events += 1
        return self.events

    def run(self, *works: Callable[[], None]) -> None:
        """Until all agents have ended."""
        self.agents = [Agent(self, work) for work in works]
        for agent in self.agents:
            agent.start()
        while not self.fault and not all(agent.ended for agent in self.agents):
            self.advance()
        for agent in self.agents:  # after a fault, those who wait
            agent.go.release()
            agent.join()
        if self.fault:
            raise self.fault
        if self.steps or any(barrier.bytes for barrier in self.barriers):
            raise Fault("the block ends while a copy is landing")

    def advance(self) -> None:
        """One step of the hardware, or one agent up to its next pause."""
        steps = [s for s in self.steps if s.after is None or s.after.done]
        agents = [a for a in self.agents if not a.ended and a.until()]
        if not steps and not agents:
            self.fault = Fault("deadlock: every group waits")
            return
        late = self.mood == "late" and agents
        early = self.mood == "early" and steps
        one = self.random.choice(agents if late else steps if early else [*steps, *agents])
        if isinstance(one, Step):
            self.steps.remove(one)
            one.work()
            one.done = True
        else:
            one.go.release()
            self.turn.acquire()

    def current(self) -> Agent:
        agent = threading.current_thread()
        assert isinstance(agent, Agent)
        return agent

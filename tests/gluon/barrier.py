"""An mbarrier of the emulator."""

from machine import Fault, Machine


class Barrier:
    """An mbarrier: a phase is over when all have arrived and all bytes that were expected landed.

    Source:
        *Parallel Thread Execution ISA*, “Asynchronous barriers”: the operations mbarrier.init,
        arrive, expect_tx, complete_tx and try_wait.parity.
    """

    def __init__(self, machine: Machine):
        machine.barriers.append(self)
        self.machine = machine
        self.count = self.pending = self.bytes = self.phase = 0
        self.fenced = False  # whether copies are sure to find it made
        self.gathered: set[int] = set()  # what those who have arrived knew
        self.passed: set[int] = set()  # the same of the phases that are over

    def arrive(self, count: int, expected: int = 0) -> None:
        agent = self.machine.current()
        if self.pending < count:
            raise Fault("more arrive at a barrier than it was made for")
        self.bytes += expected
        self.pending -= count
        self.gathered |= agent.known
        self.settle()

    def land(self, bytes: int, event: int | None) -> None:
        self.bytes -= bytes
        if event is not None:
            self.gathered.add(event)
        self.settle()

    def settle(self) -> None:
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.count
            self.passed |= self.gathered

    def wait(self, parity: int) -> None:
        agent = self.machine.current()
        agent.pause(lambda: self.phase & 1 != parity)
        agent.known |= self.passed

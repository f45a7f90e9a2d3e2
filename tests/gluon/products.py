"""Matrix products of the emulator: begun, under way, and over."""

from machine import Fault, Product
from storage import View, agent, known, now


def warpgroup_mma(a, b, acc, *, use_acc=True, is_async=False):
    """Operands in shared memory are read when hardware gets to it, products one after another."""
    group = agent()
    event = now.machine.event()
    for operand in (a, b):
        if isinstance(operand, View):
            (tile,) = operand.tiles
            known({tile.landed}, "a product reads a tile that may not have landed")
            if not tile.fenced:
                raise Fault("a product reads what threads stored, without a fence between")
            tile.reads.add(event)

    def read(operand):
        return (
            operand.see(operand.tiles[0].data) if isinstance(operand, View) else operand
        ).float()

    def work() -> None:
        before = acc.value if isinstance(acc, Product) else acc
        begun.value = read(a) @ read(b) + (before if use_acc else 0)

    begun = Product(work, group.products[-1] if group.products else None)
    begun.event, begun.registers = event, None if isinstance(a, View) else a
    group.products.append(begun)
    now.machine.steps.append(begun)
    group.pause()
    return begun if is_async else warpgroup_mma_wait(0, (begun, a))[0]


def warpgroup_mma_wait(num_outstanding=0, deps=()):
    """The oldest products have ended, and nothing is known of the last so many.

    What ends here must be among `deps`, and its operand in registers here or later: of what is not,
    the compiler may reuse the registers.

    Source:
        Triton, TritonNvidiaGPUOps.td, `warp_group_dot_wait`.
    """
    group = agent()
    ends = group.products[: max(len(group.products) - num_outstanding, 0)]
    group.pause(lambda: all(one.done for one in ends))
    del group.products[: len(ends)]
    for one in ends:
        group.known.add(one.event)
        if not any(one is dep for dep in deps):
            raise Fault("a product ends whose registers the compiler may have reused")
        group.kept += [] if one.registers is None else [(one.event, one.registers)]
    group.kept = [(at, x) for at, x in group.kept if not any(x is dep for dep in deps)]
    if any(dep in group.products for dep in deps if isinstance(dep, Product)):
        raise Fault("the result of a product that may be under way is read")
    found = tuple(dep.value if isinstance(dep, Product) else dep for dep in deps)
    return found[0] if len(found) == 1 else found

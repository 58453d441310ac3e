"""Heat in a plate whose rows are cut over several processes, each with a GPU: halos are exchanged every step.

Started by Python it is one process; by the launcher it is several:

    python heat_equation.py --size 4096
    python -m gpunp.distributed -n 2 heat_equation.py --size 16384
"""

import os

import numpy as np
from side_by_side import check, measure, options, report

import gpunp
import gpunp.distributed

STEPS, RATE = 50, 0.2


def start(size, first, last):
    """Rows ``first`` to ``last`` of the plate: warm in a disk, cold elsewhere."""
    y, x = np.mgrid[first:last, :size].astype(np.float32) / size - 0.5
    return ((x - 0.1) ** 2 + y**2 < 0.06).astype(np.float32)


def step(plate, new):
    """One step for all elements but those at the edges, which stay as they are."""
    middle = plate[1:-1, 1:-1]
    neighbours = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    new[1:-1, 1:-1] = middle + RATE * (neighbours - 4 * middle)


def on_host(plate):
    """The plate after all steps, in plain NumPy."""
    plate = plate.copy()
    new = plate.copy()
    for _ in range(STEPS):
        step(plate, new)
        plate, new = new, plate
    return plate


def exchange(comm, plate):
    """Fill the first and the last row, which belong to the neighbours."""

    def above():
        if comm.rank > 0:
            comm.send_recv(plate[1], plate[0], comm.rank - 1)

    def below():
        if comm.rank < comm.size - 1:
            comm.send_recv(plate[-2], plate[-1], comm.rank + 1)

    # Neighbours call each other in the same order.
    for call in (below, above) if comm.rank % 2 == 0 else (above, below):
        call()


def in_processes(comm, rows):
    """The rows of this process after all steps; the first and last are the neighbours'."""
    plate = rows.copy()
    new = plate.copy()
    for _ in range(STEPS):
        exchange(comm, plate)
        step(plate, new)
        plate, new = new, plate
    return plate


def main():
    """Run the steps, and compare the rows of all processes with NumPy's."""
    arguments = options(__doc__, 1024, "rows and columns of the plate")
    size = arguments.size
    if gpunp.get_device().kind == "cuda":
        gpunp.Device("cuda", gpunp.distributed.local_rank()).use()
    if "WORLD_SIZE" in os.environ:
        comm = gpunp.distributed.init_process_group()
    else:
        comm = gpunp.distributed.init_process_group(1, 0, port=0)
    cuts = [size * rank // comm.size for rank in range(comm.size + 1)]
    # With a row of each neighbour.
    first, last = max(cuts[comm.rank] - 1, 0), min(cuts[comm.rank + 1] + 1, size)
    rows = gpunp.asarray(start(size, first, last))
    comm.barrier()
    found, ours = measure(in_processes, comm, rows, repeats=arguments.repeats)
    own = found[cuts[comm.rank] - first : cuts[comm.rank + 1] - first]
    # The largest of all processes.
    slowest = gpunp.asarray([ours])
    comm.all_reduce(slowest, slowest, "max")
    total = gpunp.asarray([own.sum(dtype="f8")])
    comm.all_reduce(total, total)
    if comm.rank == 0:
        expected, theirs = measure(on_host, start(size, 0, size), repeats=1)
        times = {"NumPy": theirs, f"gpunp, {comm.size} processes": float(slowest[0])}
        report(
            f"Heat equation, {size} x {size}, {STEPS} steps",
            times,
            difference_from_NumPy=check(own, expected[: cuts[1]], 1e-5),
            difference_of_the_sum=check(total, expected.sum(dtype="f8", keepdims=True)[0], 1e-6),
        )
    comm.stop()


if __name__ == "__main__":
    main()

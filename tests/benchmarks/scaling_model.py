"""A simulation on paper: times of some programs on 1 to 1024 GPUs, from numbers measured on one and two.

    python tests/benchmarks/scaling_model.py several.json

The file is what `several_gpus.py` wrote. Without one the numbers are those of NVIDIA's data sheets. The
tables are those of docs/scaling.md, which explains the terms.
"""

import argparse
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

COUNTS = (1, 2, 4, 8, 64, 1024)


@dataclass(frozen=True)
class Machine:
    """Hosts with GPUs: bytes and operations in a second, and seconds of a message or call."""

    memory: float = 4.8e12
    operations: float = 67e12
    # Of one GPU to another of its host, one way, and the time of a small message.
    link: float = 450e9
    link_latency: float = 10e-6
    # Share of the links' speed that collectives reach.
    collective_share: float = 0.8
    # Between hosts, for each GPU: one port of 400 Gb/s.
    network: float = 50e9
    network_latency: float = 15e-6
    # Time of the host to queue one call.
    call: float = 5e-6
    gpus_of_host: int = 8


# Where each number is in the rows of several_gpus.py: row, value in it, and the factor to SI units.
MEASURED = {
    "memory": ("memory", "GBs", 1e9),
    "operations": ("matmul_8192", "TFLOPs", 1e12),
    "link": ("peer_copy_1GiB", "GBs", 1e9),
    "link_latency": ("send_recv_1KiB", "seconds", 1.0),
    "call": ("small_call", "seconds", 1.0),
}


def of_rows(rows, gpus):
    """The machine of measured rows; what is missing keeps the data sheet's value."""
    by_name = {row["name"]: row for row in rows if "error" not in row}
    found = {}
    for name, (row, value, factor) in MEASURED.items():
        if row in by_name:
            found[name] = by_name[row][value] * factor
    machine = replace(Machine(), **found)
    if "all_reduce_256MiB" in by_name:
        bus = by_name["all_reduce_256MiB"]["gpunp_bus_GBs"] * 1e9
        machine = replace(machine, collective_share=bus / machine.link)
    return machine


def speed(machine, count):
    """Bytes in a second at which each GPU takes part in a collective of ``count``: its slowest link's."""
    if count <= machine.gpus_of_host:
        return machine.link * machine.collective_share
    return machine.network * machine.collective_share


def steps(machine, count):
    """Seconds of the small messages of a collective: one within the hosts, then a tree between them.

    Within a host NCCL takes equally long for 1 KiB on two and on four GPUs.
    """
    if count == 1:
        return 0.0
    hosts = math.ceil(count / machine.gpus_of_host)
    return machine.link_latency + math.log2(hosts) * machine.network_latency


def all_reduce(machine, count, nbytes):
    """Seconds in which all get the sum of arrays of ``nbytes``: within hosts, then between them.

    Each GPU of a host sums one part of the array, sums that part with its counterparts in the other hosts,
    and sends it to the others of its host.
    """
    if count == 1:
        return 0.0
    inside, hosts = min(count, machine.gpus_of_host), math.ceil(count / machine.gpus_of_host)
    seconds = 2 * (inside - 1) / inside * nbytes / (machine.link * machine.collective_share)
    if hosts > 1:
        seconds += 2 * (hosts - 1) / hosts * nbytes / inside / (machine.network * machine.collective_share)
        # Once more between the hosts, to send the sums back.
        seconds += math.log2(hosts) * machine.network_latency
    return seconds + steps(machine, count)


def all_gather(machine, count, nbytes):
    """Seconds in which all get ``nbytes``, of which each has a part."""
    if count == 1:
        return 0.0
    return (count - 1) / count * nbytes / speed(machine, count) + steps(machine, count)


def all_to_all(machine, count, nbytes):
    """Seconds in which each GPU sends its ``nbytes`` in equal parts to all."""
    if count == 1:
        return 0.0
    inside = min(count, machine.gpus_of_host)
    near = (inside - 1) / count * nbytes / (machine.link * machine.collective_share)
    far = (count - inside) / count * nbytes / (machine.network * machine.collective_share)
    return max(near, far) + steps(machine, count)


def elementwise_and_mean(machine, count, elements=1 << 34):
    """``np.mean(np.sqrt(x * x + 1))`` of float32: one pass over memory, and a sum of one number."""
    return elements / count * 4 / machine.memory + all_reduce(machine, count, 8) + 2 * machine.call


def matmul(machine, count, length=32768):
    """A product of float32 matrices: on one host rows of b go around, on several blocks of both (SUMMA).

    Copies run beside products, so that the longer one counts; the first block is waited for.
    """
    work = 2 * length**3 / count / machine.operations
    if count <= machine.gpus_of_host:
        copied = (count - 1) / count * 4 * length**2 / machine.link
        first = 0.0
    else:
        side = math.sqrt(count)
        copied = 2 * (side - 1) / side * 4 * length**2 / side / machine.network
        first = copied / side
    return max(work, copied) + first + count**0.5 * (machine.call + steps(machine, count))


def heat(machine, count, side=1 << 17):
    """A step of a stencil on a float32 square cut into squares: two passes over memory, four edges."""
    work = 8 * side**2 / count / machine.memory
    if count == 1:
        return work + machine.call
    link, latency = (
        (machine.link, machine.link_latency)
        if count <= machine.gpus_of_host
        else (machine.network, machine.network_latency)
    )
    edges = 4 * 4 * side / math.sqrt(count) / link + latency
    return work + edges + 6 * machine.call


def fft(machine, count, side=4096):
    """A complex64 transform of a cube cut along one axis: three passes over memory, one exchange of all."""
    nbytes = 8 * side**3 / count
    # Each pass reads and writes; a transform along a strided axis makes a copy as well.
    return 8 * nbytes / machine.memory + all_to_all(machine, count, nbytes) + 4 * machine.call


def training(machine, count, parameters=7e9, tokens=1 << 20):
    """A step with equal models on all GPUs: 6 operations for a parameter and token, and an all_reduce.

    Half of the all_reduce runs beside the backward pass.
    """
    work = 6 * parameters * tokens / count / machine.operations
    return work + all_reduce(machine, count, 4 * parameters) / 2


PROGRAMS = {
    "elementwise and mean, 2^34 float32": elementwise_and_mean,
    "matmul 32768^2 float32": matmul,
    "matmul 262144^2 float32": lambda machine, count: matmul(machine, count, 1 << 18),
    "heat equation 131072^2, a step": heat,
    "FFT of 4096^3 complex64": fft,
    "all_reduce 256 MiB": lambda machine, count: all_reduce(machine, count, 1 << 28),
    "step of 7e9 parameters, 2^20 tokens": training,
}


def table(machine):
    """Lines of a table: seconds and speed-up by number of GPUs."""
    yield "| program | " + " | ".join(f"{count}" for count in COUNTS) + " |"
    yield "| --- |" + " --- |" * len(COUNTS)
    for name, program in PROGRAMS.items():
        cells = []
        one = program(machine, 1)
        for count in COUNTS:
            seconds = program(machine, count)
            cells.append(f"{1e3 * seconds:.3g} ms" + (f", {one / seconds:.3g}x" if one and count > 1 else ""))
        yield f"| {name} | " + " | ".join(cells) + " |"


def checked(rows, machine, gpus):
    """Lines that compare the model with the rows that were measured."""
    by_name = {row["name"]: row for row in rows if "error" not in row}
    yield "| measured | model | measurement | ratio |"
    yield "| --- | --- | --- | --- |"
    pairs = {
        "all_reduce_256MiB": (all_reduce(machine, gpus, 1 << 28), "seconds"),
        "all_reduce_1KiB": (all_reduce(machine, gpus, 1 << 10), "seconds"),
        "all_gather_256MiB": (all_gather(machine, gpus, 1 << 28), "seconds"),
        "distributed_matmul_32768": (matmul(machine, gpus), "many"),
        "distributed_sum": (
            (1 << 32) / gpus / machine.memory + all_reduce(machine, gpus, 4) + gpus * machine.call,
            "many",
        ),
    }
    for name, (expected, key) in pairs.items():
        if name in by_name:
            seconds = by_name[name][key]
            yield f"| {name} | {1e3 * expected:.3g} ms | {1e3 * seconds:.3g} ms | {seconds / expected:.2f} |"


def main():
    """Print the inputs and the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="?", help="what several_gpus.py wrote")
    options = parser.parse_args()
    found = json.loads(Path(options.rows).read_text()) if options.rows else {"rows": [], "gpus": 1}
    machine = of_rows(found["rows"], found["gpus"])
    print("| input | value |\n| --- | --- |")
    for name, value in vars(machine).items():
        print(f"| {name} | {value:.4g} |")
    print()
    print("\n".join(table(machine)))
    if options.rows:
        print()
        print("\n".join(checked(found["rows"], machine, found["gpus"])))


if __name__ == "__main__":
    main()

"""A Monte Carlo integral on all GPUs of this host: each draws its own points, in one process.

Random streams of the devices are independent: their generators are spawned from one seed. Calls return before
they have run, so that one thread keeps all GPUs busy; only the counts are brought together.

    python pi_on_all_gpus.py --size 1000000000
"""

import math

import numpy as np
from side_by_side import measure, options, report

import gpunp

SEED, DIMENSIONS = 20250101, 5
BLOCK = 1 << 24


def devices():
    """All GPUs, or the CPU device where there is none."""
    here = gpunp.get_device()
    if here.kind == "cpu":
        return [here]
    return [gpunp.Device("cuda", number) for number in range(gpunp.cuda.device_count())]


def inside(rng, count):
    """How many of random points of a cube are within the ball of radius one: plain NumPy."""
    points = rng.random((DIMENSIONS, count), dtype=np.float32)
    return np.count_nonzero(np.sum(points * points, axis=0) < 1)


def on_all(size):
    """The volume of the ball by points of all devices."""
    places = devices()
    sequences = np.random.SeedSequence(SEED).spawn(len(places))
    counts = []
    for device, sequence in zip(places, sequences, strict=True):
        with device:
            rng = gpunp.random.default_rng(int(sequence.generate_state(1, np.uint64)[0]))
            left = size // len(places)
            total = gpunp.zeros((), np.int64)
            while left > 0:
                total = total + inside(rng, min(left, BLOCK))
                left -= BLOCK
            counts.append(total)
    # The first values that the host waits for.
    hits = sum(int(total) for total in counts)
    return 2**DIMENSIONS * hits / (size // len(places) * len(places))


def on_host(size):
    """The same with NumPy's own generator."""
    return 2**DIMENSIONS * int(inside(np.random.default_rng(SEED), size)) / size


def main():
    """Run both, and compare them with each other and with the formula."""
    arguments = options(__doc__, 1_000_000, "points")
    theirs, numpy_time = measure(on_host, arguments.size, repeats=1)
    ours, our_time = measure(on_all, arguments.size, repeats=arguments.repeats)
    volume = math.pi ** (DIMENSIONS / 2) / math.gamma(DIMENSIONS / 2 + 1)
    share = volume / 2**DIMENSIONS
    deviation = 2**DIMENSIONS * math.sqrt(share * (1 - share) / arguments.size)
    for name, value in (("NumPy", theirs), ("gpunp", ours)):
        if abs(value - volume) > 6 * deviation:
            raise SystemExit(f"{name}'s volume {value:.6f} is too far from {volume:.6f}")
    report(
        f"Volume of the ball in {DIMENSIONS} dimensions, {arguments.size} points, {len(devices())} devices",
        {"NumPy": numpy_time, "gpunp": our_time},
        difference_from_NumPy=f"{abs(ours - theirs):.3g} (one standard deviation is {deviation:.3g})",
        volume=f"{ours:.6f}, the formula's is {volume:.6f}",
    )


if __name__ == "__main__":
    main()

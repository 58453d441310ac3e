"""What ``python -m gpunp run`` costs and when it pays: its host calls, and the placement threshold.

    python tests/benchmarks/running_layer.py --json layer.json

The first table has what the layer adds to a call that stays on the host: the call in a program less the same
call of NumPy. The second one has the time of a call by NumPy and on the device, for sizes from 2^8 elements,
and from which size the device is faster: those sizes justify ``LEAST_ELEMENTS`` of
`gpunp.running.placement`.
"""

import argparse
import json
import math
import statistics
import time
from pathlib import Path

import numpy as np

import gpunp
from gpunp.running import calls, classes, placement
from gpunp.running.numpy_of_programs import Modules
from gpunp.running.transform import HELPERS, transformed

# Statements whose arrays are small.
HOST_CALLS = [
    "y = np.zeros(3)",
    "y = np.empty((2, 2))",
    "y = np.ones(3, dtype=np.float32)",
    "y = np.arange(5)",
    "y = np.linspace(0.0, 1.0, 5)",
    "y = np.array([1.0, 2.0])",
    "y = np.asarray(x)",
    "y = np.concatenate((x, x))",
    "y = np.outer(x, x)",
    "y = np.sqrt(x)",
    "y = x.copy()",
    "y = x.sum()",
    "y = x + x",
    "y = x @ x",
    "y = x[1:]",
    "y = x[:, None] + x",
    "y = f(x)",
    "isinstance(x, np.ndarray)",
    "type(x)",
    "y = rng.random(3)",
    "y = np.random.rand(3)",
]
# By kind, for arrays of n elements and matrices of n elements.
DEVICE_CALLS = {
    "x + y": "r = x + y",
    "chain of four": "r = x * 2.0 + y * y - 1.0",
    "exp": "r = np.exp(x)",
    "int32 add": "r = i + i",
    "copy of a slice": "r[1:] = x[:-1]",
    "sum, read": "float(x.sum())",
    "mean of an axis": "r = m.mean(axis=0)",
    "argmax, read": "int(x.argmax())",
    "cumsum": "r = np.cumsum(x)",
    "sort": "r = np.sort(x)",
    "mask": "r = x[x > 0.5]",
    "gather": "r = x[i]",
    "roll": "r = np.roll(m, 1, 0)",
    "m @ m": "r = m @ m",
    "m @ v": "r = m @ m[0]",
    "solve": "r = np.linalg.solve(m, m[0])",
    "fft": "r = np.fft.fft(x)",
}
SIZES = [4**power for power in range(4, 12)]
# Calls of a group, whose end is waited for, and groups of which the median counts.
_CALLS, _GROUPS = 20, 5
# A cubic algorithm on more elements takes too long.
_MOST_CUBIC = 4**10


def host_calls(rounds=30, calls_each=2000):
    """What a program and NumPy take for each host call.

    Returns
    -------
    list of dict
        With the seconds of a call in a program, of NumPy's call, and what is added.
    """
    rows = []
    calls.learn(np.empty(0))
    calls.start(placement.LEAST_ELEMENTS, placement.move)
    classes.start(Modules().find("numpy").ndarray)
    try:
        for statement in HOST_CALLS:
            source = f"def run(np, x, rng, f):\n for _ in range({calls_each}):\n  {statement}\n"
            runs = []
            codes = transformed(source, "<ours>"), compile(source, "<its>", "exec")
            for code, module in zip(codes, (Modules().find("numpy"), np), strict=True):
                space = dict(HELPERS)
                exec(code, space)
                arguments = module, np.ones(3), module.random.default_rng(0), lambda x: x
                runs.append((space["run"], arguments))
            best = [math.inf, math.inf]
            for _ in range(rounds):
                for number, (run, arguments) in enumerate(runs):
                    started = time.perf_counter()
                    run(*arguments)
                    best[number] = min(best[number], (time.perf_counter() - started) / calls_each)
            rows.append({"call": statement, "program": best[0], "numpy": best[1], "added": best[0] - best[1]})
    finally:
        calls.stop()
        classes.stop()
    return rows


def operands(size, on_device):
    """The names that the statements of `DEVICE_CALLS` use."""
    n = math.isqrt(size)
    rng = np.random.default_rng(size)
    x = rng.random(size)
    made = {"x": x, "y": rng.random(size), "i": rng.integers(0, size, size, dtype="i4"), "r": np.empty(size)}
    made["m"] = rng.random((n, n)) + n * np.eye(n)
    if on_device:
        made = {name: gpunp.asarray(value) for name, value in made.items()}
    return {"np": np, **made}


def seconds_of(statement, names, on_device):
    """The time of a call: of a group that is waited for."""
    code, times = compile(statement, "<call>", "exec"), []
    wait = gpunp.get_device().synchronize if on_device else int
    started = time.perf_counter()
    exec(code, names)
    exec(code, names)
    wait()
    count = _CALLS if time.perf_counter() - started < 2e-3 else 2
    for _ in range(_GROUPS):
        started = time.perf_counter()
        for _ in range(count):
            exec(code, names)
        wait()
        times.append((time.perf_counter() - started) / count)
    return statistics.median(times)


def crossovers(seconds):
    """From how many elements the device is faster, for each kind of call.

    Parameters
    ----------
    seconds : float
        When to stop.

    Returns
    -------
    list of dict
    """
    until = time.monotonic() + seconds
    rows = {name: {"call": name, "numpy": {}, "device": {}} for name in DEVICE_CALLS}
    for size in SIZES:
        host, device = operands(size, False), operands(size, True)
        for name, statement in DEVICE_CALLS.items():
            if time.monotonic() > until or (name in ("m @ m", "solve") and size > _MOST_CUBIC):
                continue
            rows[name]["numpy"][size] = seconds_of(statement, host, False)
            rows[name]["device"][size] = seconds_of(statement, device, True)
    for row in rows.values():
        row["from"] = crossover(row)
    return [*rows.values()]


def crossover(row):
    """From which size on the device is always faster, between the measured ones; None if there is none."""
    sizes = sorted(row["numpy"])
    ratio = {size: row["device"][size] / row["numpy"][size] for size in sizes}
    slower = [size for size in sizes if ratio[size] >= 1]
    if not sizes or (slower and slower[-1] == sizes[-1]):
        return None
    if not slower:
        return sizes[0]
    below, above = slower[-1], sizes[sizes.index(slower[-1]) + 1]
    # The ratio is taken for a power of the size.
    share = math.log(ratio[below]) / math.log(ratio[below] / ratio[above])
    return round(below * (above / below) ** share)


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--seconds", type=float, default=10.0, help="for the second table (default: 10)")
    parser.add_argument("--rounds", type=int, default=30, help="of the first table (default: 30)")
    options = parser.parse_args()
    layer = host_calls(options.rounds)
    for row in layer:
        print(f"{row['call']:<36}{row['numpy'] * 1e9:>8.0f} ns{row['added'] * 1e9:>8.0f} ns added")
    found = crossovers(options.seconds)
    print(f"\n{'':<18}" + "".join(f"{size:>16}" for size in SIZES) + "   faster from")
    for row in found:
        cells = [(row["numpy"].get(size), row["device"].get(size)) for size in SIZES]
        texts = ["-" if a is None else f"{a * 1e6:.1f} / {b * 1e6:.1f} us" for a, b in cells]
        print(f"{row['call']:<18}" + "".join(f"{text:>16}" for text in texts) + f"   {row['from']}")
    sizes = [row["from"] for row in found if row["from"]]
    middle = statistics.median(sizes) if sizes else None
    print(f"median {middle}; LEAST_ELEMENTS is {placement.LEAST_ELEMENTS}")
    if options.json:
        options.json.write_text(json.dumps({"layer": layer, "crossovers": found}, indent=1))


if __name__ == "__main__":
    main()

"""The table of the CPU device: calls with NumPy arrays and with those of gpunp, side by side in one process.

The calls of the libraries alternate, and the least of several times counts, so that what else runs on the
machine disturbs all of them alike, and seldom. `host_rows.py` has the rows.
"""

import gc
import importlib
import json
import os
import sys
import time
from math import exp, log

import numpy as np
from host_rows import CALLS, CHAINED, CHAINS, HOST_ROWS, TINY, make_arrays
from report import aligned
from rows import format_seconds

FULL_ELEMENTS, QUICK_ELEMENTS = 1 << 25, 1 << 12
# A sample of a tiny call is this many calls.
TINY_CALLS, QUICK_TINY_CALLS = 2000, 10
# The longest that the samples of a row may take in all, as long as there are LEAST_SAMPLES.
ROW_SECONDS = 4.0
LEAST_SAMPLES = 3
# Runs before the samples, and the longest that they may take.
WARM_UPS = 3
WARM_UP_SECONDS = 0.4
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
GROUPS = {
    CALLS: "calls on large arrays",
    CHAINED: "chains of calls on large arrays",
    TINY: "calls on eight elements",
}


class Contender:
    """A library in the comparison: its arrays and how its expressions are evaluated."""

    name = None

    def __init__(self):
        self.version = self.module.__version__

    def code(self, row):
        """The expression of a row, or None if the library has no such function."""
        return row.code

    def upload(self, host):
        return host

    def names(self):
        """What an expression may name besides arrays."""
        special = importlib.import_module("scipy.special")
        return {"np": np, "special": special, "rng": self.random.default_rng(1), **CHAINS}

    def finish(self, result):
        """Wait until a result is computed; where nothing is deferred, that is so already."""

    def settle(self):
        """Wait for what runs in the background after the first calls."""

    def set_threads(self, count):
        """Set the number of threads."""

    def prepare(self, row, arrays):
        """Return the code of a row, compiled, and its names."""
        code = compile(self.code(row), row.name, "eval")
        used = {name: self.upload(arrays[name]) for name in code.co_names if name in arrays}
        return code, self.names() | used

    def sampler(self, row, arrays, calls, clock, each=False):
        """Return a function that evaluates a row a number of times, and gives the seconds of one.

        With ``each``, or for a single call, every result is waited for.
        """
        _, names = self.prepare(row, arrays)
        finish = self.finish
        # A function, as `timeit` makes one: eval() would cost more than a call on eight elements.
        body = self.code(row) if calls > 1 and not each else f"finish({self.code(row)})"
        source = f"def sample():\n start = clock()\n for _ in calls:\n  {body}\n return clock() - start"
        names |= {"clock": clock, "calls": range(calls), "finish": finish}
        exec(source, names)
        sample = names["sample"]

        def seconds():
            found = sample() / calls
            finish(None)
            return found

        return seconds

    def value(self, row, arrays):
        """The result of a row."""
        code, names = self.prepare(row, arrays)
        return eval(code, names)


class NumpyArrays(Contender):
    name = "NumPy"
    module, random = np, np.random


class GpunpArrays(Contender):
    name = "gpunp"

    def __init__(self):
        self.module = importlib.import_module("gpunp")
        self.random = self.module.random
        self.place = self.module.Device("cpu")
        self.place.use()
        super().__init__()

    def upload(self, host):
        return self.module.asarray(host)

    def finish(self, result):
        self.place.synchronize()

    def settle(self):
        importlib.import_module("gpunp.fusion.worker").wait(60)

    def set_threads(self, count):
        self.module.config.threads = count


class TorchTensors(Contender):
    name = "PyTorch"

    def __init__(self):
        self.module = importlib.import_module("torch")
        super().__init__()

    def code(self, row):
        return row.torch

    def upload(self, host):
        return self.module.from_numpy(host)

    def names(self):
        return {"np": self.module, **CHAINS}

    def set_threads(self, count):
        self.module.set_num_threads(count)


class NumExpr(Contender):
    name = "NumExpr"

    def __init__(self):
        self.module = importlib.import_module("numexpr")
        super().__init__()

    def code(self, row):
        return None if row.numexpr is None else f"evaluate({row.numexpr!r})"

    def prepare(self, row, arrays):
        code = compile(self.code(row), row.name, "eval")
        return code, {"evaluate": self.module.evaluate, **arrays}

    def set_threads(self, count):
        self.module.set_num_threads(count)


def contenders(threads):
    """NumPy, gpunp, and the other libraries that are installed; ``threads`` is their number, or None."""
    found = [NumpyArrays(), GpunpArrays()]
    for library in (NumExpr, TorchTensors):
        try:
            found.append(library())
        except ImportError as error:
            print(f"{library.name} is left out: {error}", file=sys.stderr)
    if threads:
        for library in found:
            library.set_threads(threads)
    return found


def compare(row, libraries, arrays, calls, clock, repeats, each=False):
    """The least seconds of a row for each library by its name, or the error as text.

    A sample is a number of calls; with ``each``, the result of each of them is waited for.
    """
    samplers, outcome = {}, {}
    for library in libraries:
        if library.code(row) is None:
            continue
        try:
            samplers[library] = library.sampler(row, arrays, calls, clock, each)
            start = time.perf_counter()
            for _ in range(WARM_UPS):
                samplers[library]()
                library.settle()
                if time.perf_counter() - start > WARM_UP_SECONDS:
                    break
        except Exception as error:
            samplers.pop(library, None)
            outcome[library.name] = f"{type(error).__name__}: {error}"
    times = {library: [] for library in samplers}
    start = time.perf_counter()
    for done in range(repeats):
        if done >= LEAST_SAMPLES and time.perf_counter() - start > ROW_SECONDS:
            break
        for library, sampler in samplers.items():
            times[library].append(sampler())
    return {library.name: min(found) for library, found in times.items()} | outcome


def conditions(libraries, options):
    """What results say of how they were measured."""
    return {
        "versions": {library.name: library.version for library in libraries},
        "threads": options.threads or len(os.sched_getaffinity(0)),
        "clock": options.clock,
    }


def run(rows, options):
    """Measure rows with all libraries."""
    libraries = contenders(options.threads)
    arrays = make_arrays(QUICK_ELEMENTS if options.quick else FULL_ELEMENTS)
    clock = CLOCKS[options.clock]
    results = conditions(libraries, options) | {"rows": {}}
    for i, row in enumerate(rows, start=1):
        calls = 1 if row.group != TINY else QUICK_TINY_CALLS if options.quick else TINY_CALLS
        outcome = compare(row, libraries, arrays, calls, clock, options.repeats)
        results["rows"][row.name] = outcome
        gc.collect()
        print(f"[{i}/{len(rows)}] {row.name}: {ratio_text(outcome)}", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    return results


def ratio(outcome):
    """How many times as fast as NumPy gpunp is, or None if one of them failed."""
    host, ours = outcome.get("NumPy"), outcome.get("gpunp")
    return host / ours if isinstance(host, float) and isinstance(ours, float) and ours else None


def ratio_text(outcome):
    """The same as text, or the errors."""
    found = ratio(outcome)
    if found is not None:
        return f"{found:.2f}x"
    return "; ".join(f"{name} {value}" for name, value in outcome.items() if isinstance(value, str))


def geometric_mean(values):
    """The geometric mean of numbers."""
    return exp(sum(map(log, values)) / len(values))


def summary(results):
    """Of each group: its name, the number of rows, and the geometric mean and the least of their ratios."""
    for group, title in GROUPS.items():
        found = [
            ratio(results["rows"][row.name])
            for row in HOST_ROWS
            if row.group == group and row.name in results["rows"]
        ]
        found = [value for value in found if value is not None]
        if found:
            yield title, len(found), geometric_mean(found), min(found)


def table(results):
    """The table as text."""
    names = list(results["versions"])
    lines = [["call", *names, "gpunp : NumPy"]]
    for row in HOST_ROWS:
        outcome = results["rows"].get(row.name)
        if outcome is None:
            continue
        times = [outcome.get(name, "") for name in names]
        times = [
            format_seconds(value) if isinstance(value, float) else "failed" if value else ""
            for value in times
        ]
        lines.append([row.code if row.group != CHAINED else row.name, *times, ratio_text(outcome)])
    text = aligned(lines) + "\n\n"
    for title, count, mean, least in summary(results):
        text += f"{title} ({count}): geometric mean {mean:.2f}x, least {least:.2f}x\n"
    return text


def report(rows, options):
    """Measure rows, print the table, and return the exit code."""
    results = run(rows, options)
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    print(f"CPU device, {results['threads']} threads, {results['clock']} time: {versions}\n")
    print(table(results))
    failed = [row.name for row in rows if ratio(results["rows"][row.name]) is None]
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed else 0

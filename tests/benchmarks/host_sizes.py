"""The table of the CPU device for arrays of medium size: the ratios to NumPy by the number of elements.

``python tests/benchmarks --device cpu --sizes`` measures it. Of some hundred elements the code around a
loop decides the speed, of millions the memory. In between thresholds do: when threads are woken, when
chains are deferred, and which blocks loops have.
"""

import gc
import json
import sys

from bench_host import CLOCKS, compare, conditions, contenders, geometric_mean, ratio, ratio_text
from host_rows import TINY, make_arrays
from report import aligned
from rows import format_seconds

# Elements of the float64 arrays `x` and `y`: about 10^3, 10^4 and 10^5, as the arrays have powers of two.
SIZES = (1 << 10, 1 << 13, 1 << 17)
# A sample consists of as many calls as NumPy makes in this time.
SAMPLE_SECONDS, QUICK_SECONDS = 1e-3, 1e-5
MOST_CALLS = 500
# Rows whose ratio is lower are listed.
LEAST_RATIO = 0.95


def calls_of_sample(row, library, arrays, seconds):
    """How many calls of a row take so many seconds."""
    sampler = library.sampler(row, arrays, 1, CLOCKS["wall"])
    one = min(sampler() for _ in range(3))
    return max(2, min(MOST_CALLS, int(seconds / max(one, 1e-9))))


def run(rows, options):
    """Measure rows with all libraries at all sizes."""
    libraries = contenders(options.threads)
    clock = CLOCKS[options.clock]
    results = conditions(libraries, options) | {"sizes": {}}
    for elements in options.sizes or SIZES:
        # `x` and `y` have a quarter of the elements of the largest array.
        arrays = make_arrays(4 * elements)
        found = results["sizes"][str(elements)] = {}
        for row in rows:
            seconds = QUICK_SECONDS if options.quick else SAMPLE_SECONDS
            calls = calls_of_sample(row, libraries[0], arrays, seconds)
            found[row.name] = compare(row, libraries, arrays, calls, clock, options.repeats, each=True)
            print(f"{elements} {row.name}: {ratio_text(found[row.name])}", file=sys.stderr, flush=True)
            gc.collect()
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    return results


def merged(parts):
    """The least time of each row and size in several runs."""
    first = parts[0]
    for part in parts[1:]:
        for size, rows in part["sizes"].items():
            for name, outcome in rows.items():
                kept = first["sizes"].setdefault(size, {}).setdefault(name, outcome)
                for library, value in outcome.items():
                    if isinstance(value, float):
                        before = kept.get(library)
                        kept[library] = min(value, before) if isinstance(before, float) else value
    return first


def summary(results):
    """Of each size: the number of rows, the geometric mean of their ratios, and the rows with low ones."""
    for size, found in results["sizes"].items():
        ratios = {name: ratio(outcome) for name, outcome in found.items()}
        ratios = {name: value for name, value in ratios.items() if value is not None}
        low = sorted((value, name) for name, value in ratios.items() if value < LEAST_RATIO)
        if ratios:
            yield size, len(ratios), geometric_mean(ratios.values()), low


def table(rows, results):
    """The table as text: the time of gpunp and the ratio for each size."""
    sizes = list(results["sizes"])
    lines = [["call", *(f"{int(size):,} elements" for size in sizes)]]
    for row in rows:
        cells = []
        for size in sizes:
            outcome = results["sizes"][size].get(row.name, {})
            ours = outcome.get("gpunp")
            text = format_seconds(ours) if isinstance(ours, float) else "failed"
            cells.append(f"{text} ({ratio_text(outcome)})")
        lines.append([row.code if row.group != "chains" else row.name, *cells])
    text = aligned(lines) + "\n\n"
    for size, count, mean, low in summary(results):
        text += f"{int(size):,} elements ({count} rows): geometric mean {mean:.2f}x"
        text += (", below: " + ", ".join(f"{name} {value:.2f}x" for value, name in low) if low else "") + "\n"
    return text


def report(rows, options):
    """Measure rows, or read the results of earlier runs, print the table, and return the exit code."""
    rows = [row for row in rows if row.group != TINY]
    if options.render:
        results = merged([json.loads(path.read_text()) for path in options.render])
    else:
        results = run(rows, options)
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    print(f"CPU device, {results['threads']} threads, {results['clock']} time: {versions}\n")
    print(table(rows, results))
    failed = {
        name
        for found in results["sizes"].values()
        for name, outcome in found.items()
        if ratio(outcome) is None
    }
    if failed:
        print("failed: " + ", ".join(sorted(failed)))
    return 1 if failed else 0

"""``python tests/benchmarks``: compare gpunp with other libraries and with the limits of the machine.

The folder is run as a program, not imported, so that the installed gpunp is measured.
"""

import argparse
import datetime
import fnmatch
import gc
import importlib
import json
import sys
from pathlib import Path

import bench_host
import ceilings
import host_sizes
import report
import variants
from host_rows import HOST_ROWS
from libraries import QUEUED_CALLS, available
from rows import CHAPTERS, FULL, QUICK, ROWS, format_seconds


def parse(argv):
    parser = argparse.ArgumentParser(prog="python tests/benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "rows",
        nargs="*",
        help="names or patterns such as 'cumsum_*' (default: all)",
    )
    parser.add_argument("--list", action="store_true", help="print the names of the rows and stop")
    parser.add_argument("--device", default=None, help="cuda, cuda:1 or cpu (default: gpunp's default)")
    parser.add_argument(
        "--gpu-rows",
        action="store_true",
        help="on the CPU device, measure the GPU's rows instead of comparing with NumPy side by side",
    )
    parser.add_argument("--alone", action="store_true", help="measure gpunp without the other libraries")
    parser.add_argument("--quick", action="store_true", help="tiny arrays: checks that the rows run")
    parser.add_argument("--threads", type=int, help="threads of each library in the CPU device's table")
    parser.add_argument(
        "--clock", choices=bench_host.CLOCKS, default="wall", help="what the CPU device's table measures"
    )
    parser.add_argument("--repeats", type=int, default=7, help="samples of a row of the CPU device's table")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="*",
        metavar="N",
        help="the CPU device's table for N elements, powers of two (default: about 10^3, 10^4, 10^5); with "
        "--render: print it from --json files, whose least times count",
    )
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument(
        "--write", action="store_true", help="write the performance page and the README's table"
    )
    parser.add_argument(
        "--render",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="write the documents from --json files of the same machine, measure nothing",
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="with --render: write this page, not the documents"
    )
    options = parser.parse_args(argv)
    if options.page and not options.render:
        parser.error("--page needs --render")
    if any(n < 256 or n & (n - 1) for n in options.sizes or ()):
        parser.error("--sizes are powers of two from 256 on")
    if options.write and (options.rows or options.quick or options.alone):
        parser.error("--write needs a full run: give no row names, no --quick and no --alone")
    return parser, options


def select(parser, patterns, rows):
    """The rows that match the patterns."""
    if not patterns:
        return rows
    for pattern in patterns:
        if not fnmatch.filter([row.name for row in rows], pattern):
            parser.error(f"no row is called {pattern!r}; --list shows the names")
    return [row for row in rows if any(fnmatch.fnmatch(row.name, pattern) for pattern in patterns)]


def on_cpu(options):
    """Whether the CPU device is measured."""
    import gpunp

    return (gpunp.Device(options.device) if options.device else gpunp.get_device()).is_cpu


def seconds_of(row, library, size):
    """The time of one row with one library, in seconds."""
    try:
        if row.timing.endswith("process"):
            filled = row.timing == "second process"
            return ceilings.cold_seconds(row.build(library, size), min(size.repeats, 5), filled)
        return library.measure(row, size)
    finally:
        gc.collect()
        library.free()


def brief(seconds):
    """Format a time, or the reason why there is none."""
    return format_seconds(seconds) if isinstance(seconds, float) else f"failed ({seconds})"


def run(rows, options):
    """Measure rows with all libraries."""
    size = QUICK if options.quick else FULL
    import gpunp

    device = gpunp.Device(options.device) if options.device else gpunp.get_device()
    libraries = available(str(device), alone=options.alone)
    if not device.is_cpu and str(device) != "cuda:0":
        raise SystemExit("everything else here uses device 0: choose it by CUDA_VISIBLE_DEVICES")
    rows = [row for row in rows if not (row.needs_gpu and device.is_cpu)]
    found = ceilings.measure_cpu(size) if device.is_cpu else ceilings.measure_cuda(size)
    found |= ceilings.call_seconds()
    results = {
        "date": datetime.date.today().isoformat(),
        "ceilings": found,
        "versions": {library.name: library.version for library in libraries},
        "queued": QUEUED_CALLS,
        "rows": {},
    }
    for i, row in enumerate(rows, start=1):
        outcome = results["rows"][row.name] = {"moved": row.moved(size) if row.moved else None}
        if row.timing == "program":
            outcome |= variants.program_figures(row, libraries, size)
        elif row.timing == "pair":
            outcome |= variants.pair_figures(row, libraries[0], size)
        else:
            for library in libraries:
                outcome[library.name] = variants.attempt(seconds_of, row, library, size)
                if row.own and library.name == "gpunp":
                    found_own = variants.attempt(row.own, library)
                    outcome |= found_own if isinstance(found_own, dict) else {"its own cost": found_own}
        texts = [f"{name} {brief(value)}" for name, value in outcome.items() if name not in report.NO_TIMES]
        print(f"[{i}/{len(rows)}] {row.name}: {', '.join(texts)}", file=sys.stderr, flush=True)
        if options.json:
            # Written after every row, so that an interrupted run keeps its results.
            options.json.write_text(json.dumps(results, indent=1))
    return results


def merged(parts):
    """The results of several runs as one; a row that was measured twice is from the later run."""
    first = parts[0]
    for part in parts[1:]:
        for key in ("versions", "queued"):
            if part[key] != first[key]:
                raise SystemExit(f"the runs differ in {key}: {first[key]} and {part[key]}")
        if part["ceilings"]["device"] != first["ceilings"]["device"]:
            raise SystemExit("the runs are of different devices")
    rows = {
        name: {"ceilings": part["ceilings"], **outcome}
        for part in parts
        for name, outcome in part["rows"].items()
    }
    return {**first, "rows": {row.name: rows[row.name] for row in ROWS if row.name in rows}}


def main(argv=None):
    for chapter in CHAPTERS:
        importlib.import_module(f"bench_{chapter}")
    parser, options = parse(argv)
    if options.sizes is not None:
        return host_sizes.report(select(parser, options.rows, HOST_ROWS), options)
    side_by_side = not (options.gpu_rows or options.write or options.render) and on_cpu(options)
    rows = select(parser, options.rows, HOST_ROWS if side_by_side else ROWS)
    if options.list:
        print("\n".join(row.name for row in rows))
        return 0
    if side_by_side:
        return bench_host.report(rows, options)
    if options.render:
        results = merged([json.loads(path.read_text()) for path in options.render])
        if options.page:
            report.write_page(results, options.page)
        else:
            report.write(results)
        return 0
    results = run(rows, options)
    found = results["ceilings"]
    print(f"{found['device']}, driver {found['driver']}, {results['versions']}")
    numbers = {name: value for name, value in found.items() if isinstance(value, float)}
    print("ceilings: " + ", ".join(f"{name} {value:.4g}" for name, value in numbers.items()))
    print()
    rows = [row for row in rows if row.name in results["rows"]]
    print(report.terminal_table(rows, results))
    if details := report.terminal_details(rows, results):
        print(f"\n{details}")
    if options.write:
        report.write(results)
    failed = [row.name for row in rows if not isinstance(results["rows"][row.name]["gpunp"], float)]
    if failed:
        print("\nfailed: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The programs of ``tests/programs`` beside NumPy, and with ``import cupy as np`` where that works.

    python tests/benchmarks/collection.py --json collection.json

Each library runs the programs in a process of its own, one after the other, with the sizes of
``collection_sizes.py``. What is measured is the program without the start of Python, and its compilation. The
first run of a program and the fastest one are kept, and what they print is compared. ``--own-sizes`` runs
all programs as they are, with NumPy and gpunp alternating in one process: what the layer costs programs
that do not profit. Its last column is how far two times of NumPy differ.
"""

import argparse
import builtins
import contextlib
import functools
import importlib
import importlib.util
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import types
import warnings
from pathlib import Path

from collection_sizes import LARGE, enlarged

HERE = Path(__file__).resolve()
PROGRAMS = HERE.parents[1] / "programs"
LIBRARIES = ("gpunp", "NumPy", "CuPy")
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?j?|[-+]?(?:inf|nan)")
_OPTIONS_OF_LIBRARIES = ("limit", "repeats", "clock")
# Programs that run one after the other are of different folders, should the time end before all have run.
_STRIDE = 7
# A program of a fraction of a millisecond needs many runs until one of them was not disturbed.
_MOST_RUNS, _LEAST_SECONDS = 40, 0.02
# How far numbers may differ: sums in another order, and rounding when they are printed.
_RELATIVE, _ABSOLUTE = 2e-3, 1e-4


class TookTooLong(BaseException):
    """A program had no more time; programs that catch exceptions do not catch it."""


@contextlib.contextmanager
def limited(seconds):
    """A context that ends after some seconds, at the next line of Python, or else as soon as its body ends.

    Python drops an exception that a destructor or a callback of the garbage collector raises. So the signal
    comes again every second, and the end of the body looks whether it came.
    """
    passed = []

    def stop(number, frame):
        passed.append(True)
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if passed:
        raise TookTooLong


def with_cupy(text):
    """The source of a program as a user of CuPy changes it first."""
    text = re.sub(r"^(from|import) numpy\b", r"\1 cupy", text, flags=re.MULTILINE)
    return re.sub(r"^import cupy(\.\w+)?$", r"import cupy\1; np = cupy", text, flags=re.MULTILINE)


def shortest(run, times):
    """The shortest time of a function that returns its time; with several runs, of many if it is short."""
    taken = [run() for _ in range(times)]
    while times > 1 and len(taken) < _MOST_RUNS and sum(taken) < _LEAST_SECONDS:
        taken.append(run())
    return min(taken)


def run_plain(path, times=1):
    """Run a program as Python does, and return its shortest time without that of its compilation."""
    code = compile(path.read_text(), str(path), "exec")
    return shortest(lambda: run_code(code, path), times)


def run_code(code, path):
    """Run the code of a program in a module of its own, and return its time."""
    module = types.ModuleType("__main__")
    vars(module).update(__file__=str(path), __builtins__=builtins)
    before = sys.argv, sys.path[:], sys.modules["__main__"]
    sys.argv, sys.path[0], sys.modules["__main__"] = [str(path)], str(path.parent), module
    started = CLOCK()
    try:
        exec(code, vars(module))
    finally:
        taken = CLOCK() - started
        sys.argv, sys.path[:], sys.modules["__main__"] = before
    return taken


def runner(library):
    """A function that runs the program in a file with a library, and returns the time."""
    if library != "gpunp":
        # No program's limit includes it.
        importlib.import_module("numpy")
        return run_plain
    from gpunp.running.program import Program
    from gpunp.running.session import Session
    from gpunp.running.transform import transformed

    def run(path, times=1):
        program, started = Program([str(path)]), 0.0
        code = transformed(path.read_bytes(), str(path))

        def begun():
            nonlocal started
            started = CLOCK()
            return code

        # Asked for when the module has been made, as `run_code` starts its clock then.
        program._code = begun

        def once():
            try:
                program.run()
                return CLOCK() - started
            finally:
                program.forget()

        with Session(program.folders):
            return shortest(once, times)

    return run


def timed(run, path, seconds):
    """What a program prints, and its time."""
    text, known = io.StringIO(), {*sys.modules}
    with warnings.catch_warnings(), contextlib.redirect_stdout(text), limited(seconds):
        warnings.simplefilter("ignore")
        taken = run(path)
    for name in {*sys.modules} - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(path.parent)):
            del sys.modules[name]
    return text.getvalue(), taken


def measured(run, path, seconds, repeats):
    """The times of a program, or why there are none."""
    times, started = [], time.perf_counter()
    try:
        while len(times) < repeats and (not times or time.perf_counter() - started < 0.25 * seconds):
            output, taken = timed(run, path, seconds)
            times.append(taken)
    except TookTooLong:
        return {"error": f"more than {seconds:g} s"}
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {error}"[:160]}
    return {"first": times[0], "seconds": min(times), "output": output}


def run_library(library, options):
    """Measure all programs with a library, in this process, and print a line of JSON for each."""
    if library == "CuPy" and importlib.util.find_spec("cupy") is None:
        return
    run, until = runner(library), time.monotonic() + (options.seconds or [40.0])[0]
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    names = chosen(options, LARGE)
    names = [name for first in range(_STRIDE) for name in names[first::_STRIDE]]
    for number, name in enumerate(names):
        text = enlarged(name, (PROGRAMS / f"{name}.py").read_text())
        # Plain names, so that programs are found beside each other by imports of their own only.
        path = folder / f"p{number}" / "program.py"
        path.parent.mkdir()
        path.write_text(with_cupy(text) if library == "CuPy" else text)
        left = min(options.limit, until - time.monotonic())
        found = measured(run, path, left, options.repeats) if left > 0 else {"error": "no time left"}
        print(json.dumps({"program": name, "library": library, **found}), flush=True)


def chosen(options, names):
    """The names of the programs that are asked for."""
    return [name for name in names if not options.programs or name in options.programs]


def agree(found, expected):
    """Whether two programs print the same but for rounding."""
    if "".join(_NUMBER.sub("#", found).split()) != "".join(_NUMBER.sub("#", expected).split()):
        return False
    for ours, numpys in zip(_NUMBER.findall(found), _NUMBER.findall(expected), strict=True):
        a, b = complex(ours), complex(numpys)
        if a != b and not (a != a and b != b) and not abs(a - b) <= _ABSOLUTE + _RELATIVE * abs(b):
            return False
    return True


def lines_of(library, arguments, seconds):
    """The rows of a library from a process of its own; what it has printed when its time is over counts."""
    command = [sys.executable, str(HERE), "--library", library, *arguments]
    with tempfile.TemporaryFile("w+") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.PIPE, text=True)
        try:
            errors = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            errors = process.communicate()[1] + "\nkilled: its time was over"
        if process.returncode:
            print(f"{library}: {errors.strip()[-600:]}", file=sys.stderr)
        file.seek(0)
        return [json.loads(line) for line in file]


def compare(options):
    """Measure all libraries, and put their rows together by program."""
    arguments = [*options.programs, *(f"--{name}={getattr(options, name)}" for name in _OPTIONS_OF_LIBRARIES)]
    rows = {name: {"program": name} for name in chosen(options, LARGE)}
    seconds = dict(zip(LIBRARIES, 3 * (options.seconds or [40.0]), strict=False))
    for library in options.libraries:
        limit = seconds[library]
        for line in lines_of(library, [f"--seconds={limit}", *arguments], limit + options.limit + 10):
            rows[line["program"]][library] = line
        # Should the command be killed, what was measured is not lost.
        save(options, {"rows": [*rows.values()]})
    for row in rows.values():
        expected = row.get("NumPy", {}).get("output")
        for library in options.libraries:
            output = row.get(library, {}).pop("output", None)
            if expected is not None and output is not None and library != "NumPy":
                row[library]["agrees"] = agree(output, expected)
    return [*rows.values()]


def save(options, result):
    """Write the file that was asked for."""
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


def ratios(rows, library, reference):
    """How much faster a library is than another, for the programs that both ran with the same results."""
    found = []
    for row in rows:
        ours, theirs = row.get(library, {}), row.get(reference, {})
        pair = [each for each in (ours, theirs) if "seconds" in each and each.get("agrees", True)]
        if len(pair) == 2:
            found.append(theirs["seconds"] / ours["seconds"])
    return found


def mean(values):
    """The geometric mean, or None."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def losing(factors):
    """The share of programs that are more than 5 % slower, of how much faster each is."""
    return sum(factor < 1 / 1.05 for factor in factors) / len(factors) if factors else None


def own_sizes(options):
    """All programs as they are, NumPy and gpunp by turns: the share that the layer adds.

    NumPy has two turns in each round: how much they differ is how exact the measurement is. gpunp is compared
    with their mean, as the shorter one of two is the shortest of more runs.
    """
    # The first run of a session has the costs of its start: the interpreter adapts its code again.
    turns = {"NumPy": "NumPy", "gpunp": "gpunp", "again": "NumPy"}
    runs = {name: functools.partial(runner(library), times=4) for name, library in turns.items()}
    rows, until = [], time.monotonic() + (options.seconds or [math.inf])[0]
    os.chdir(tempfile.mkdtemp())
    for path in sorted(PROGRAMS.rglob("*.py")):
        name = str(path.relative_to(PROGRAMS).with_suffix(""))
        alone = re.search("^# runs: alone", path.read_text(), re.MULTILINE)
        if name not in chosen(options, [name]) or alone or time.monotonic() > until:
            continue
        best = dict.fromkeys(runs, math.inf)
        try:
            started = time.perf_counter()
            for turn in range(options.repeats):
                for library, run in runs.items():
                    best[library] = min(best[library], timed(run, path, options.limit)[1])
                if turn and time.perf_counter() - started > options.limit:
                    break
        except (Exception, SystemExit, TookTooLong) as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        plain = best["NumPy"], best["again"]
        ratio, noise = best["gpunp"] / mean(plain), max(plain) / min(plain)
        rows.append({"program": name, **best, "ratio": ratio, "noise": noise})
    return rows


def print_table(rows, libraries):
    print(f"{'program':<34}" + "".join(f"{library:>10}" for library in libraries) + "   faster")
    for row in rows:
        times = [row.get(library, {}) for library in libraries]
        cells = [f"{each['seconds'] * 1e3:.1f} ms" if "seconds" in each else "-" for each in times]
        faster = [f"{each:.1f}x" for each in ratios([row], "gpunp", "NumPy")] or ["-"]
        print(f"{row['program']:<34}" + "".join(f"{cell:>10}" for cell in cells) + f"{faster[0]:>9}", end="")
        wrong = [library for library in libraries if row.get(library, {}).get("agrees") is False]
        failed = [library for library in libraries if "error" in row.get(library, {})]
        errors = [f"{library}: {row[library]['error']}" for library in failed]
        print("", *(f"{library} prints other numbers" for library in wrong), *errors)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", help="such as finance/black_scholes (default: all)")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--libraries", type=lambda text: text.split(","), default=list(LIBRARIES))
    parser.add_argument("--library", choices=LIBRARIES, help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=float, default=6.0, help="seconds for a program (default: 6)")
    parser.add_argument(
        "--seconds",
        type=float,
        nargs="+",
        help="one number, or three for gpunp, NumPy and CuPy (default: 40, any with --own-sizes)",
    )
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--own-sizes", action="store_true", help="the cost of the layer for small programs")
    return parser.parse_args()


def main():
    """Run the command."""
    global CLOCK
    options = parse()
    CLOCK = CLOCKS[options.clock]
    if options.library:
        run_library(options.library, options)
        return
    if options.own_sizes:
        rows = own_sizes(options)
        for row in sorted(rows, key=lambda row: row["ratio"]):
            times = "".join(f"{row[library] * 1e3:>10.2f} ms" for library in ("NumPy", "gpunp"))
            print(f"{row['program']:<34}{times}{row['ratio']:>8.3f}{row['noise']:>8.3f}")
        factors = [1 / row["ratio"] for row in rows]
        result = {"own sizes": rows, "mean": mean([row["ratio"] for row in rows]), "losing": losing(factors)}
        print(f"geometric mean of the ratios: {result['mean']:.3f}")
        print(f"programs that lose more than 5 %: {result['losing']:.0%} of {len(rows)}")
        print(f"NumPy's own two times differ by: {mean([row['noise'] for row in rows]) - 1:.1%}")
    else:
        rows = compare(options)
        print_table(rows, options.libraries)
        result = {"rows": rows}
        for reference in options.libraries:
            if reference != "gpunp":
                found = ratios(rows, "gpunp", reference)
                means = {"programs": len(found), "mean": mean(found), "losing": losing(found)}
                result[f"over {reference}"] = means
                print(f"over {reference}: {result[f'over {reference}']}")
    save(options, result)


CLOCK = time.perf_counter
if __name__ == "__main__":
    main()

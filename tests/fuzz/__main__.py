"""Random programs compared with NumPy: ``python tests/fuzz --seed 1 --programs 100000 --jobs 2``.

With ``--chains``, programs are compared with themselves without automatic fusion, bit by bit.
"""

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# Seconds after which a program counts as hung.
_HUNG = 200


def arguments(given=None):
    parser = argparse.ArgumentParser(prog="tests/fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of the random programs")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--chains", action="store_true", help="compare with and without fusion")
    parser.add_argument("--visits", type=int, default=1, help="with --chains: runs with other numbers")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=0, help="stop after this time")
    parser.add_argument("--output", help="a folder for scripts of the differences")
    parser.add_argument("--lines", type=int, default=60, help="length of the summary")
    parser.add_argument("--show", action="store_true", help="print every statement of the programs")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--note", help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    if options.visits > 1 and not options.chains:
        parser.error("--visits needs --chains")
    return options


# -- the process that runs programs


def work(options):
    """Run every ``jobs``-th program; results are lines of JSON."""
    os.environ["GPUNP_DEVICE"] = options.device
    import warnings

    import explained

    import gpunp

    program = importlib.import_module("chains" if options.chains else "program")

    warnings.simplefilter("ignore")
    device = gpunp.Device(options.device)
    device.use()
    total = gpunp.ones(2).sum()
    before = total
    total += 1
    scalars = float(before) == 2
    descriptor = os.open(options.note, os.O_WRONLY | os.O_CREAT)
    end = time.monotonic() + options.seconds if options.seconds else float("inf")
    counts = {"programs": 0, "statements": 0, "explained": {}}

    def note(statements, made):
        text = "\n".join([f"NumPy {number}", *(each.text for each in statements), made.text])
        os.pwrite(descriptor, text.encode() + b"\0", 0)
        if options.show:
            print(made.text, flush=True)

    def mark():
        os.pwrite(descriptor, b"gpunp", 0)

    last = time.monotonic()
    for number in range(options.first + options.worker, options.first + options.programs, options.jobs):
        place, visit = number, {}
        if options.visits > 1:
            place, visit["visit"] = program.place_of(number, options.jobs, options.visits)
        seed = options.seed * 1_000_000_007 + place
        try:
            counts["statements"] += program.run(seed, device, scalars, note, mark, **visit)
        except program.Failure as failure:
            counts["statements"] += len(failure.statements)
            # The replay compares all variables after each statement. It finds nothing if the failure depends
            # on earlier programs in this process.
            failure = program.replay(failure.statements, device, scalars) or failure
            words = None if failure.case is None else explained.explanation(failure.case)
            if words is not None:
                counts["explained"][words] = counts["explained"].get(words, 0) + 1
            else:
                report(number, failure, program, device, scalars)
        counts["programs"] += 1
        if time.monotonic() > last + 1:
            last = time.monotonic()
            print(json.dumps({"counts": counts}), flush=True)
            counts = {"programs": 0, "statements": 0, "explained": {}}
            if last > end:
                break
    print(json.dumps({"counts": counts, "finished": True}), flush=True)


def report(number, failure, program, device, scalars):
    shortest = program.shorten(failure, device, scalars)
    found = {
        "number": number,
        "kind": failure.kind,
        "text": shortest.text,
        "statement": failure.statements[-1].text,
        "script": program.script(shortest.statements),
    }
    print(json.dumps({"failure": found}), flush=True)


# -- the process that starts them


class Worker(threading.Thread):
    """Starts one process after another until its programs are done."""

    def __init__(self, options, index, results):
        super().__init__()
        self.options, self.index, self.results = options, index, results
        self.first = options.first
        self.folder = tempfile.TemporaryDirectory()
        self.note = os.path.join(self.folder.name, "note")

    def run(self):
        end = time.monotonic() + self.options.seconds if self.options.seconds else None
        while True:
            left = None if end is None else max(end - time.monotonic(), 0.1)
            finished, status = self.process(left)
            if finished:
                return
            side, number, text = self.last_note()
            found = {
                "number": number,
                "kind": "hung" if status == "hung" else "death",
                "text": f"the process ended with status {status}",
                "statement": text.rpartition("\n")[2] or "start",
                "script": text,
            }
            # A crash in NumPy itself is shown, but does not count as a failure.
            numpy_died = side == "NumPy" and isinstance(status, int) and status < 0
            (self.results.deaths_of_numpy if numpy_died else self.results.failures).append(found)
            if number is None or (left is not None and left <= 0.1):
                return
            # Continue with this worker's next program.
            self.first = number + self.options.jobs - self.index

    def process(self, left):
        options = self.options
        stop = options.first + options.programs
        command = [
            sys.executable,
            "-P",
            str(Path(__file__).parent),
            "--worker",
            str(self.index),
            "--note",
            self.note,
            "--seed",
            str(options.seed),
            "--first",
            str(self.first),
            "--programs",
            str(stop - self.first),
            "--device",
            options.device,
            "--jobs",
            str(options.jobs),
            "--seconds",
            str(left or 0),
            "--visits",
            str(options.visits),
            *(["--chains"] if options.chains else []),
        ]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        errors = []
        threading.Thread(target=lambda: errors.append(child.stderr.read()), daemon=True).start()
        hung = threading.Event()
        watch = threading.Thread(target=self.watch, args=(child, hung), daemon=True)
        watch.start()
        finished = False
        for line in child.stdout:
            # LAPACK also prints messages to stdout.
            if not line.startswith("{"):
                continue
            message = json.loads(line)
            finished |= message.get("finished", False)
            self.results.add(message)
        status = child.wait()
        if not finished and status > 0:
            time.sleep(0.1)
            status = f"{status}\n{''.join(errors)[-3000:]}"
        return finished, "hung" if hung.is_set() else status

    def watch(self, child, hung):
        while child.poll() is None:
            time.sleep(1)
            if os.path.exists(self.note) and time.time() - os.path.getmtime(self.note) > _HUNG:
                hung.set()
                child.send_signal(signal.SIGKILL)

    def last_note(self):
        if not os.path.exists(self.note):
            return "gpunp", None, ""
        text = Path(self.note).read_bytes().split(b"\0")[0].decode()
        first, _, rest = text.partition("\n")
        side, number = first.split()
        return side, int(number), rest


class Results:
    """The sums of the workers' results."""

    def __init__(self):
        self.programs = self.statements = 0
        self.explained, self.failures, self.deaths_of_numpy = {}, [], []
        self.lock = threading.Lock()

    def add(self, message):
        with self.lock:
            if "failure" in message:
                self.failures.append(message["failure"])
            counts = message.get("counts")
            if counts:
                self.programs += counts["programs"]
                self.statements += counts["statements"]
                for words, count in counts["explained"].items():
                    self.explained[words] = self.explained.get(words, 0) + count

    def groups(self):
        """Group failures by their kind and by the functions in their last statement."""
        import re

        groups = {}
        for failure in self.failures:
            name = " ".join(
                re.findall(r"np\.[a-z_.0-9]+|\)\.[a-z]+|[-+*/%&|^<>=]=", failure["statement"])[:2]
            )
            groups.setdefault((failure["kind"], name or failure["statement"][:30]), []).append(failure)
        return sorted(groups.items(), key=lambda item: -len(item[1]))


def summary(results, options, seconds):
    """The lines to print."""
    lines = [
        f"{results.programs} programs, {results.statements} statements, {seconds:.1f} s, "
        f"{results.programs / seconds:.0f} programs/s on {options.device}",
    ]
    groups = results.groups()
    explained = sorted(results.explained.items())[: options.lines // 2]
    lines += [f"explained {count:6d}: {' '.join(words.split())}" for words, count in explained]
    for each in results.deaths_of_numpy[:3]:
        lines.append(f"NumPy itself: {each['text']} [program {each['number']}] {each['statement']}"[:240])
    lines.append(f"not explained: {len(results.failures)} programs in {len(groups)} groups")
    for (kind, name), failures in groups[: max(options.lines - len(lines) - 2, 1)]:
        first = min(failures, key=lambda failure: len(failure["script"]))
        text = " ".join(f"{first['statement']}: {first['text']}".split())
        lines.append(f"{len(failures):5d} {kind} {name} [program {first['number']}] {text}"[:240])
    return lines


def write(results, folder):
    """Write a script for each group of failures."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, ((kind, name), failures) in enumerate(results.groups()):
        shown = sorted(failures, key=lambda failure: len(failure["script"]))[:3]
        text = "".join(
            f"# program {each['number']}, {kind}: {each['text']!r}\n{each['script']}\n" for each in shown
        )
        word = "".join(c for c in name if c.isalnum() or c in "._") or "operator"
        (Path(folder) / f"{number:03d}_{kind.replace(' ', '_')}_{word}.py").write_text(text)


def main(given=None):
    options = arguments(given)
    if options.worker is not None:
        return work(options)
    results = Results()
    start = time.monotonic()
    workers = [Worker(options, index, results) for index in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(*summary(results, options, time.monotonic() - start), sep="\n")
    if options.output:
        write(results, options.output)
    elif results.failures:
        print(min((failure["script"] for failure in results.failures), key=len))
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())

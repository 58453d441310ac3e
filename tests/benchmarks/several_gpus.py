"""Several GPUs of one host: collectives, peer copies, distributed arrays and threads, and their references.

    cd tests; python benchmarks/several_gpus.py --gpus 2 --json several.json

Each part runs in processes of its own, so that one which fails or hangs spoils nothing else. With
``--quick`` the arrays are tiny, and with GPUNP_DEVICE=cpu the CPU device stands in for every GPU, to try the
program. The numbers for docs/scaling.md are among the rows: `scaling_model.py several.json` prints its
tables.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from several_gpus_rows import QUICK, arrays, collectives, emit, row

from gpunp.distributed.__main__ import free_port

HERE = Path(__file__).resolve()
# Part, seconds it may take, and whether it runs as one process for each GPU.
LIMITS = {"collectives": (60, True), "arrays": (75, False), "dask": (90, False)}


def dask(gpus):
    """Rows of dask, by several_gpus_dask.py: its ``rows(gpus)`` gives pairs of a name and a dict."""
    path = HERE.with_name("several_gpus_dask.py")
    if not path.exists():
        return
    spec = importlib.util.spec_from_file_location("several_gpus_dask", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["several_gpus_dask"] = module
    spec.loader.exec_module(module)
    for name, values in module.rows(gpus):
        emit(name, **values)


PARTS = {"collectives": collectives, "arrays": arrays, "dask": dask}


def start(name, gpus, several):
    """Start the processes of a part: one for each GPU if ``several``, else one."""
    common = {"NCCL_NVLS_ENABLE": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    command = [
        sys.executable,
        str(HERE),
        "--part",
        name,
        "--gpus",
        str(gpus),
        *(["--quick"] if QUICK else []),
    ]
    processes = []
    for rank in range(gpus if several else 1):
        variables = {**os.environ, **common}
        if several:
            variables |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(gpus)}
        processes.append(
            subprocess.Popen(
                command,
                env=variables,
                stdout=subprocess.PIPE,
                text=True,
                # Workers of dask are its children, and end with it.
                start_new_session=True,
            )
        )
    return processes


def run_part(name, gpus, seconds, several):
    """The rows of a part; what its processes have not printed in time is lost, the rest is not."""
    processes = start(name, gpus, several)
    texts, readers = [[] for _ in processes], []
    for process, text in zip(processes, texts, strict=True):
        readers.append(threading.Thread(target=lambda p=process, t=text: t.extend(p.stdout), daemon=True))
        readers[-1].start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(process.poll() is None for process in processes):
        time.sleep(0.1)
    late = [rank for rank, process in enumerate(processes) if process.poll() is None]
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for reader in readers:
        reader.join(5)
    rows = [json.loads(line[4:]) for text in texts for line in text if line.startswith("ROW ")]
    if late:
        rows.append({"name": name, "error": f"processes {late} did not end within {seconds:.0f} s"})
    failed = [process.returncode for process in processes if process.returncode > 0]
    if failed:
        rows.append({"name": name, "error": f"processes ended with {failed}; see the text above"})
    return rows


def main():
    """Run the parts, print their rows and write them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="tiny arrays, to try the program")
    parser.add_argument("--seconds", type=float, default=145, help="for all parts together")
    parser.add_argument("--only", choices=PARTS, action="append", help="parts to run; all by default")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        with row(options.part):
            PARTS[options.part](options.gpus)
        return
    end = time.monotonic() + options.seconds
    rows = []
    for name, (seconds, several) in LIMITS.items():
        if options.only and name not in options.only:
            continue
        left = end - time.monotonic()
        if left < 5:
            rows.append({"name": name, "error": "no time was left"})
            continue
        # Tiny arrays take seconds, but the machine may be busy with other things.
        found = run_part(name, options.gpus, left if QUICK else min(seconds, left), several)
        for each in found:
            print(json.dumps(each), flush=True)
        rows += found
        if options.json:
            Path(options.json).write_text(json.dumps({"gpus": options.gpus, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()

"""The limits with which rows are compared, measured in the same run."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path
from statistics import median

import numpy as np
from libraries import host_values

SOURCE = Path(__file__).with_name("ceilings.cpp")


def measure_cuda(size):
    """Launch cost, bandwidths and the time to create a context, from a program that uses only the driver."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise SystemExit("the ceilings are measured by a C++ program: install g++ or set CXX")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ceilings"
        subprocess.run([compiler, "-O2", "-std=c++17", SOURCE, "-o", program, "-ldl"], check=True)
        found = run_program(program, "all", str(4 * size.elements))
        found["context"] = median(run_program(program, "context")["context"] for _ in range(size.repeats))
    # Both are bandwidths of the same memory: the larger one is closer to the limit of reading.
    found["read"] = max(found["read"], found["copy"])
    return found


def run_program(*command):
    """Run a program and parse the JSON that it prints."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure_cpu(size):
    """The same limits for the CPU device, measured with NumPy."""
    source = host_values(size.elements)
    target = source.copy()
    copy = median(timeit.repeat(lambda: np.copyto(target, source), number=1, repeat=9))
    read = median(timeit.repeat(source.sum, number=1, repeat=9))
    return {
        "context": 0.0,
        "launch": 0.0,
        "copy": 2 * source.nbytes / copy,
        "read": source.nbytes / read,
        "pinned up": source.nbytes / copy,
        "pinned down": source.nbytes / copy,
        "device": "CPU device",
        "driver": "none",
    }


def cold_seconds(program, repeats):
    """The seconds that a program prints, as the median over new processes with empty kernel caches.

    Python's bytecode cache is filled, as after an installation, by a first process that is not counted.
    """
    samples = []
    with tempfile.TemporaryDirectory() as bytecode:
        for _ in range(repeats + 1):
            with tempfile.TemporaryDirectory() as folder:
                caches = {"CUPY_CACHE_DIR": folder, "CUDA_CACHE_PATH": folder, "GPUNP_CACHE_DIR": folder}
                environment = {**os.environ, **caches, "PYTHONPYCACHEPREFIX": bytecode}
                environment.pop("PYTHONDONTWRITEBYTECODE", None)
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    capture_output=True,
                    text=True,
                    cwd=folder,
                    env=environment,
                )
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1])
            samples.append(float(done.stdout))
    return median(samples[1:])

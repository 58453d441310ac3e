"""Random programs have the same bits with and without fusion: a short run of ``tests/fuzz --chains``."""

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "fuzz"
PROGRAMS = 8000
SECONDS = 20


def test_random_chains(request, device):
    name = request.config.getoption("--device")
    given = ["--seed", 7, "--programs", PROGRAMS, "--seconds", SECONDS, "--device", name]
    command = [sys.executable, "-P", str(FUZZ), "--chains", *map(str, given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # A busy machine compiles for some seconds before the first program has run on a GPU.
    assert int(done.stdout.split()[0]) > (500 if name.startswith("cpu") else 10)

"""Random programs have the same bits with and without fusion: a short run of ``tests/fuzz --chains``."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"


@pytest.mark.parametrize(("programs", "visits"), [(2000, 1), (500, 20)])
def test_random_chains(programs, visits, request, device):
    name = request.config.getoption("--device")
    given = ["--seed", 7, "--programs", programs, "--visits", visits, "--device", name]
    if not device.is_cpu:
        # There, most of the time goes to compiling.
        given += ["--seconds", 20 if visits == 1 else 5]
    command = [sys.executable, "-P", str(FUZZ), "--chains", *map(str, given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = int(done.stdout.split()[0])
    # A busy machine compiles for some seconds before the first program has run on a GPU.
    assert ran == programs if device.is_cpu else ran > 0


def test_visits(monkeypatch):
    monkeypatch.syspath_prepend(str(FUZZ))
    visiting = importlib.import_module("chains.visiting")
    places = [visiting.place_of(number, 2, 3) for number in range(2 * 3 * 2 * visiting.BATCH)]
    assert len(set(places)) == len(places)
    assert {visit for _, visit in places} == {0, 1, 2}
    assert {program for program, _ in places} == set(range(4 * visiting.BATCH))
    # A process has its own programs, and finds each again after one batch.
    assert places[:3] == [(0, 0), (1, 0), (2, 0)]
    assert places[2 * visiting.BATCH] == (0, 1)

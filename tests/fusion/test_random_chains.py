"""Random programs have the same bits with and without fusion: a short run of ``tests/fuzz --chains``."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"
PROGRAMS = 8000
SECONDS = 20


@pytest.mark.parametrize("visits", [1, 20])
def test_random_chains(visits, request, device):
    name = request.config.getoption("--device")
    seconds = SECONDS if visits == 1 else 5
    given = ["--seed", 7, "--programs", PROGRAMS, "--visits", visits, "--seconds", seconds, "--device", name]
    command = [sys.executable, "-P", str(FUZZ), "--chains", *map(str, given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # A busy machine compiles for some seconds before the first program has run on a GPU.
    assert int(done.stdout.split()[0]) > (25 * seconds if name.startswith("cpu") else 3)


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

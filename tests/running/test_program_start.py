"""A program starts as soon as with NumPy: modules that it may not need are imported later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Modules of gpunp that are there when a program starts: the array, the dispatch and the layer itself.
PACKAGES = (
    "gpunp.array",
    "gpunp.dispatch",
    "gpunp.running",
    "gpunp.ufunc",
    "gpunp.lib",
    "gpunp.interop.dlpack",
    "gpunp.interop._on_import",
    "gpunp.indexing.basic",
    "gpunp.indexing.few",
    "gpunp.indexing.few_axes",
    "gpunp.manipulation.moves",
    "gpunp._version",
    "gpunp.array_behaviour",
    "gpunp.array_methods",
    "gpunp.array_shortcuts",
    "gpunp.deferring",
    "gpunp.device",
    "gpunp.einsum_shortcut",
    "gpunp.function_shortcuts",
    "gpunp.ufunc_shortcuts",
    "gpunp.dtype_codes",
    "gpunp.namespace",
    "gpunp.watching",
    "gpunp_scipy.routing",
)
NOT_AT_START = (
    "gpunp.running.checking",
    "gpunp.running.html_report",
    "gpunp.running.lines",
    "gpunp.running.notebook",
    "gpunp.running.progress",
    "gpunp.running.random_of_programs",
    "gpunp.running.report",
)
# Beside the modules of NumPy: what Cython makes, and a small module that some programs have not imported.
OTHERS = ("cython_runtime", "threading")
LIST = "import numpy, sys; print(*sys.modules)"
# `python -m` imports runpy, which imports more before Python 3.12.
WITHOUT = f"import copy, runpy; {LIST}"


def modules_of(*command):
    environment = {**os.environ, "GPUNP_DEVICE": "cpu"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return {*done.stdout.split()}


@pytest.mark.parametrize(
    "command",
    [("-c", f"import gpunp; {LIST}"), ("-m", "gpunp", "run", "-c", LIST)],
    ids=["import gpunp", "run"],
)
def test_what_is_imported_at_start(command):
    found = modules_of(*command) - modules_of("-c", WITHOUT)
    assert found & {*NOT_AT_START} == set()
    allowed = {".".join(name.split(".")[: i + 1]) for name in PACKAGES for i in range(name.count(".") + 1)}
    unexpected = {
        name
        for name in found - allowed
        if not name.startswith((*(f"{package}." for package in PACKAGES), "_cython_")) and name not in OTHERS
    }
    assert unexpected == set()


def test_modules_that_are_made_later(program):
    run = program(
        """
        import importlib, sys
        import numpy as np
        from numpy import fft
        import numpy.random as first
        from numpy.random import rand
        second = importlib.import_module("numpy.random")
        large, small = rand(20), np.random.default_rng(0).random(3)
        frequencies = fft.fftfreq(30)
        """
    )
    import gpunp

    assert run["first"] is run["second"] is run["np"].random
    assert run["fft"] is run["np"].fft
    assert vars(run["np"])["random"] is run["first"]
    assert isinstance(run["large"], gpunp.ndarray)
    assert isinstance(run["frequencies"], gpunp.ndarray)
    assert not isinstance(run["small"], gpunp.ndarray)


def test_json_that_is_imported_by_the_program():
    code = (
        "import numpy as np, json; "
        "print(json.dumps(np.ones(99).sum()), type(json.JSONEncoder.default).__name__)"
    )
    environment = {**os.environ, "GPUNP_DEVICE": "cpu", "GPUNP_RUN_THRESHOLD": "50"}
    done = subprocess.run(
        [sys.executable, "-m", "gpunp", "run", "-c", code],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("99.0 function\n", "")

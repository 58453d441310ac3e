"""Runs tests in forks of one process that has imported all modules but has not loaded the driver yet.

Reads lines of JSON, ``{"arguments": [...], "environment": {...}}``, and answers each with a line
``{"status": ..., "output": ...}``.
"""

import json
import os
import sys
import tempfile
import warnings

import gpunp.cuda.cublas
import gpunp.cuda.device  # noqa: F401
import numpy  # noqa: F401
import pytest


def run(arguments, environment):
    """Run pytest in a fork; return its exit status and its output."""
    with tempfile.TemporaryFile("w+") as output:
        with warnings.catch_warnings():
            # Python warns about forking with threads; those of NumPy's BLAS take no part in the tests.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os.environ.update(environment)
            status = pytest.main([*arguments, "-p", "no:benchmark"])
            sys.stdout.flush()
            os._exit(status)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return {"status": os.waitstatus_to_exitcode(status), "output": output.read()}


for line in sys.stdin:
    print(json.dumps(run(**json.loads(line))), flush=True)

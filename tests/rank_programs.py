"""Programs that run as several processes: started here, each with a limit of time."""

import os
import socket
import subprocess
import sys
import textwrap

HEAD = """
import os
import numpy as np
import gpunp
import gpunp.distributed as distributed
rank = int(os.environ["RANK"]) if "RANK" in os.environ else None
size = int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else None
"""


def free_port():
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(program, rank, size, port, **environment):
    """Start one process of a group, on the CPU device if the environment does not say another."""
    variables = {
        "GPUNP_DEVICE": "cpu",
        "OPENBLAS_NUM_THREADS": "1",
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": size,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        **environment,
    }
    variables = {name: str(value) for name, value in variables.items() if value is not None}
    left = {name: value for name, value in os.environ.items() if name not in environment}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", HEAD + textwrap.dedent(program)],
        env={**left, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(processes, timeout=120):
    """The outputs of processes, once they have ended; they are killed if they do not."""
    try:
        return [(*process.communicate(timeout=timeout), process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run(program, size, timeout=120, **environment):
    """Run a program as several processes that must succeed; return their outputs."""
    port = free_port()
    done = finish([start(program, rank, size, port, **environment) for rank in range(size)], timeout)
    for _, errors, status in done:
        assert status == 0, errors[-3000:]
    return [output for output, _, _ in done]

"""Start several processes of a program on this host: ``python -m gpunp.distributed -n 2 program.py``.

Each gets RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its environment. When one fails, the
others are ended.
"""

import argparse
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import time


def free_port():
    """A port on which nothing listens.

    Returns
    -------
    int
    """
    # Not of the ports that systems give to outgoing connections: one could take it before rank 0 listens.
    for _ in range(1000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", 15000 + secrets.randbelow(15000)))
            return probe.getsockname()[1]
    raise RuntimeError("no free port was found between 15000 and 30000; pass --port")


def start(count, command, port=None):
    """Start processes that find each other.

    Parameters
    ----------
    count : int
    command : list of str
        Arguments of Python.
    port : int, optional
        By default any free one.

    Returns
    -------
    list of subprocess.Popen
    """
    common = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port or free_port())}
    processes = []
    try:
        for rank in range(count):
            own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            processes.append(
                subprocess.Popen([sys.executable, *command], env={**os.environ, **common, **own})
            )
    except BaseException:
        _end(processes)
        raise
    return processes


def _end(processes):
    """End the processes that still run."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait(processes):
    """Wait for processes; end all when one fails.

    Parameters
    ----------
    processes : list of subprocess.Popen

    Returns
    -------
    int
        The status of the first that failed, or 0.
    """
    try:
        running = list(processes)
        while running:
            for process in list(running):
                status = process.poll()
                if status is None:
                    continue
                running.remove(process)
                if status:
                    print(
                        f"rank {processes.index(process)} ended with status {status}; the others are ended "
                        "too",
                        file=sys.stderr,
                    )
                    return status if status > 0 else 128 - status
            time.sleep(0.02)
        return 0
    finally:
        _end(processes)


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional

    Returns
    -------
    int
    """
    parser = argparse.ArgumentParser(
        prog="python -m gpunp.distributed", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("-n", "--processes", type=int, required=True, help="how many, one for each GPU")
    parser.add_argument("--port", type=int, help="where the processes meet; any free one by default")
    parser.add_argument("-m", action="store_true", dest="module", help="PROGRAM is the name of a module")
    parser.add_argument("program", help="a Python file, or the name of a module with -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for the program")
    options = parser.parse_args(arguments)
    if options.processes < 1:
        parser.error(f"--processes must be at least 1, not {options.processes}")
    command = [*(("-m",) if options.module else ()), options.program, *options.arguments]
    return wait(start(options.processes, command, options.port))


if __name__ == "__main__":
    sys.exit(main())

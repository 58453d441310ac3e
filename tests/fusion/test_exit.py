"""Processes that end or fork while work is pending."""

import os
import subprocess
import sys
import textwrap

import pytest
from waiting import PATIENCE

START = """
import os, sys
import numpy as np, gpunp
from gpunp import fusion
fusion.set_least_elements(1)
x = gpunp.asarray(np.arange(24.0))
y = x * 2
y += 1
"""


def run(program, device):
    environment = {
        **os.environ,
        "GPUNP_DEVICE": f"{device.kind}:{device.index}" if not device.is_cpu else "cpu",
    }
    return subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", START + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )


EXITS = {
    "with pending work": ("", ""),
    "with a cycle": ("l = [y]; l.append(l); del y", ""),
    "while a thread has pending work": (
        "import threading; threading.Thread(target=lambda: globals().update(z=y * 2)).start()",
        "",
    ),
    "with atexit": ("import atexit; atexit.register(lambda: print((y + 1).tolist()[3]))", "8.0\n"),
    "with __del__": (
        """
        class Holder:
            def __del__(self):
                y[1:] += y[:-1]
                print((y * 2).sum().shape)
        Holder()
        h = Holder()
        h.h = h
        """,
        "()\n()\n",
    ),
    "with sys.exit": ("sys.exit(0)", ""),
    "with os._exit": ("print(y.tolist()[3]); z = y + 1; sys.stdout.flush(); os._exit(0)", "7.0\n"),
}


@pytest.mark.parametrize("name", EXITS)
def test_exit(name, device):
    program, printed = EXITS[name]
    done = run(program, device)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", printed)


def test_fork_with_pending_work(device):
    if not device.is_cpu:
        pytest.skip("CUDA does not work after a fork")
    done = run(
        """
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            y += 1
            os.write(writer, repr((y.tolist()[3], (x + y).tolist()[3])).encode())
            os._exit(0)
        y *= 2
        assert os.waitpid(child, 0)[1] == 0
        print(os.read(reader, 100).decode(), y.tolist()[3])
        """,
        device,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "(8.0, 11.0) 14.0\n")


def test_fork_while_another_thread_runs_operations(device):
    if not device.is_cpu:
        pytest.skip("CUDA does not work after a fork")
    done = run(
        """
        import signal, threading
        signal.alarm(200)
        large = gpunp.asarray(np.zeros(1 << 16))
        going = True
        def work():
            while going:
                (large + 1).sum()
        thread = threading.Thread(target=work)
        thread.start()
        for k in range(20):
            z = x + k
            child = os.fork()
            if child == 0:
                signal.alarm(200)
                w = z * 2
                os._exit(0 if (w + y).tolist()[3] == 2 * (3 + k) + 7 else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert z.tolist()[3] == 3 + k
        going = False
        thread.join()
        """,
        device,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")

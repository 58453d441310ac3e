"""The thread that runs what a program has deferred and then left, so that a GPU does not idle meanwhile.

It sleeps until an operation is deferred, and again when nothing was deferred for a while.
"""

import os
import threading

from gpunp import watching
from gpunp.fusion import rest, trace

_deferred = threading.Event()
_thread = None


# A child process has no such thread, and starts one at its first deferred operation.
os.register_at_fork(after_in_child=trace.let_watch_sleep)


def wake():
    """Start to watch; called when an operation is deferred."""
    global _thread
    _deferred.set()
    if _thread is None or not _thread.is_alive():
        thread = threading.Thread(target=_watch, name="gpunp fusion watch", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # The interpreter exits, or there are no more threads. A later use of the arrays runs them.
            return
        _thread = thread


def _watch():
    while True:
        with watching.reading():
            device = _wait()
        _run(device)


def _wait():
    """Wait for a device whose operations have been left."""
    while True:
        device, busy = rest.wait_for_rest()
        if device is not None:
            return device
        if not busy:
            _deferred.clear()
            trace.let_watch_sleep()
            _deferred.wait()


def _run(device):
    try:
        trace.run_deferred(device)
    except Exception:
        # It is raised again, where the operations are needed.
        return

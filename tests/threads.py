"""Concurrent threads in tests."""

import contextlib
import sys
import threading


def run_together(*works):
    """Run each function in its own thread, all started together.

    Returns
    -------
    list
        The results, in the order of the functions.

    Raises
    ------
    BaseException
        The first exception of a function, after all have ended.
    """
    start = threading.Barrier(len(works))
    results, raised = [None] * len(works), []

    def run(number):
        try:
            start.wait()
            results[number] = works[number]()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return results


@contextlib.contextmanager
def often_switched():
    """Make the interpreter switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)

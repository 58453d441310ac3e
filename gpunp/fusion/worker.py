"""The background thread that compiles and loads kernels of groups.

It starts with the first request and has a low priority. What fails is kept for `failures`: a program never
sees it otherwise, since groups without a kernel run step by step.
"""

import atexit
import collections
import importlib
import os
import sys
import threading
import time
from time import perf_counter

from gpunp import watching
from gpunp.fusion import observing

# How much more the thread yields to others than the program does.
_NICENESS = 10
# Messages that are kept at most.
_MOST_FAILURES = 100
# Seconds for which the thread leaves the interpreter to others after each of its steps in Python. Otherwise
# they wait up to 5 ms to get it back, in the middle of a program of calls that take less than one.
_PAUSE = 0.001
# Seconds that the exit of the interpreter waits for the thread.
_EXIT_PATIENCE = 5

# What making kernels needs, each module after those that it imports.
_FAMILIES = (
    "arithmetic",
    "comparison",
    "logical",
    "bitwise",
    "exponential",
    "trigonometric",
    "hyperbolic",
    "rounding",
    "floating",
    "special",
    "long_rows",
    "special_long",
    "special_cylinder",
    "special_distributions",
    "special_hypergeometric",
    "special_spheroidal",
    "internal",
    "standard",
)
_NEEDED = (
    "gpunp.compiler.request",
    "gpunp.compiler.toolkit",
    "gpunp.compiler.keys",
    "gpunp.compiler.header_hash",
    "gpunp.compiler.module",
    "gpunp.compiler.cache",
    "gpunp.compiler.cache_files",
    "gpunp.compiler.compiling",
    "gpunp.compiler.dynamic",
    "gpunp.compiler.errors",
    "gpunp.fusion.compiled",
    "gpunp.custom.signature",
    "gpunp.custom.source",
    *(f"gpunp.ufunc.table.{family}" for family in _FAMILIES),
    "gpunp.ufunc.table.functions",
    "gpunp.fusion.source",
)
_NEEDED_TO_REDUCE = (
    "gpunp.reduction.records",
    "gpunp.reduction.functors",
    "gpunp.fusion.reduction_source",
    "gpunp.fusion.row_source",
)
_NEEDED_FOR_CUDA = (
    "gpunp.compiler.nvrtc",
    "gpunp.compiler.precompiled",
    "gpunp.compiler.cuda_compiler",
    "gpunp.compiler.cuda_module",
)
_NEEDED_FOR_HOST = (
    "subprocess",
    "tempfile",
    "gpunp.compiler.external",
    "gpunp.compiler.folders",
    "gpunp.compiler.host_compiler",
    "gpunp.compiler.host_module",
)


class _State:
    """What belongs to one process: a fork starts with a new one."""

    def __init__(self):
        self.changed = threading.Condition()
        self.queue = collections.deque()
        self.running = None
        self.thread = None
        self.leaving = False
        # Threads that wait for the kernels.
        self.waiting = 0


_state = _State()
_failures = collections.deque(maxlen=_MOST_FAILURES)
# Kernels that were compiled and that could not be had; and the time that compiling took.
_counts = collections.Counter()


def request(entry):
    """Have a kernel made, unless it has been requested already.

    Parameters
    ----------
    entry : Entry
        Its ``make`` compiles and loads; ``requested`` is set here, ``failed`` if there will be no kernel.
    """
    state = _state
    with state.changed:
        if entry.requested or state.leaving:
            return
        entry.requested = True
        state.queue.append(entry)
        if state.thread is None:
            thread = threading.Thread(target=_run, args=(state,), name="gpunp fusion", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                # The system has no more threads, or the interpreter exits.
                state.queue.clear()
                fail(entry, error)
                return
            state.thread = thread
            atexit.register(_leave, state)
        state.changed.notify_all()


def fail(entry, error):
    """Keep an error for the report.

    Parameters
    ----------
    entry : Entry
    error : Exception
    """
    entry.failed = not entry.ready
    _counts["failed"] += entry.failed
    _failures.append((str(entry), f"{type(error).__name__}: {error}"))


def make_now(entry):
    """Have a kernel made and wait for it. If that fails, the error is kept, as in the background.

    Parameters
    ----------
    entry : Entry
    """
    state = _state
    with state.changed:
        if entry in state.queue:
            state.queue.remove(entry)
        state.waiting += 1
        try:
            state.changed.wait_for(lambda: state.running is not entry)
        finally:
            state.waiting -= 1
        entry.requested = True
    if entry.ready or entry.failed:
        return
    try:
        taken = _make(entry)
    except BaseException:
        # An interrupt, for example: the group requests its kernel again when it is seen next.
        entry.requested = False
        raise
    _count(entry, taken)


def _make(entry):
    """Compile and load; return the milliseconds that compiling took, None if nothing was compiled."""
    start = perf_counter()
    try:
        compiled = entry.make()
    except Exception as error:
        fail(entry, error)
        return None
    return 1000 * (perf_counter() - start) if compiled else None


def _count(entry, taken):
    if taken is None:
        return
    _counts["compiled"] += 1
    _counts["milliseconds"] += taken
    if observing.is_observed():
        observing.tell_compiled(entry.name, taken)


def counts():
    """Numbers of kernels: "compiled" and "failed"; and "milliseconds" of compiling.

    Returns
    -------
    Counter
    """
    return _counts.copy()


def reset_counts():
    """Count from zero again, and forget what went wrong."""
    _counts.clear()
    _failures.clear()


def failures():
    """What went wrong: pairs of a group and a message, the latest last.

    Returns
    -------
    list of (str, str)
    """
    return list(_failures)


def wait(timeout=None):
    """Wait until all requests are done.

    Parameters
    ----------
    timeout : float, optional
        Seconds.

    Returns
    -------
    bool
        Whether they are.
    """
    state = _state
    with state.changed:
        state.waiting += 1
        try:
            return state.changed.wait_for(lambda: not state.queue and state.running is None, timeout)
        finally:
            state.waiting -= 1


def pause():
    """Let other threads run Python code, unless they wait for this one; for the background thread only.

    Raises
    ------
    SystemExit
        If the interpreter exits, to end the thread.
    """
    state = _state
    if threading.current_thread() is not state.thread:
        return
    if state.leaving:
        raise SystemExit
    if not state.waiting:
        time.sleep(_PAUSE)


def bring(*, for_cuda, reduces):
    """Import all that making a kernel needs, with a pause after each module.

    Parameters
    ----------
    for_cuda : bool
        Whether the kernel is for CUDA, or for the CPU device.
    reduces : bool
        Whether it is a reduction.
    """
    for name in _NEEDED + (_NEEDED_FOR_CUDA if for_cuda else _NEEDED_FOR_HOST) + _NEEDED_TO_REDUCE * reduces:
        if name not in sys.modules:
            importlib.import_module(name)
            pause()


def _run(state):
    """The thread: one request after the other."""
    _yield_to_others()
    while True:
        with state.changed:
            state.changed.wait_for(lambda: state.queue or state.leaving)
            if state.leaving:
                return
            entry = state.running = state.queue.popleft()
        try:
            # Making a kernel writes no array; observers, which are told of it afterwards, may.
            with watching.reading():
                taken = _make(entry)
            _count(entry, taken)
        finally:
            with state.changed:
                state.running = None
                state.changed.notify_all()


def _yield_to_others():
    try:
        # Threads have priorities of their own on Linux.
        thread = threading.get_native_id()
        before = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(before + _NICENESS, 19))
    except OSError:
        # Some containers forbid it.
        return


def _leave(state):
    """Drop all requests when the interpreter exits, and wait for the thread to end."""
    if state is not _state:
        return
    with state.changed:
        state.leaving = True
        state.queue.clear()
        state.changed.notify_all()
    # If the thread is importing one of these modules, the import here waits for it. If it has not begun to,
    # its next `pause` ends it.
    if "gpunp.compiler.nvrtc" in sys.modules:
        from gpunp.compiler.nvrtc import cancel_all

        cancel_all()
    if "gpunp.compiler.external" in sys.modules:
        from gpunp.compiler.external import cancel

        cancel(state.thread.ident)
    state.thread.join(_EXIT_PATIENCE)


def _forget():
    """After a fork the child has neither the thread nor its lock: what was requested counts as new."""
    global _state
    old, _state = _state, _State()
    for entry in (*old.queue, old.running):
        if entry is not None:
            entry.requested = False


os.register_at_fork(after_in_child=_forget)

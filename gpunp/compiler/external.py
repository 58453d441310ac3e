"""Compilers that are programs of their own: g++, clang++ and nvcc."""

import os
import signal
import subprocess
import threading

from gpunp.compiler.errors import CompileException

_lock = threading.Lock()
# The compilers that run, by the threads that wait for them; and threads that start no more.
_running = {}
_cancelled = set()


def run_compiler(request, words, folder, title):
    """Run a compiler.

    Parameters
    ----------
    request : Request
    words : list of str
        Its path and arguments.
    folder : str
        The working directory, with the source. Its name does not show in messages.
    title : str
        The name of the compiler.

    Returns
    -------
    str
        What it wrote.

    Raises
    ------
    CompileException
        If it failed.
    RuntimeError
        If the interpreter exits.
    """
    code, log = _run(words, folder, title)
    log = log.replace(folder + os.sep, "").strip()
    if code:
        log = log or f"{title} exited with status {code}"
        raise CompileException(log, request.source, request.name, request.options.words, title)
    return log


def _run(words, folder, title):
    """Run a compiler to its end; return its status and what it wrote."""
    thread = threading.get_ident()
    with _lock:
        if thread in _cancelled:
            raise RuntimeError(f"{title} was not started, as the interpreter exits")
        process = subprocess.Popen(
            words,
            cwd=folder,
            # Messages in English.
            env=dict(os.environ, LC_ALL="C"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # With the programs that it starts, so that it can be stopped with them.
            process_group=0,
        )
        _running[thread] = process
    try:
        with process:
            try:
                output, errors = process.communicate()
            except BaseException:
                _stop(process)
                raise
    finally:
        with _lock:
            del _running[thread]
    return process.returncode, output + errors


def _stop(process):
    # A compiler that is terminated removes its temporary files.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)


def cancel(thread):
    """Stop the compiler that a thread waits for, and let it start no other, when the interpreter exits.

    Parameters
    ----------
    thread : int
        Its identifier.
    """
    with _lock:
        _cancelled.add(thread)
        process = _running.get(thread)
    if process is not None:
        _stop(process)


def _forget():
    """After a fork no thread waits for a compiler."""
    global _lock
    _lock = threading.Lock()
    _running.clear()
    _cancelled.clear()


os.register_at_fork(after_in_child=_forget)

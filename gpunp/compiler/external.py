"""Compilers that are programs of their own: g++, clang++ and nvcc."""

import os
import subprocess

from gpunp.compiler.errors import CompileException


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
    """
    done = subprocess.run(
        words,
        cwd=folder,
        # Messages in English.
        env=dict(os.environ, LC_ALL="C"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    log = (done.stdout + done.stderr).replace(folder + os.sep, "").strip()
    if done.returncode:
        log = log or f"{title} exited with status {done.returncode}"
        raise CompileException(log, request.source, request.name, request.options.words, title)
    return log

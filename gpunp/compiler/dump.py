"""Sources and logs as files, for people and profilers: ``GPUNP_DUMP_SOURCE``."""

import os

from gpunp.compiler.errors import CompileException
from gpunp.compiler.keys import Digest


def dumping(make, request):
    """Compile, and write the source and the log into the folder that GPUNP_DUMP_SOURCE names.

    Parameters
    ----------
    make : callable
        Returns the Compiled of a request.
    request : Request

    Returns
    -------
    Compiled
    """
    path = path_of(request)
    if request.line_info and not request.folder:
        # Profilers open the file that the line information names.
        request.name = path
    try:
        compiled = make(request)
    except CompileException as error:
        write(path, request, error.log)
        raise
    write(path, request, "taken from the cache" if compiled.from_cache else compiled.log)
    return compiled


def path_of(request):
    """The file that the source of a request is written to.

    Parameters
    ----------
    request : Request

    Returns
    -------
    str
    """
    folder = os.environ["GPUNP_DUMP_SOURCE"]
    digest = Digest()
    digest.add(request.source, str(request.architecture), *request.options.words, *request.expressions)
    stem, suffix = os.path.splitext(request.file_name)
    return os.path.join(os.path.abspath(folder), f"{stem}-{digest.text()[:10]}{suffix}")


def write(path, request, outcome):
    """Write the source, and beside it how it was compiled and what came of it.

    Parameters
    ----------
    path : str
        From `path_of`.
    request : Request
    outcome : str
        The log of the compiler, or a remark.
    """
    target = "CPU" if request.on_cpu else f"compute capability {request.architecture / 10:.1f}"
    lines = [
        f"name: {request.name}",
        f"compiler: {request.backend}",
        f"target: {target}",
        f"options: {' '.join(request.options.words)}",
        *(f"name expression: {expression}" for expression in request.expressions),
        "",
        outcome,
    ]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(request.source)
    with open(os.path.splitext(path)[0] + ".log", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(lines) + "\n")

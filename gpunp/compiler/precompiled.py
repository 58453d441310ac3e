"""Precompiled headers of NVRTC, for sources that begin with the same headers of gpunp.

A kernel on ``gpunp/ufunc/elementwise.h`` compiled in 110 ms without one and in 42 ms with one, to the same
machine code; the compilation that made it took 30 ms longer (NVRTC 13.0). NVRTC uses such a file, of 13 MB,
only in the process that made it. So it is made when a process compiles a second source with the same
beginning, and removed at exit.
"""

import atexit
import os

# Files that one process makes at most.
_MOST = 4
# Beginnings of sources that are remembered at most.
_MOST_SEEN = 1000

_seen = {}
_made = set()
_folder = None


def split(source):
    """Split a source after its first directives.

    Parameters
    ----------
    source : str

    Returns
    -------
    tuple of (str, str)
        The beginning, which has only includes of gpunp's headers, definitions, comments and blank lines; and
        the rest. The beginning is empty if it includes nothing.
    """
    end, includes = 0, False
    for line in source.splitlines(keepends=True):
        text = line.strip()
        if text.startswith('#include "gpunp/') and text.endswith('.h"'):
            includes = True
        elif (text and not text.startswith(("//", "#define "))) or text.endswith("\\"):
            break
        end += len(line)
    return (source[:end], source[end:]) if includes else ("", source)


def plan(request, options):
    """How to compile with a precompiled header, if that pays.

    Parameters
    ----------
    request : Request
    options : list of bytes
        The options for NVRTC.

    Returns
    -------
    tuple of (str, list of bytes) or None
        The source and more options.
    """
    given = request.options
    if given.include_folders or given.pre_includes or request.folder or request.line_info:
        return None
    head, rest = split(request.source)
    if not head:
        return None
    key = (head, *options)
    if len(_seen) >= _MOST_SEEN:
        _seen.clear()
    _seen[key] = _seen.get(key, 0) + 1
    if _seen[key] < 2 or (key not in _made and len(_made) >= _MOST):
        return None
    try:
        folder = _make_folder()
    except OSError:
        # The system has no place for temporary files.
        return None
    _made.add(key)
    # NVRTC precompiles nothing after a #line.
    text = head + request.line(1 + head.count("\n")) + rest
    return text, [
        b"--pch",
        b"--pch-dir=" + os.fsencode(folder),
        b"--pch-verbose=false",
        b"--pch-messages=false",
    ]


def _make_folder():
    """The folder of this process's files."""
    global _folder
    if _folder is None:
        # Not by tempfile, which imports OpenSSL for its random names: 10 ms, for which other threads wait.
        place = os.environ.get("TMPDIR") or "/tmp"
        folder = os.path.join(place, f"gpunp-{os.urandom(8).hex()}")
        os.mkdir(folder, mode=0o700)
        _folder = folder
        atexit.register(_remove, _folder, os.getpid())
    return _folder


def _remove(folder, process):
    # A fork of the process leaves the files to it.
    if os.getpid() == process:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)

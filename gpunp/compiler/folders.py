"""Temporary folders for compilers."""

import contextlib
import shutil
import tempfile


@contextlib.contextmanager
def temporary_folder():
    """A folder that is removed at the end of the block.

    Unlike that of ``tempfile.TemporaryDirectory``, it may be in use by another thread while the interpreter
    exits, which would remove it and warn.

    Yields
    ------
    str
        Its path.
    """
    folder = tempfile.mkdtemp(prefix="gpunp-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

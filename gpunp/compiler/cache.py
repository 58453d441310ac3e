"""Compiled code on disk, shared by all processes of a user.

An entry is one file, named by its key, and replaced as a whole. It holds the number of its uses, a checksum
of the key and the rest, a description, the compiler's log and the code. Entries that are damaged, and those
that others own or may write, count as missing. Here is what a process needs that finds all its code in the
cache; `cache_files` writes and removes entries.
"""

import os
import stat

from gpunp.compiler.cache_folder import folder, is_on  # noqa: F401
from gpunp.compiler.keys import checksum
from gpunp.compiler.module import Compiled

MAGIC = b"gpunpc02"
HITS = slice(8, 16)
_CHECKSUM = slice(16, 48)
_LENGTH = slice(48, 52)
_BODY = 52


def load(key):
    """Take code from the cache.

    Parameters
    ----------
    key : str

    Returns
    -------
    Compiled or None
        None if there is no entry, or one that cannot be trusted.
    """
    path = os.path.join(folder(), key)
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            number = os.open(path, os.O_RDWR | flags)
        except PermissionError:
            number = os.open(path, os.O_RDONLY | flags)
        except OSError as error:
            import errno

            if error.errno != errno.EROFS:
                raise
            number = os.open(path, os.O_RDONLY | flags)
    except OSError:
        return None
    try:
        data = read_trusted(number)
        parts = data and parse(key, data)
        if not parts:
            return None
        _count_use(number, data)
    except OSError:
        return None
    finally:
        os.close(number)
    _, log, names, image = parts
    return Compiled(image, names, log, from_cache=True)


def read_trusted(number):
    """The content of an open file.

    Parameters
    ----------
    number : int
        The file's descriptor.

    Returns
    -------
    bytes or None
        None unless it is an ordinary file that only this user may write.
    """
    state = os.fstat(number)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o022:
        return None
    parts, left = [], state.st_size
    while left > 0:
        part = os.read(number, left)
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def parse(key, data):
    """The parts of an entry.

    Parameters
    ----------
    key : str
    data : bytes

    Returns
    -------
    tuple or None
        The name of the source and what the code is for, the log, the names and the image; None if the entry
        is damaged or of another key.
    """
    if len(data) < _BODY or data[: len(MAGIC)] != MAGIC:
        return None
    if checksum(key.encode(), data[_CHECKSUM.stop :]) != data[_CHECKSUM]:
        return None
    end = _BODY + int.from_bytes(data[_LENGTH], "little")
    words = data[_BODY:end].decode().split("\0")
    return words[:2], words[2], dict(zip(words[3::2], words[4::2], strict=True)), data[end:]


def _count_use(number, data):
    """Count a use in an open entry, which also makes it the one used last."""
    uses = int.from_bytes(data[HITS], "little") + 1
    try:
        os.pwrite(number, uses.to_bytes(8, "little"), HITS.start)
    except OSError:
        # A disk that is full or may only be read.
        return

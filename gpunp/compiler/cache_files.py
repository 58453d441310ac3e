"""The files of the disk cache: storing entries, removing those used longest ago, and listing them."""

import itertools
import os
import stat
import warnings

from gpunp.compiler.cache import HITS, MAGIC, folder, parse, read_trusted
from gpunp.compiler.keys import checksum

_DEFAULT_SIZE = 1 << 30
# Eviction leaves this share of the limit, so that it is not needed again at once.
_KEPT = 0.9
# After this many stores the folder is measured again, as other processes write to it too.
_STORES_PER_SCAN = 256
# A temporary file of this age in seconds was left by a process that ended.
_ABANDONED = 3600

_serial = itertools.count()
_warned = False
# Bytes in the folder as far as this process knows, and the stores until it measures them again.
_known_bytes = 0
_stores_left = 0


def size_limit():
    """How many bytes the entries may take.

    Returns
    -------
    int
    """
    text = os.environ.get("GPUNP_CACHE_SIZE")
    if not text:
        return _DEFAULT_SIZE
    from gpunp.memory_limits import parse_limit

    try:
        return parse_limit(text, 0)
    except ValueError:
        raise ValueError(f"GPUNP_CACHE_SIZE is {text!r}; write bytes, or '4GiB'") from None


def store(key, compiled, name, target):
    """Keep code in the cache. A folder that cannot be written is not an error; one warning says so.

    Parameters
    ----------
    key : str
    compiled : Compiled
    name : str
        The name of the source, for the user.
    target : str
        What the code is for, for the user.
    """
    try:
        keep(key, compiled, name, target)
    except OSError as error:
        _warn(folder(), error)


def keep(key, compiled, name, target):
    """Keep code in the cache, as `store`.

    Parameters
    ----------
    key : str
    compiled : Compiled
    name : str
    target : str

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    named = itertools.chain.from_iterable(compiled.names.items())
    words = [name.replace("\0", ""), target, compiled.log.replace("\0", ""), *named]
    text = "\0".join(words).encode()
    body = len(text).to_bytes(4, "little") + text + compiled.image
    entry = MAGIC + bytes(8) + checksum(key.encode(), body) + body
    limit = size_limit()
    if len(entry) > limit:
        return
    place = folder()
    temporary = os.path.join(place, f".{key}.{os.getpid()}.{next(_serial)}.tmp")
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        try:
            _write(temporary, entry)
            os.replace(temporary, os.path.join(place, key))
        except BaseException:
            _remove(temporary)
            raise
        _keep_within(place, limit, len(entry))
    except FileNotFoundError:
        # Another process removed the folder meanwhile.
        return


def _write(path, data):
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(number, "wb") as file:
        file.write(data)


def _warn(place, error):
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"gpunp: compiled kernels cannot be kept in {place} ({error.strerror or error}): every process "
            "compiles them again. Set GPUNP_CACHE_DIR to another folder, or GPUNP_CACHE=0 to keep none.",
            RuntimeWarning,
            stacklevel=2,
        )


def _remove(path):
    try:
        os.unlink(path)
    except OSError:
        # Another process removed it, or may write it only.
        return False
    return True


def _files(place):
    """Pairs of a path and the state of each entry in a folder; what ended processes left is removed."""
    import time

    old = time.time() - _ABANDONED
    try:
        entries = os.scandir(place)
    except OSError:
        # There is no such folder yet, or it can be none.
        return
    with entries:
        for entry in entries:
            if not _is_ours(entry.name):
                continue
            try:
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if not stat.S_ISREG(state.st_mode):
                continue
            if not entry.name.endswith(".tmp"):
                yield entry.path, state
            elif state.st_mtime < old:
                _remove(entry.path)


def _is_ours(name):
    """Whether a file has the name of an entry or of a temporary file; others in the folder are left alone."""
    key = name[1:41] if name.startswith(".") and name.endswith(".tmp") else name
    return len(key) == 40 and not set(key) - set("0123456789abcdef")


def _keep_within(place, limit, added):
    """Remove the entries used longest ago if all together take more than the limit."""
    global _known_bytes, _stores_left
    _known_bytes += added
    _stores_left -= 1
    if _stores_left >= 0 and _known_bytes <= limit:
        return
    found = [(state.st_mtime_ns, state.st_size, path) for path, state in _files(place)]
    total = sum(size for _, size, _ in found)
    if total > limit:
        for _, size, path in sorted(found):
            if total <= _KEPT * limit:
                break
            if _remove(path):
                total -= size
    _known_bytes, _stores_left = total, _STORES_PER_SCAN


def clear():
    """Remove all entries.

    Returns
    -------
    int
        How many were removed.
    """
    global _known_bytes
    _known_bytes = 0
    return sum(_remove(path) for path, _ in _files(folder()))


def entries():
    """What the cache holds.

    Returns
    -------
    list of tuple
        The name of the source, what the code is for, its bytes on disk and the number of its uses, for each
        entry that can be used.
    """
    found = []
    for path, state in _files(folder()):
        key = os.path.basename(path)
        try:
            number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            data = read_trusted(number)
        finally:
            os.close(number)
        parts = data and parse(key, data)
        if parts:
            name, target = parts[0]
            found.append((name, target, state.st_size, int.from_bytes(data[HITS], "little")))
    return found

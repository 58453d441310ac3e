"""Compiled code on disk, shared by all processes of a user.

An entry is one file, named by its key, and replaced as a whole. It holds the number of its uses, a checksum
of the key and the rest, a description, the compiler's log and the code. Entries that are damaged, and those
that others own or may write, count as missing.
"""

import itertools
import os
import stat
import warnings

from gpunp.compiler.keys import checksum
from gpunp.compiler.result import Compiled

_MAGIC = b"gpunpc02"
_HITS = slice(8, 16)
_CHECKSUM = slice(16, 48)
_LENGTH = slice(48, 52)
_BODY = 52
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


def is_on():
    """Whether the cache is used.

    Returns
    -------
    bool
    """
    return os.environ.get("GPUNP_CACHE", "1").strip().lower() not in ("0", "off", "no", "false")


def folder():
    """The folder of the entries, which may not exist yet.

    Returns
    -------
    str
    """
    chosen = os.environ.get("GPUNP_CACHE_DIR")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The standard says that relative paths there are to be ignored.
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "gpunp")


def size_limit():
    """How many bytes the entries may take.

    Returns
    -------
    int
    """
    text = os.environ.get("GPUNP_CACHE_SIZE")
    if not text:
        return _DEFAULT_SIZE
    from gpunp.cuda.limits import parse_limit

    try:
        return parse_limit(text, 0)
    except ValueError:
        raise ValueError(f"GPUNP_CACHE_SIZE is {text!r}; write bytes, or '4GiB'") from None


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
        data = _read_trusted(number)
        parts = data and _parse(key, data)
        if not parts:
            return None
        _count_use(number, data)
    except OSError:
        return None
    finally:
        os.close(number)
    _, log, names, image = parts
    return Compiled(image, names, log, from_cache=True)


def _read_trusted(number):
    """The content of an open file, or None unless it is an ordinary file that only this user may write."""
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


def _parse(key, data):
    """The description, log, names and image in an entry; None if it is damaged or of another key."""
    if len(data) < _BODY or data[: len(_MAGIC)] != _MAGIC:
        return None
    if checksum(key.encode(), data[_CHECKSUM.stop :]) != data[_CHECKSUM]:
        return None
    end = _BODY + int.from_bytes(data[_LENGTH], "little")
    words = data[_BODY:end].decode().split("\0")
    return words[:2], words[2], dict(zip(words[3::2], words[4::2], strict=True)), data[end:]


def _count_use(number, data):
    """Count a use in an open entry, which also makes it the one used last."""
    uses = int.from_bytes(data[_HITS], "little") + 1
    try:
        os.pwrite(number, uses.to_bytes(8, "little"), _HITS.start)
    except OSError:
        # A disk that is full or may only be read.
        return


def store(key, compiled, name, target):
    """Keep code in the cache. A folder that cannot be written is no error, but warned of once.

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
    entry = _MAGIC + bytes(8) + checksum(key.encode(), body) + body
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
            data = _read_trusted(number)
        finally:
            os.close(number)
        parts = data and _parse(key, data)
        if parts:
            name, target = parts[0]
            found.append((name, target, state.st_size, int.from_bytes(data[_HITS], "little")))
    return found

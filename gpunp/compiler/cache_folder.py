"""Where the disk cache is, if anywhere. Apart from the cache itself, as this takes less time to import."""

import os


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


def has_files():
    """Whether the cache is used and its folder has files.

    Returns
    -------
    bool
    """
    if not is_on():
        return False
    try:
        with os.scandir(folder()) as entries:
            return next(entries, None) is not None
    except OSError:
        # There is no such folder, or nobody may read it.
        return False

"""Whether SciPy's functions are routed: for the whole process, and for one thread or task."""

import contextlib
import contextvars
import os
from _thread import RLock

# Set by `functions`, which hooks SciPy's modules, when the first of them is imported.
_INSTALLERS = []
_lock = RLock()
_enabled = os.environ.get("GPUNP_SCIPY", "1") != "0"
# How many blocks of `disabled` a thread or task is in.
_blocks = contextvars.ContextVar("gpunp_scipy_disabled", default=0)


def is_suspended():
    """Whether this thread or task is in a block of `disabled`, or the hooks are being removed."""
    return _blocks.get() > 0 or not _enabled


def on_change(install, remove):
    """Register what `enable` and `disable` call; ``install`` is called at once if the hooks are enabled."""
    with _lock:
        _INSTALLERS.append((install, remove))
        if _enabled:
            install()


def enable():
    """Route calls of SciPy's functions with device arrays to the device, which is the default.

    Has an effect after `disable`, or if the environment variable ``GPUNP_SCIPY`` is 0.
    """
    global _enabled
    with _lock:
        if not _enabled:
            _enabled = True
            for install, _ in _INSTALLERS:
                install()


def disable():
    """Remove the hooks of SciPy's functions in the whole process.

    SciPy's functions then treat device arrays as those of an unknown library. The ufuncs of ``scipy.special``
    are not affected: they reach gpunp through NumPy's protocol.

    Examples
    --------
    >>> import gpunp_scipy
    >>> gpunp_scipy.disable()
    >>> gpunp_scipy.enable()
    """
    global _enabled
    with _lock:
        if _enabled:
            _enabled = False
            for _, remove in _INSTALLERS:
                remove()


@contextlib.contextmanager
def disabled():
    """Leave device arrays to SciPy within the ``with`` block, in this thread or task only.

    Examples
    --------
    >>> import gpunp_scipy
    >>> with gpunp_scipy.disabled():
    ...     pass
    """
    token = _blocks.set(_blocks.get() + 1)
    try:
        yield
    finally:
        _blocks.reset(token)

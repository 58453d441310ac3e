"""Settings: host operands and copies, the fallback to NumPy, precision of products, fusion, threads."""

import contextlib
import contextvars
import os
import sys
import warnings

from gpunp.deferring import set_deferring

_CHOICES = {
    "host_operands": ("upload", "warn", "error"),
    "host_copies": ("error", "warn", "allow"),
    "fallback": ("error", "warn", "numpy"),
    "matmul_precision": ("ieee", "tf32", "bf16x9"),
    "fusion": ("on", "off", "check"),
}
_NAMES = (*_CHOICES, "threads")
# What was chosen for the process; and the settings of `using` blocks, in a context variable, so that they are
# local to a thread or task. gpunp/fusion/trace.pyx reads both for each call that it defers.
chosen = {name: choices[0] for name, choices in _CHOICES.items()}
overrides = contextvars.ContextVar("gpunp_config", default=None)
# Packages whose frames are not where a warning belongs.
_OWN = ("gpunp", "gpunp_scipy")
# Settings that were ever set to another value than the default; calls need not look up any other.
changed = set()


class TransferWarning(UserWarning):
    """A host array was uploaded for a call with a device array, or a device array was copied to the host."""

    __module__ = "gpunp"


class FallbackWarning(UserWarning):
    """A function ran on the host because gpunp does not handle it."""

    __module__ = "gpunp"


def _threads():
    """The module that has the number of threads, which programs for a GPU need not import."""
    from gpunp.cpu import gpunp_threads

    return gpunp_threads


def _unknown(name):
    return AttributeError(f"gpunp.config has no setting {name!r}; it has {', '.join(_NAMES)}")


def _validated(name, value):
    if name == "threads":
        return _threads().checked(value)
    if name not in _CHOICES:
        raise _unknown(name)
    if value not in _CHOICES[name]:
        choices = ", ".join(map(repr, _CHOICES[name]))
        raise ValueError(f"gpunp.config.{name} must be one of {choices}, not {value!r}")
    if value != _CHOICES[name][0]:
        if name == "host_copies" and name not in changed:
            _allow_host_copies()
        changed.add(name)
    return value


class Config:
    """The settings of gpunp.

    Attributes
    ----------
    host_operands : {"upload", "warn", "error"}
        What happens to a host array that is passed in one call with a device array.
    host_copies : {"error", "warn", "allow"}
        What happens where NumPy, or code written in C, asks a device array for host memory: a TypeError, or a
        copy that is read-only, so that a write to it is an error and not lost ("warn" warns each time).
        Results may also be written into host arrays then.
    fallback : {"error", "warn", "numpy"}
        What happens in a call of a NumPy function that gpunp does not handle: a TypeError, or a run by NumPy
        on host copies, whose result is copied to the device ("warn" warns each time).
    matmul_precision : {"ieee", "tf32", "bf16x9"}
        How cuBLAS multiplies matrices of float32 and complex64: in IEEE arithmetic, with factors rounded to
        TF32 (10 bits of fraction), or with single precision emulated by bfloat16 products, which falls back
        to IEEE arithmetic where the GPU or the library lacks the emulation.
    fusion : {"on", "off", "check"}
        Whether elementwise calls on arrays of 65536 elements or more are deferred, so that one kernel runs a
        chain of them. "check" waits for the kernels, also runs the calls one by one, and raises an
        AssertionError if any bit differs. The environment variable ``GPUNP_FUSION`` sets the value at the
        start.
    threads : int
        How many threads share the loops of the CPU device, the caller's included. It starts as what
        ``GPUNP_NUM_THREADS`` says, else as the number of processors that this process may use, at most
        ``OMP_NUM_THREADS``. It holds for the whole process, also in a block of `using`.

    Examples
    --------
    >>> import gpunp
    >>> gpunp.config.fallback
    'error'
    >>> with gpunp.config.using(fallback="numpy"):
    ...     gpunp.config.fallback
    'numpy'
    """

    __slots__ = ()

    def __getattr__(self, name):
        if name == "threads":
            return _threads().get()
        if name not in _CHOICES:
            raise _unknown(name)
        return (overrides.get() or chosen).get(name, chosen[name])

    def __setattr__(self, name, value):
        value = _validated(name, value)
        if name == "threads":
            _threads().set(value)
            return
        chosen[name] = value
        if name == "fusion":
            set_deferring(value != "off")

    def __dir__(self):
        return [*_NAMES, "using"]

    def __repr__(self):
        return "gpunp.config(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in _NAMES) + ")"

    @contextlib.contextmanager
    def using(self, **settings):
        """Change settings for the ``with`` block, in this thread or task only; ``threads`` in all of them.

        Parameters
        ----------
        **settings
            Settings by name.

        Raises
        ------
        AttributeError
            If there is no such setting.
        ValueError
            If a setting cannot have the value.
        """
        checked = {name: _validated(name, value) for name, value in settings.items()}
        threads = checked.pop("threads", None)
        before = None if threads is None else _threads().chosen()
        token = overrides.set({**(overrides.get() or {}), **checked})
        try:
            if threads is not None:
                _threads().set(threads)
            yield self
        finally:
            if threads is not None:
                _threads().set(before)
            overrides.reset(token)


config = Config()
if "GPUNP_FUSION" in os.environ:
    try:
        config.fusion = os.environ["GPUNP_FUSION"]
    except ValueError as error:
        warnings.warn(f"GPUNP_FUSION is ignored: {error}", RuntimeWarning, stacklevel=2)


def _permit_host_copy(_):
    """Whether `config.host_copies` allows a copy; warns if it says so."""
    setting = config.host_copies
    if setting == "warn":
        frame, level = sys._getframe(1), 2
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OWN:
            frame, level = frame.f_back, level + 1
        warnings.warn("a device array was copied to the host", TransferWarning, stacklevel=level)
    return setting != "error"


def _allow_host_copies():
    """Prepare for host copies, which programs need not import otherwise."""
    from gpunp.array import host_copies

    host_copies.install(_permit_host_copy)
    host_copies.hand_out_buffers()


def check_host_operand(operand, function="this call"):
    """Apply ``config.host_operands`` to a host array or sequence that is about to be uploaded."""
    policy = config.host_operands if "host_operands" in changed else "upload"
    if policy == "upload" or not (getattr(operand, "ndim", 0) or isinstance(operand, (list, tuple))):
        return
    shape = getattr(operand, "shape", None)
    what = type(operand).__name__ + (f" of shape {shape}" if shape is not None else "")
    if policy == "error":
        raise TypeError(
            f"{function}: a host operand ({what}) met a device array. Upload it with gpunp.asarray, "
            "or set gpunp.config.host_operands = 'upload'."
        )
    warnings.warn(f"{function}: uploading a host operand ({what})", TransferWarning, stacklevel=4)

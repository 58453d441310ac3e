"""The parts that are on while a program runs, together."""

import os

import numpy

import gpunp
from gpunp.array import host_copies
from gpunp.running import (
    calls,
    classes,
    counting,
    elements,
    libraries,
    mirrors,
    placement,
    sharing,
    small_operands,
    visits,
)
from gpunp.running.array_class import ndarray
from gpunp.running.conversions import Conversions
from gpunp.running.importing import Importer
from gpunp.running.numpy_of_programs import Modules


def least_elements(threshold=None):
    """The number of elements of a setting.

    Parameters
    ----------
    threshold : int or str, optional
        "auto" measures; by default the environment variable ``GPUNP_RUN_THRESHOLD``, else a constant.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is neither "auto" nor a number.
    """
    if threshold is None:
        threshold = os.environ.get("GPUNP_RUN_THRESHOLD", placement.LEAST_ELEMENTS)
    if threshold == "auto":
        return placement.measured()
    try:
        return max(0, int(threshold))
    except ValueError:
        raise ValueError(f"the threshold is a number of elements or 'auto', not {threshold!r}") from None


class Session:
    """A context in which modules are those of a program.

    Parameters
    ----------
    folders : sequence of str
        Folders of the modules of the program.
    names : sequence of str, optional
        Other top-level modules and packages that belong to it.
    threshold : int or str, optional
        See `least_elements`.
    device_random : bool, optional
        Whether random numbers are drawn on the device.

    Attributes
    ----------
    modules : gpunp.running.numpy_of_programs.Modules
        What the program gets when it imports NumPy's modules.
    """

    def __init__(self, folders, names=(), threshold=None, device_random=False):
        self.threshold = least_elements(threshold)
        self.modules = Modules(device_random)
        self._importer = Importer(folders, names, self.modules)
        self._conversions = None

    def __enter__(self):
        return self.begin()

    def begin(self):
        """Enter the context without a ``with`` statement."""
        counting.reset()
        self._conversions = Conversions()
        libraries.start()
        elements.start()
        small_operands.start()
        mirrors.start()
        host_copies.keep(mirrors.host_copy)
        sharing.start()
        # A new array, to which nothing but the call refers.
        calls.learn(numpy.empty(0))
        calls.learn_home(numpy.empty(0), 1)
        _learn_variables()
        calls.start(self.threshold, placement.move)
        classes.start(ndarray)
        self._importer.install()
        return self

    def __exit__(self, *exc):
        self.end()

    def end(self):
        """Leave the context."""
        self._importer.remove()
        calls.stop()
        classes.stop()
        libraries.stop()
        elements.stop()
        small_operands.stop()
        mirrors.stop()
        host_copies.keep(None)
        sharing.stop()
        self._conversions.end()


def _learn_variables():
    """Count the references to a variable of a function and of a module."""
    space = {"make": numpy.empty, "learn": visits.learn}
    exec("x = make(0)\nx = learn(x, 0, 0, True)", space)
    exec("def f():\n x = make(0)\n x = learn(x, 0, 0, False)\nf()", space)


def _leave_arrays():
    """A child process has no CUDA context: it computes with NumPy."""
    if not gpunp.get_device().is_cpu:
        calls.stop()


os.register_at_fork(after_in_child=_leave_arrays)

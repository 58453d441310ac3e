"""Blocks of memory that processes share, for `gpunp.interop.dask_transport` without a GPU."""

import contextlib
import itertools
import os
import pathlib

import numpy as np
from gpunp.device import Device

from gpunp.array import transfer


class SharedBlocks:
    """Blocks of the CPU device in files of a folder, which processes map."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.numbers = itertools.count()

    def beside(self):
        return contextlib.nullcontext()

    def takes(self, array):
        return array.device.is_cpu

    def create(self, nbytes):
        path = self.folder / f"{os.getpid()}-{next(self.numbers)}"
        return self._mapped(path, nbytes, "w+"), str(path).encode()

    def open(self, handle, nbytes):
        return self._mapped(handle.decode(), nbytes, "r+")

    def _mapped(self, path, nbytes, mode):
        return transfer.wrap_host(np.asarray(np.memmap(path, np.uint8, mode, shape=(nbytes,))), Device("cpu"))

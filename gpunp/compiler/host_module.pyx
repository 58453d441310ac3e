"""Modules of the CPU device: shared libraries."""
import os

from libc.stdint cimport uintptr_t

from gpunp.compiler.dynamic cimport close_library, open_library, symbol_of, symbol_or_null
from gpunp.compiler.module cimport Module
from gpunp.device cimport Device, Kernel

from gpunp.compiler.module import missing


cdef class Library:
    """An open shared library; closed when freed."""

    cdef void* handle

    def __dealloc__(self):
        if self.handle != NULL:
            close_library(self.handle)


cdef class HostKernel(Kernel):
    # Keeps the code loaded.
    cdef Library library


# Libraries opened so far; each has a path of its own.
cdef long _opened = 0


cdef Library _open_image(bytes image):
    """Load a shared library from memory."""
    global _opened
    cdef Library library = Library.__new__(Library)
    cdef object serial
    _opened += 1
    serial = _opened
    try:
        number = os.memfd_create("gpunp", os.MFD_CLOEXEC)
    except (AttributeError, OSError):
        return _open_file(image)
    try:
        with open(number, "wb", closefd=False) as file:
            file.write(image)
        # The loader takes a library of the same path for the same library, and numbers of files recur: the serial
        # number makes the path unique, as ./ for 1 and / for 0.
        steps = "".join(["./" if digit == "1" else "/" for digit in f"{serial:b}"])
        try:
            library.handle = open_library(f"/proc/self/fd/{steps}{number}")
        except OSError:
            return _open_file(image)
    finally:
        os.close(number)
    return library


cdef Library _open_file(bytes image):
    """Load a shared library through a temporary file, where the system runs no code from memory files."""
    cdef Library library = Library.__new__(Library)
    from gpunp.compiler.folders import temporary_folder
    with temporary_folder() as folder:
        path = os.path.join(folder, "kernel.so")
        with open(path, "wb") as file:
            file.write(image)
        library.handle = open_library(path)
    return library


cdef int _lend_pool(Library library, Device device) except -1:
    """Let the loops of a library use the device's threads, see kernels/include/gpunp/common/module_pool.h."""
    cdef void** pool = <void**>symbol_or_null(library.handle, "gpunp_module_pool")
    cdef Kernel kernel
    if pool != NULL:
        for i, name in enumerate(("pool_run", "pool_threads")):
            kernel = device.kernel("pool", name)
            pool[<int>i] = kernel.function
    return 0


cdef class HostModule(Module):
    """A module of the CPU device.

    Parameters
    ----------
    image : bytes
        A shared library.
    names : dict of str to str
        The symbol of each name expression.
    device : Device
    """

    cdef Library library

    def __init__(self, bytes image not None, dict names not None, Device device not None):
        self.device = device
        self.names = names
        self.kernels = {}
        try:
            self.library = _open_image(image)
        except OSError as error:
            raise RuntimeError(f"the CPU device cannot load the code: {error}") from None
        _lend_pool(self.library, device)

    cdef Kernel find(self, str symbol):
        cdef size_t nbytes = 0
        cdef HostKernel kernel = HostKernel.__new__(HostKernel)
        try:
            kernel.function = symbol_of(self.library.handle, symbol, &nbytes)
        except KeyError:
            raise ValueError(missing("kernel", symbol)) from None
        kernel.unit = "module"
        kernel.name = symbol
        kernel.library = self.library
        return kernel

    cdef tuple address(self, str symbol):
        cdef size_t nbytes = 0
        cdef void* found
        try:
            found = symbol_of(self.library.handle, symbol, &nbytes)
        except KeyError:
            raise ValueError(missing("variable", symbol)) from None
        return <uintptr_t>found, nbytes

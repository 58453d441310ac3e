"""Modules: loaded code, its kernels and global variables."""
import os

from libc.stdint cimport uintptr_t

from gpunp.compiler.dynamic cimport close_library, open_library, symbol_of
from gpunp.device cimport Device, Kernel

from gpunp.compiler.result import Compiled


cdef class Module:
    """Code on a device; `load_module` makes one. It is unloaded with the last of its kernels.

    Attributes
    ----------
    device : Device
        Where the code is.
    names : dict of str to str
        The symbol of each name expression.
    """

    cdef Kernel find(self, str symbol):
        raise NotImplementedError

    cdef tuple address(self, str symbol):
        raise NotImplementedError

    cdef Kernel kernel(self, str name):
        cdef object found = self.kernels.get(name)
        if found is None:
            # One object per function, as it holds the shared memory limit set on it.
            symbol = self.names.get(name, name)
            found = self.kernels.get(symbol)
            if found is None:
                found = self.kernels.setdefault(symbol, self.find(symbol))
            self.kernels[name] = found
        return <Kernel>found

    def get_kernel(self, str name not None):
        """A kernel of the module.

        Parameters
        ----------
        name : str
            A symbol, or a name expression that the source was compiled with.

        Returns
        -------
        Kernel

        Raises
        ------
        ValueError
            If the module has no such kernel.
        """
        return self.kernel(name)

    def global_address(self, str name not None):
        """Where a global variable of the module is.

        Parameters
        ----------
        name : str
            A symbol, or a name expression that the source was compiled with.

        Returns
        -------
        tuple of int
            The address on the device, and the size in bytes.

        Raises
        ------
        ValueError
            If the module has no such variable.
        """
        return self.address(self.names.get(name, name))

    def __repr__(self):
        return f"<Module on {self.device}>"


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
    import tempfile
    with tempfile.TemporaryDirectory(prefix="gpunp-") as folder:
        path = os.path.join(folder, "kernel.so")
        with open(path, "wb") as file:
            file.write(image)
        library.handle = open_library(path)
    return library


cdef class HostModule(Module):
    """A module of the CPU device."""

    cdef Library library

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


def missing(kind, symbol):
    """The message for a symbol that a module does not have.

    Parameters
    ----------
    kind : {"kernel", "variable"}
    symbol : str

    Returns
    -------
    str
    """
    return (f'the module has no {kind} {symbol!r}: declare it extern "C", or give its C++ name in name_expressions '
            "when compiling")


def load_module(image, Device device not None):
    """Load code on a device.

    Parameters
    ----------
    image : Compiled or bytes-like
        What `compile_source` returned; or a cubin, fatbin or PTX on CUDA, a shared library on the CPU device.
    device : Device

    Returns
    -------
    Module

    Raises
    ------
    RuntimeError
        If the device cannot run the code.
    """
    cdef HostModule module
    names = {}
    if isinstance(image, Compiled):
        names, image = image.names, image.image
    image = bytes(image)
    if not device.is_cpu:
        from gpunp.compiler.cuda_module import CudaModule
        return CudaModule(image, dict(names), device)
    module = HostModule.__new__(HostModule)
    module.device = device
    module.names = dict(names)
    module.kernels = {}
    try:
        module.library = _open_image(image)
    except OSError as error:
        raise RuntimeError(f"the CPU device cannot load the code: {error}") from None
    return module

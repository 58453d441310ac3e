"""Modules: loaded code, its kernels and global variables."""
from gpunp.device cimport Device, Kernel


cdef class Compiled:
    """Code that `load_module` loads; what a compilation returns.

    Parameters
    ----------
    image : bytes
        A cubin, PTX, or a shared library of the host.
    names : dict of str to str
        The symbol of each name expression.
    log : str, optional
        Warnings of the compiler.
    from_cache : bool, default False
        Whether it came from the disk cache.
    seconds : float, default 0.0
        How long it took.
    """

    cdef readonly bytes image
    cdef readonly dict names
    cdef readonly str log
    cdef readonly bint from_cache
    cdef readonly double seconds

    def __init__(self, bytes image not None, dict names not None, str log="", bint from_cache=False,
                 double seconds=0.0):
        self.image = image
        self.names = names
        self.log = log
        self.from_cache = from_cache
        self.seconds = seconds

    def __repr__(self):
        origin = "from the cache" if self.from_cache else f"compiled in {1e3 * self.seconds:.0f} ms"
        return f"<Compiled: {len(self.image)} bytes, {origin}>"


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
    names = {}
    if isinstance(image, Compiled):
        names, image = image.names, image.image
    image = bytes(image)
    if device.is_cpu:
        from gpunp.compiler.host_module import HostModule as found
    else:
        from gpunp.compiler.cuda_module import CudaModule as found
    return found(image, dict(names), device)

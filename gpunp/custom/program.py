"""The programs behind raw kernels and modules: source or machine code, loaded on devices at the first use."""

import _thread
import os

from gpunp import compiler

_BACKENDS = ("nvrtc", "nvcc")
_ELF, _FATBIN = b"\x7fELF", b"\x50\xed\x55\xba"
# Included before a source whose cuComplex is translated.
_CUCOMPLEX = "--pre-include=gpunp/custom/cucomplex.h"
# In the logs of NVRTC and nvcc if a name expression is wrong.
_BAD_NAME = ("Error in parsing name expression", "name expressions(")


def is_image(content):
    """Whether bytes are machine code or PTX, rather than CUDA C++.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    bool
    """
    if content.startswith((_ELF, _FATBIN)):
        return True
    # PTX begins with comments and the directives .version and .target.
    for line in content.splitlines():
        line = line.strip()
        if line and not line.startswith(b"//"):
            return line.startswith(b".version")
    return False


class Program:
    """CUDA C++ or machine code, and the modules that it is loaded as, one on each device.

    Parameters
    ----------
    owner : str
        The class that users see, for messages.
    code : str, bytes or None
        CUDA C++, PTX, a cubin or a fatbin.
    path : path-like or None
        A file with one of these instead.
    options : sequence of str
    backend : {"nvrtc", "nvcc"}
    translate_cucomplex, enable_cooperative_groups : bool
    names : sequence of str
        Name expressions.

    Attributes
    ----------
    code : str or None
        The source, or None for machine code.
    image : bytes or None
        The machine code or PTX, or None for source.
    """

    def __init__(
        self, owner, code, path, options, backend, translate_cucomplex, enable_cooperative_groups, names
    ):
        if (code is None) == (path is None):
            raise TypeError(f"{owner}: exactly one of code and path must be given")
        if backend not in _BACKENDS:
            raise ValueError(f"{owner}: backend must be 'nvrtc' or 'nvcc', not {backend!r}")
        self.owner = owner
        self.path = None if path is None else os.fspath(path)
        if path is not None:
            with open(path, "rb") as file:
                code = file.read()
        if not isinstance(code, str | bytes):
            raise TypeError(f"{owner}: code must be a str of CUDA C++, not {type(code).__name__}")
        content = code.encode() if isinstance(code, str) else code
        self.image = content if is_image(content) else None
        self.code = content.decode() if self.image is None else None
        self.options = _texts(owner, "options", options)
        self.names = _texts(owner, "name_expressions", () if names is None else names)
        if self.image is not None and self.names and owner == "RawModule":
            raise ValueError(
                f"{owner}: name_expressions need source; in machine code a kernel has its mangled name"
            )
        self.backend = backend
        self.translate_cucomplex = bool(translate_cucomplex)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self._modules = {}
        self._lock = _thread.RLock()

    def module_on(self, device, log_stream=None):
        """The module on a device, compiled and loaded if it was not.

        Parameters
        ----------
        device : Device
        log_stream : file object, optional
            The compiler's output is written to it.

        Returns
        -------
        gpunp.compiler.Module
        """
        found = self._modules.get(device)
        if found is None:
            # One thread compiles, the others wait; compilations of other programs run at the same time.
            with self._lock:
                found = self._modules.get(device)
                if found is None:
                    found = self._modules[device] = self._load(device, log_stream)
        return found

    def _load(self, device, log_stream):
        if self.image is not None:
            return compiler.load_module(self.image, device)
        try:
            compiled = self._compiled(device)
        except RuntimeError as error:
            if log_stream is not None:
                # Only exceptions for sources that do not compile have a log.
                log_stream.write(getattr(error, "log", ""))
            raise
        if log_stream is not None:
            log_stream.write(compiled.log)
        return compiler.load_module(compiled, device)

    def _compiled(self, device):
        try:
            return self._compile(device, self.names)
        except RuntimeError as error:
            log = getattr(error, "log", "")
            if self.owner != "RawKernel" or not any(text in log for text in _BAD_NAME):
                raise
        # The source has no kernel of this name, which the look-up of the kernel says in one line.
        return self._compile(device, ())

    def _compile(self, device, names):
        return compiler.compile_source(
            self.code,
            device,
            # With its folder, where quoted includes are looked for.
            name=os.path.abspath(self.path) if self.path else "kernel.cu",
            options=(_CUCOMPLEX, *self.options) if self.translate_cucomplex else self.options,
            name_expressions=names,
            backend=self.backend,
        )

    def function_on(self, device, name):
        """The kernel ``name`` on a device.

        Parameters
        ----------
        device : Device
        name : str
            Its name in the source or a name expression, or its symbol in machine code.

        Returns
        -------
        DeviceFunction

        Raises
        ------
        RuntimeError
            On the CPU device.
        ValueError
            If the program has no such kernel.
        """
        if device.is_cpu:
            raise RuntimeError(
                f"{name} is CUDA C++ for a GPU, and the current device is the CPU: make a CUDA device "
                "current, or write it as a gpunp.ElementwiseKernel or ReductionKernel, which run on both"
            )
        from gpunp.custom.cuda_function import CudaFunction

        return CudaFunction(self.module_on(device).get_kernel(name), device, name)

    def compile(self, device, log_stream=None):
        """Compile and load on a device, even if it was loaded before; kernels in use stay valid.

        Parameters
        ----------
        device : Device
        log_stream : file object, optional
            The compiler's output is written to it.
        """
        if device.is_cpu:
            raise RuntimeError("CUDA C++ is compiled for a GPU, and the current device is the CPU")
        with self._lock:
            self._modules.pop(device, None)
            self.module_on(device, log_stream)

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["_modules"], state["_lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state, _modules={}, _lock=_thread.RLock())


def _texts(owner, name, values):
    """A tuple of strings from an argument."""
    if isinstance(values, str):
        raise TypeError(f"{owner}: {name} must be a tuple of strings, not the string {values!r}")
    values = tuple(values)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{owner}: {name} must be a tuple of strings, {value!r} is none")
    return values

"""Kernels in Python: functions with the decorator `rawkernel`."""

import functools
import importlib
import re

import numpy

from gpunp.jit.functions import is_compilers
from gpunp.jit.launch import Launcher, Variant, described
from gpunp.jit.toolchain import NotCompiled, compiling_for, explain, load_numba_cuda, place_of

_ENTRY = re.compile(r"\.visible \.entry (\w+)\(")


def rawkernel(*, mode="cuda", device=False):
    """Compile a Python function to a kernel, by numba-cuda; a decorator.

    Parameters
    ----------
    mode : {"cuda"}, default "cuda"
        How numbers of different types are combined: as numba does. The mode "numpy" is not supported.
    device : bool, default False
        Whether the function is not a kernel but a function that kernels call.

    Returns
    -------
    callable
        Makes a `RawKernel`, or a `DeviceFunction`, of a function.

    Raises
    ------
    NotImplementedError
        For ``mode="numpy"``.
    ImportError
        When the kernel is first used, if numba or numba-cuda is missing: ``pip install gpunp[jit]``.

    Examples
    --------
    >>> import gpunp
    >>> from gpunp import jit
    >>> @jit.rawkernel()
    ... def scale(x, y, factor):
    ...     i = jit.grid(1)
    ...     if i < x.size:
    ...         y[i] = factor * x[i]
    >>> x = gpunp.arange(1000.0)
    >>> y = gpunp.empty_like(x)
    >>> scale[8, 128](x, y, 2.0)  # doctest: +SKIP
    """
    if mode != "cuda":
        if mode == "numpy":
            raise NotImplementedError(
                "rawkernel: numba-cuda combines numbers of different types by rules of its own; the mode "
                "'numpy' is not supported. Convert numbers in the kernel, such as numpy.float32(x)"
            )
        raise ValueError(f"rawkernel: mode must be 'cuda', not {mode!r}")

    def decorator(function):
        if not hasattr(function, "__code__"):
            raise TypeError(f"rawkernel: {function!r} is not a Python function")
        return DeviceFunction(function) if device else RawKernel(function)

    return decorator


class DeviceFunction:
    """A function that kernels in Python call.

    Parameters
    ----------
    function : function
        The Python function.
    """

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    @functools.cached_property
    def _numba_type_(self):
        # The type refers to the dispatcher weakly.
        self._dispatcher = load_numba_cuda().jit(device=True)(self.function)
        return importlib.import_module("numba.cuda.types").Dispatcher(self._dispatcher)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.__name__} is a function for kernels: it cannot be called on the host")

    def __repr__(self):
        return f"<gpunp.jit.DeviceFunction {self.__name__}>"


class RawKernel:
    """A kernel in Python; `rawkernel` makes it.

    ``kernel[grid, block](*args)``, ``kernel[grid, block, shared_mem, stream](*args)`` and ``kernel(grid,
    block, args, shared_mem=0, stream=None)`` launch it. It is compiled for the types of the arguments at the
    first launch with them.

    Parameters
    ----------
    function : function
        The Python function.

    Attributes
    ----------
    cached_codes : dict
        The PTX for each combination of types of arguments that was launched.
    """

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.cached_codes = {}
        self._launcher = Launcher(self.__name__, self._compile)

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        """Launch the kernel.

        Parameters
        ----------
        grid : int or tuple of int
            Blocks along up to three axes.
        block : int or tuple of int
            Threads of a block along up to three axes.
        args : tuple
            The arguments: gpunp arrays, Python and NumPy numbers, and arrays of other libraries on the
            device.
        shared_mem : int, default 0
            Dynamic shared memory of a block, in bytes.
        stream : Stream, int or object with ``__cuda_stream__``, optional
            The current stream by default.

        Raises
        ------
        TypeError
            For arguments that kernels do not take, and for a kernel that cannot be compiled for them.
        RuntimeError
            On the CPU device.
        """
        self._launcher.launch(grid, block, args, shared_mem, stream)

    def __getitem__(self, how):
        if not isinstance(how, tuple) or not 2 <= len(how) <= 4:
            raise TypeError(f"{self.__name__}: write {self.__name__}[grid, block](*args), not [{how!r}]")
        grid, block, *rest = how
        shared_mem, stream = [*rest, *[0, None][len(rest) :]]
        launch = self._launcher.launch
        return lambda *args: launch(grid, block, args, shared_mem, stream)

    @property
    def cached_code(self):
        """The PTX of one of the compiled kernels."""
        if not self.cached_codes:
            raise ValueError(f"{self.__name__} has not been compiled yet: launch it first")
        return next(iter(self.cached_codes.values()))

    def _compile(self, key, device):
        """The kernel for types of arguments, loaded on a device."""
        compiler = importlib.import_module("gpunp.compiler")
        cuda_function = importlib.import_module("gpunp.custom.cuda_function")
        code, symbol = compile_kernel(self.function, key, device)
        self.cached_codes[tuple(map(described, key))] = code
        source, cooperative = source_around(code)
        compiled = compiler.compile_source(source, device, name=self.__name__, link=[(code.encode(), "ptx")])
        kernel = compiler.load_module(compiled, device).get_kernel(symbol)
        return Variant(cuda_function.CudaFunction(kernel, device, self.__name__), cooperative)

    def __repr__(self):
        return f"<gpunp.jit.RawKernel {self.__name__}>"


def compile_kernel(function, key, device):
    """Compile a kernel in Python.

    Parameters
    ----------
    function : function
        The Python function.
    key : sequence
        The types of the arguments, as `launch.bytes_of` gives them.
    device : Device
        The device.

    Returns
    -------
    tuple of str
        The PTX, and the symbol of the kernel in it.

    Raises
    ------
    NotCompiled
        With the function's name, file and line, and the compiler's reason.
    """
    cuda = load_numba_cuda()
    argument_types = tuple(map(_type_of, key))
    # Before the compiler begins: it does not look for names that appear while it works.
    importlib.import_module("gpunp.jit.groups")
    try:
        with compiling_for(device):
            code, _ = cuda.compile(
                function,
                argument_types,
                device=False,
                abi="numba",
                output="ptx",
                cc=device.compute_capability,
            )
    except Exception as error:
        if "void return type" in str(error):
            raise NotCompiled(f"{place_of(function)} cannot be compiled: a kernel returns nothing") from error
        if is_compilers(error):
            raise explain(function, error) from error
        raise
    return code, _ENTRY.search(code)[1]


def source_around(code):
    """The C++ source to which a kernel is linked, and whether the kernel has barriers of the grid."""
    groups = importlib.import_module("gpunp.jit.groups")
    if groups.GRID_BARRIER not in code:
        return "// A kernel in Python; it is linked to this.\n", False
    return f'#include "{groups.GRID_BARRIER_HEADER}"\n', True


def _type_of(key):
    """numba-cuda's type of an argument."""
    types = importlib.import_module("numba.cuda.types")
    support = importlib.import_module("numba.cuda.np.numpy_support")
    found = described(key)
    if isinstance(found, tuple):
        dtype, ndim, layout, writeable = found
        return types.Array(support.from_dtype(dtype), ndim, layout, readonly=not writeable)
    return support.from_dtype(numpy.dtype(found))

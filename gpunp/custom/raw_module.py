"""`RawModule`: kernels and global variables of a source, a cubin, PTX or a fatbin."""

import numpy

from gpunp.array.construct import Pointer
from gpunp.array.transfer import wrap_pointer
from gpunp.custom.program import Program
from gpunp.custom.raw import OfProgram, RawKernel
from gpunp.device import get_device

_BYTE = numpy.dtype(numpy.uint8)


class RawModule(OfProgram):
    """Kernels and global variables of one source, or of a file of machine code.

    Parameters
    ----------
    code : str, optional
        CUDA C++ source; bytes of PTX, a cubin or a fatbin are understood as well.
    path : path-like, optional
        A file with source, PTX, a cubin or a fatbin, told apart by its content. Give either `code` or `path`.
    options : tuple of str, optional
        Options of the compiler.
    backend : {"nvrtc", "nvcc"}, default "nvrtc"
    translate_cucomplex : bool, default False
        Whether the types and functions of ``cuComplex.h`` are those of ``complex<T>``, with operators.
    enable_cooperative_groups : bool, default False
        Whether launches are cooperative, so that ``grid.sync()`` works.
    name_expressions : sequence of str, optional
        The instances of templates that are compiled, such as ``"scale<float>"``; `get_function` takes these
        names.
    jitify : bool, default False
        Has no effect: headers are found without it.

    Attributes
    ----------
    name_expressions : tuple of str or None

    Notes
    -----
    The source is compiled for a device when something of it is used there.

    Examples
    --------
    >>> import gpunp
    >>> module = gpunp.RawModule(code=r'''
    ... template <typename T> __global__ void scale(T* x, T factor) { x[threadIdx.x] *= factor; }
    ... ''', name_expressions=["scale<float>", "scale<double>"])
    >>> module.get_function("scale<float>")
    <RawKernel scale<float>>
    """

    def __init__(
        self,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        *,
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=False,
    ):
        self._program = Program(
            "RawModule",
            code,
            path,
            options,
            backend,
            translate_cucomplex,
            enable_cooperative_groups,
            name_expressions,
        )
        self.name_expressions = None if name_expressions is None else self._program.names

    @property
    def module(self):
        """The module as it is loaded on the current device."""
        return self._program.module_on(get_device())

    def compile(self, log_stream=None):
        """Compile for the current device, again if it was compiled before.

        Parameters
        ----------
        log_stream : file object, optional
            The compiler's output is written to it.
        """
        self._program.compile(get_device(), log_stream)

    def get_function(self, name):
        """Return a kernel of the module.

        Parameters
        ----------
        name : str
            The name of an ``extern "C"`` function, one of the name expressions, or a mangled name.

        Returns
        -------
        RawKernel

        Raises
        ------
        ValueError
            If the current device is a GPU and the module has no such kernel.
        """
        kernel = RawKernel._of(self._program, name)
        if not get_device().is_cpu:
            # Compile now, so that a wrong name is told here and not at the first call.
            kernel.kernel  # noqa: B018
        return kernel

    def get_global(self, name):
        """Return the memory of a global variable on the current device.

        Parameters
        ----------
        name : str
            Of a ``__device__`` or ``__constant__`` variable in C linkage; or a name expression such as
            ``"&table"``, or a mangled name.

        Returns
        -------
        Pointer
            With the attributes ``ptr``, ``size`` in bytes and ``device``;
            ``gpunp.ndarray(shape, dtype, pointer)`` is an array over the variable.

        Examples
        --------
        >>> import gpunp
        >>> module = gpunp.RawModule(code='extern "C" { __constant__ float weights[9]; }')
        >>> pointer = module.get_global("weights")                          # doctest: +SKIP
        >>> weights = gpunp.ndarray((3, 3), gpunp.float32, pointer)         # doctest: +SKIP
        >>> weights[...] = 1 / 9                                            # doctest: +SKIP
        """
        device = get_device()
        if device.is_cpu:
            raise RuntimeError(
                f"get_global: {name} is on a GPU, and the current device is the CPU: make a CUDA device "
                "current"
            )
        module = self._program.module_on(device)
        address, nbytes = module.global_address(name)
        return Pointer(wrap_pointer(address, (nbytes,), None, _BYTE, device, module))

    def __repr__(self):
        what = self.file_path or ("source" if self.code is not None else "machine code")
        return f"<RawModule of {what}>"

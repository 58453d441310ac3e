"""Elementwise kernels around an operation in C++."""
import operator

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcmp, memcpy

from gpunp.custom.launch cimport Call, Elementwise, Typing, execute
from gpunp.custom.parameters cimport SINGLE, read_arguments, resolve_kinds, set_parameters, stream_of
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport itemsize_of
from gpunp.ufunc.plan cimport elementwise_vectors, elementwise_width

from gpunp.custom.source import is_long, takes_address, uses_axes, uses_index

cdef enum:
    MOST_THREADS = 1024


cdef class ElementwiseKernel(Elementwise):
    """A kernel that runs a piece of C++ for each element of broadcast arrays.

    The kernel is compiled when a combination of dtypes and layouts is first used, for the device of the arguments:
    by NVRTC for a CUDA device, by the host's C++ compiler for the CPU device. Compiled kernels are kept in the disk
    cache.

    Parameters
    ----------
    in_params : str
        Input parameters, such as ``"T x, raw float32 y"``: a type and a name, separated by commas. A type is the name
        of a NumPy dtype, or a placeholder (one letter, or a name that starts with a capital letter), which stands
        for one dtype in the whole kernel. ``raw`` parameters are not broadcast; the operation indexes them.
    out_params : str
        Output parameters.
    operation : str
        C++ statements for one element. Parameters are variables; ``i`` is the index of the element in C order,
        ``n`` and ``_ind.size()`` are the number of elements.
    name : str, default "kernel"
        Name of the kernel in messages; profilers show it as ``gpunp_name``.
    reduce_dims : bool, default True
        Accepted for compatibility: raw arrays keep their shape in any case.
    preamble : str, default ""
        C++ code before the kernel: functions, includes, macros.
    no_return : bool, default False
        Whether calls return None.
    return_tuple : bool, default False
        Whether calls return a tuple also for a single output.
    **kwargs
        ``options``: a tuple of options for the compiler; ``loop_prep``: statements before the loop over elements;
        ``after_loop``: statements after it.

    Raises
    ------
    TypeError, ValueError
        For parameters that are not well formed; see the message.

    Examples
    --------
    >>> import gpunp
    >>> import numpy as np
    >>> squared_diff = gpunp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> x = gpunp.asarray(np.arange(6.0).reshape(2, 3))
    >>> print(squared_diff(x, 1))
    [[ 1.  0.  1.]
     [ 4.  9. 16.]]
    """
    cdef readonly bint reduce_dims
    cdef readonly bint no_return
    cdef readonly bint return_tuple
    cdef readonly dict kwargs
    cdef bint long_operation
    cdef dict typings
    cdef Typing last

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="",
                 no_return=False, return_tuple=False, **kwargs):
        cdef int k
        self.kwargs = dict(kwargs)
        options = kwargs.pop("options", ())
        self.loop_prep = kwargs.pop("loop_prep", "")
        self.after_loop = kwargs.pop("after_loop", "")
        # Compiled code to link to the kernel, for `gpunp.jit`: pairs of bytes and kind, as `compile_source` takes them.
        self.link = tuple(kwargs.pop("link", ()))
        if kwargs:
            raise TypeError(f"ElementwiseKernel got an unexpected keyword argument {next(iter(kwargs))!r}; it takes "
                            "options, loop_prep and after_loop")
        set_parameters(self, "ElementwiseKernel", name, in_params, out_params)
        for label, text in (("operation", operation), ("preamble", preamble), ("loop_prep", self.loop_prep),
                            ("after_loop", self.after_loop)):
            if not isinstance(text, str):
                raise TypeError(f"{name}: {label} must be a str, not {type(text).__name__}")
        if isinstance(options, str) or options is None:
            raise TypeError(f"{name}: options must be a tuple of str, not {options!r}")
        self.operation, self.preamble = operation, preamble
        self.options = tuple(options)
        self.reduce_dims, self.no_return, self.return_tuple = reduce_dims, no_return, return_tuple
        texts = [operation, self.loop_prep, self.after_loop]
        if "#" in preamble:
            # Macros may have the index in them.
            texts.append(preamble)
        params = self.signature.params
        for k in range(self.nargs):
            self.in_memory[k] = params[k].output and takes_address(params[k].name, operation)
        self.ordered = uses_index(texts) or any([param.raw for param in params])
        self.axes = uses_axes(texts)
        self.long_operation = is_long(operation)
        self.typings = {}
        self.cached_codes = {}

    def __reduce__(self):
        # What was compiled stays here; a copy finds it in the disk cache.
        return _rebuilt, (self.kwargs, ", ".join(map(str, self.in_params)), ", ".join(map(str, self.out_params)),
                          self.operation, self.name, self.reduce_dims, self.preamble, self.no_return,
                          self.return_tuple)

    def __call__(self, *args, size=None, block_size=128, stream=None):
        """Run the kernel.

        Parameters
        ----------
        *args : ndarray or number
            All inputs; or all inputs and all outputs, which have the broadcast shape.
        size : int, optional
            The number of elements, if all arrays are raw; not allowed otherwise.
        block_size : int, default 128
            Threads of a block on a CUDA device.
        stream : Stream, optional
            The stream to launch on; the current one by default.

        Returns
        -------
        ndarray, tuple of ndarray or None
            The outputs.

        Raises
        ------
        TypeError
            For a wrong number of arguments, and for arrays of other dtypes than the parameters.
        ValueError
            For shapes that do not broadcast, outputs of another shape, arrays on several devices, and a missing
            or superfluous `size`.
        CompileException
            If the kernel does not compile.
        RuntimeError
            On the CPU device, if there is no C++ compiler.
        """
        cdef object threads = operator.index(block_size)
        if threads < 1 or threads > MOST_THREADS:
            raise ValueError(f"{self.name}: block_size is {threads}; it must be from 1 to {MOST_THREADS}")
        if stream is None:
            return _run(self, args, size, threads)
        with stream_of(stream):
            return _run(self, args, size, threads)


def _rebuilt(kwargs, *args):
    return ElementwiseKernel(*args, **kwargs)


cdef Typing _typing(ElementwiseKernel self, const Call* call):
    """The dtypes of a call's parameters, which are cached by the kinds of its arguments."""
    cdef Typing typing = self.last
    cdef int k, largest = 1, smallest = 16
    if typing is not None and memcmp(typing.kinds, call.kinds, self.nargs) == 0:
        return typing
    key = PyBytes_FromStringAndSize(<const char*>call.kinds, self.nargs)
    typing = <Typing>self.typings.get(key)
    if typing is None:
        kinds = [call.kinds[k] for k in range(self.nargs)]
        codes = resolve_kinds(self, call.kinds)
        typing = Typing()
        typing.variants = {}
        memcpy(typing.kinds, call.kinds, self.nargs)
        for k in range(self.nargs):
            typing.codes[k] = codes[k]
            if not self.raw[k] and (kinds[k] < SINGLE or k >= self.nin):
                largest = max(largest, itemsize_of(codes[k]))
                smallest = min(smallest, itemsize_of(codes[k]))
        typing.width = elementwise_width(largest, min(smallest, largest))
        typing.vectors = elementwise_vectors(largest)
        if self.long_operation:
            typing.width, typing.vectors = min(typing.width, 4), 1
        typing = <Typing>self.typings.setdefault(key, typing)
    self.last = typing
    return typing


cdef object _run(ElementwiseKernel self, tuple args, object size, unsigned int block):
    cdef Call call
    cdef Device device
    cdef list kept = [], results
    call.given = len(args)
    call.block = block
    device = read_arguments(self, args, call.arrays, call.kinds, kept)
    check_status(device)
    results = execute(self, _typing(self, &call), &call, args, device, size)
    if self.no_return:
        return None
    return results[0] if self.nout == 1 and not self.return_tuple else tuple(results)

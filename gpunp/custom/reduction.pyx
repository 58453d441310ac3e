"""Reduction kernels around expressions in C++."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcmp, memcpy

from gpunp.custom.parameters cimport read_arguments, resolve_kinds, set_parameters, stream_of
from gpunp.custom.reduction_launch cimport Call, Reduction, Typing, execute
from gpunp.custom.reduction_plan cimport MAX_ARRAYS
from gpunp.device cimport Device, check_status

from gpunp.custom.reduction_source import is_indexed


cdef class ReductionKernel(Reduction):
    """A kernel that folds mapped elements along axes, by expressions in C++.

    Each result is ``post_map_expr`` of the fold, by ``reduce_expr``, of ``map_expr`` of its elements. The kernel is
    compiled when a combination of dtypes and layouts is first used, for the device of the arguments: by NVRTC for a
    CUDA device, by the host's C++ compiler for the CPU device. Compiled kernels are kept in the disk cache.

    Parameters
    ----------
    in_params : str
        Input parameters, such as ``"T x, raw float32 y"``: a type and a name, separated by commas. A type is the name
        of a NumPy dtype, or a placeholder (one letter, or a name that starts with a capital letter), which stands
        for one dtype in the whole kernel. Inputs are broadcast against each other, except ``raw`` ones, which
        expressions index.
    out_params : str
        Output parameters, at least one.
    map_expr : str
        The value of an element: an expression of the inputs and of ``i``, the index of the element in C order.
    reduce_expr : str
        The fold of two values, ``a`` and ``b``. It must be associative and commutative: values are folded in any
        order and grouping, which is the same in each run.
    post_map_expr : str
        Statements that write the outputs from the folded value ``a``; ``i`` is the index of the result in C order.
        ``_in_ind.size()`` is the number of elements and ``_out_ind.size()`` that of results, here and in
        `map_expr`.
    identity : str or None
        The value of no elements. With None, results without elements are a ValueError.
    name : str, default "reduce_kernel"
        Name of the kernel in messages; profilers show it as ``gpunp_name``.
    reduce_type : str, optional
        The C++ type of ``a`` and ``b``; by default that of the first output.
    reduce_dims : bool, default True
        Accepted for compatibility: expressions do not see the dimensions of a launch.
    preamble : str, default ""
        C++ code before the kernel: functions, types, includes, macros.
    options : tuple of str, default ()
        Options for the compiler.

    Raises
    ------
    TypeError, ValueError
        For parameters that are not well formed; see the message.

    Examples
    --------
    >>> import gpunp, numpy as np
    >>> l2norm = gpunp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    >>> x = gpunp.asarray(np.arange(10, dtype=np.float32).reshape(2, 5))
    >>> l2norm(x, axis=1)
    array([ 5.477226 , 15.9687195], dtype=float32)
    """
    cdef dict typings
    cdef Typing last

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel",
                 reduce_type=None, reduce_dims=True, preamble="", options=()):
        set_parameters(self, "ReductionKernel", name, in_params, out_params)
        for label, text in (("map_expr", map_expr), ("reduce_expr", reduce_expr), ("post_map_expr", post_map_expr),
                            ("preamble", preamble)):
            if not isinstance(text, str):
                raise TypeError(f"{name}: {label} must be a str, not {type(text).__name__}")
        for label, text in (("identity", identity), ("reduce_type", reduce_type)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"{name}: {label} must be a str or None, not {type(text).__name__}: "
                                f"write {str(text)!r}")
        for label, text in (("map_expr", map_expr), ("reduce_expr", reduce_expr)):
            if not text.strip():
                raise ValueError(f"{name}: {label} is empty; write an expression")
        if isinstance(options, str) or options is None:
            raise TypeError(f"{name}: options must be a tuple of str, not {options!r}")
        self.preamble, self.reduce_dims, self.options = preamble, reduce_dims, tuple(options)
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = identity if identity is not None and identity.strip() else None
        self.reduce_type = reduce_type if reduce_type is not None and reduce_type.strip() else None
        if self.nout == 0:
            raise ValueError(f"{name}: a reduction kernel has at least one output")
        if all([param.raw for param in self.signature.inputs]):
            raise ValueError(f"{name}: at least one input must not be raw: its shape says what is reduced")
        if sum([not param.raw for param in self.params]) > MAX_ARRAYS:
            raise ValueError(f"{name}: a reduction kernel has at most {MAX_ARRAYS} parameters that are not raw")
        for param in self.signature.outputs:
            if param.name == "a":
                raise ValueError(f"{name}: an output cannot have the name a, which is the folded value")
        self.indexed = is_indexed(self)
        self.typings = {}
        self.cached_codes = {}

    def __reduce__(self):
        # What was compiled stays here; a copy finds it in the disk cache.
        return ReductionKernel, (", ".join(map(str, self.in_params)), ", ".join(map(str, self.out_params)),
                                 self.map_expr, self.reduce_expr, self.post_map_expr, self.identity, self.name,
                                 self.reduce_type, self.reduce_dims, self.preamble, self.options)

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        """Reduce along axes.

        Parameters
        ----------
        *args : ndarray or number
            All inputs; or all inputs and all outputs, which have the shape of the result.
        out : ndarray or tuple of ndarray, optional
            The outputs, if they are not among the arguments.
        axis : None, int or tuple of int, optional
            The axes of the broadcast inputs to reduce; all by default.
        keepdims : bool, default False
            Whether reduced axes stay, with length one.
        stream : Stream, optional
            The stream to launch on; the current one by default.

        Returns
        -------
        ndarray or tuple of ndarray
            The outputs.

        Raises
        ------
        TypeError
            For a wrong number of arguments, and for arrays of other dtypes than the parameters.
        ValueError
            For shapes that do not broadcast, outputs of another shape, arrays on several devices, and results
            without elements if there is no identity.
        AxisError
            For an axis that the inputs do not have.
        CompileException
            If the kernel does not compile.
        RuntimeError
            On the CPU device, if there is no C++ compiler.
        """
        if out is not None:
            outs = out if type(out) is tuple else (out,)
            if len(args) != self.nin:
                raise TypeError(f"{self.name}: give the outputs as arguments or as out=, not both")
            if len(outs) != self.nout:
                raise ValueError(f"{self.name}: out has {len(outs)} arrays, the kernel {self.nout} outputs")
            args += outs
        if stream is None:
            return _run(self, args, axis, keepdims)
        with stream_of(stream):
            return _run(self, args, axis, keepdims)


cdef Typing _typing(ReductionKernel self, const Call* call):
    """The dtypes of a call's parameters, which are cached by the kinds of its arguments."""
    cdef Typing typing = self.last
    cdef int k
    if typing is not None and memcmp(typing.kinds, call.kinds, self.nargs) == 0:
        return typing
    key = PyBytes_FromStringAndSize(<const char*>call.kinds, self.nargs)
    typing = <Typing>self.typings.get(key)
    if typing is None:
        codes = resolve_kinds(self, call.kinds)
        typing = Typing()
        typing.compiled = {}
        memcpy(typing.kinds, call.kinds, self.nargs)
        for k in range(self.nargs):
            typing.codes[k] = codes[k]
        typing = <Typing>self.typings.setdefault(key, typing)
    self.last = typing
    return typing


cdef object _run(ReductionKernel self, tuple args, object axis, bint keepdims):
    cdef Call call
    cdef list kept = []
    cdef Device device = read_arguments(self, args, call.arrays, call.kinds, kept)
    check_status(device)
    results = execute(self, _typing(self, &call), &call, args, device, axis, keepdims, kept)
    return results[0] if self.nout == 1 else tuple(results)

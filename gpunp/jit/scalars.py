"""Python functions of numbers, with branches and loops, compiled and applied to whole arrays."""

import importlib

import numpy

from gpunp.array.transfer import host_view
from gpunp.jit import dtype_rules
from gpunp.jit.casts import Job, computed, device_function, pipeline
from gpunp.jit.functions import Compilations, Constant, has_loop, in_order, is_compilers, make, plain
from gpunp.jit.identity import key_of
from gpunp.jit.toolchain import NotCompiled, compiling_for, explain, load_numba, load_numba_cuda, place_of

# The name of the compiled function in the module of its kernel.
_SYMBOL = "gpunp_scalar_function"


def compile_scalar(function, args, kwargs, device, otypes=None):
    """Compile a Python function of numbers for a device.

    Parameters
    ----------
    function : callable
        A Python function, a built-in function such as `math.sin`, a `functools.partial` or a function
        compiled by numba.
    args, kwargs : sequence and dict
        For each argument its dtype; ``int``, ``float`` or ``complex`` for a Python number, which is weak in
        NumPy's rules; or a `Constant`.
    device : Device
        The device.
    otypes : list of dtype, optional
        The dtypes of the results.

    Returns
    -------
    CompiledScalar
        Writes the results for arrays into arrays.

    Raises
    ------
    NotCompiled
        With the function's name, file and line, and the compiler's reason.
    """
    function, args, kwargs = plain(function, args, kwargs)
    key = (
        key_of(function),
        tuple(each.key() if isinstance(each, Constant) else each for each in args),
        tuple((name, each.key() if isinstance(each, Constant) else each) for name, each in kwargs.items()),
        device,
        None if otypes is None else tuple(otypes),
    )
    return _compilations.find(key, lambda: _compile(function, args, kwargs, device, otypes))


_compilations = Compilations()


def _compile(function, args, kwargs, device, otypes):
    """Compile without a look at what was compiled before."""
    copy, specs, values = in_order(function, args, kwargs)
    job = Job(copy, values, not device.is_cpu)
    (load_numba if device.is_cpu else load_numba_cuda)()
    try:
        with job:
            if device.is_cpu:
                return _compile_host(function, copy, specs, job, otypes)
            with compiling_for(device, pipeline):
                return _compile_cuda(function, copy, specs, job, otypes, device)
    except Exception as error:
        if is_compilers(error):
            raise explain(function, error) from error
        raise


def type_of(spec, numba):
    """numba's type of an argument."""
    if isinstance(spec, Constant):
        return numba.typeof(spec.value)
    return numba.from_dtype(computed(spec))


def returned_by(inner, types, *, on_cuda):
    """Compile a function of numba for types of arguments; the type that it returns."""
    _, folded = inner.fold_argument_types(tuple(types), {})
    if on_cuda:
        return inner.compile_device(tuple(folded)).signature.return_type
    inner.compile(tuple(folded))
    return next(iter(inner.overloads.values())).signature.return_type


def dtypes_of(function, returned, job, otypes, numba):
    """The dtypes of the results, and whether the function returns a tuple of them."""
    every = list(returned) if isinstance(returned, numba.types.BaseTuple) else [returned]
    ruled = dtype_rules.result_dtypes(job.returned)
    ruled = ruled if len(ruled) == len(every) else [None] * len(every)
    dtypes = []
    for each, dtype in zip(every, ruled, strict=True):
        each = numba.types.unliteral(each)
        if not isinstance(each, numba.types.Number | numba.types.Boolean):
            what = "None" if each is numba.types.none else f"{each}, not a number"
            what = f"{each.type} or None" if isinstance(each, numba.types.Optional) else what
            raise NotCompiled(f"{place_of(function)} cannot be compiled: it returns {what}")
        own = numpy.dtype(numba.np.numpy_support.as_dtype(each))
        wider = dtype is None or "biufc".index(own.kind) > max(2, "biufc".index(dtype.kind))
        dtypes.append(own if wider else dtype)
    if otypes is None:
        return dtypes
    if len(otypes) != len(dtypes):
        raise ValueError(
            f"vectorize: {function.__name__} returned {len(dtypes)} results, but otypes has {len(otypes)}"
        )
    return list(otypes)


def _arguments(specs, *, for_c):
    """Parameters of a function around the compiled one, what it passes on, and its constants."""
    names, passed, scope = [], [], {}
    for i, spec in enumerate(specs):
        if isinstance(spec, Constant):
            scope[f"c{i}"] = spec.value
            passed.append(f"c{i}")
        elif for_c and numpy.dtype(spec).kind == "c":
            names += [f"x{i}", f"i{i}"]
            passed.append(f"complex(x{i}, i{i})")
        else:
            names.append(f"x{i}")
            passed.append(f"x{i} != 0" if for_c and numpy.dtype(spec).kind == "b" else f"x{i}")
    return names, ", ".join(passed), scope


def stored(dtypes, returned, numba, scope):
    """The expressions of the results, converted to the dtypes in which they are computed."""
    several = isinstance(returned, numba.types.BaseTuple)
    for i, dtype in enumerate(dtypes):
        part = f"r[{i}]" if several else "r"
        if dtype.kind == "b":
            yield f"{part} != 0"
        else:
            scope[f"t{i}"] = computed(dtype).type
            yield f"t{i}({part})"


def _compile_host(function, copy, specs, job, otypes):
    numba = load_numba()
    inner = device_function(copy, on_cuda=False)
    returned = returned_by(inner, [type_of(spec, numba) for spec in specs], on_cuda=False)
    dtypes = dtypes_of(function, returned, job, otypes, numba)
    names, passed, scope = _arguments(specs, for_c=False)
    scope["f"] = inner
    results = list(stored(dtypes, returned, numba, scope))
    types_in = [type_of(spec, numba) for spec in specs if not isinstance(spec, Constant)]
    types_out = [numba.from_dtype(computed(dtype)) for dtype in dtypes]
    if len(dtypes) == 1:
        wrapper = make(
            f"def wrapper({', '.join(names)}):\n    r = f({passed})\n    return {results[0]}\n", scope
        )
        ufunc = numba.vectorize([types_out[0](*types_in)])(wrapper)
    else:
        outs = [f"p{i}" for i in range(len(dtypes))]
        stores = "".join(f"    {out}[0] = {result}\n" for out, result in zip(outs, results, strict=True))
        wrapper = make(f"def wrapper({', '.join(names + outs)}):\n    r = f({passed})\n{stores}", scope)
        core = ",".join(["()"] * len(names)), ",".join(["()"] * len(outs))
        signature = numba.types.void(*types_in, *(kind[:] for kind in types_out))
        ufunc = numba.guvectorize([signature], "->".join(core))(wrapper)
    return HostScalar(dtypes, isinstance(returned, numba.types.BaseTuple), ufunc)


# The types of ElementwiseKernel's parameters by dtype, and of what the compiled function takes and stores.
_C_TYPES = {"b": "signed char", "i": "long long", "u": "unsigned long long", "f4": "float", "f8": "double"}


def _c_type(dtype):
    """The type in which compiled code returns a number."""
    dtype = computed(dtype)
    if dtype.kind == "c":
        return f"complex<{'float' if dtype.itemsize == 8 else 'double'}>"
    return _C_TYPES[dtype.kind if dtype.kind != "f" else f"f{dtype.itemsize}"]


def _compile_cuda(function, copy, specs, job, otypes, device):
    numba, cuda = load_numba(), load_numba_cuda()
    inner = device_function(copy, on_cuda=True)
    returned = returned_by(inner, [type_of(spec, numba) for spec in specs], on_cuda=True)
    dtypes = dtypes_of(function, returned, job, otypes, numba)
    names, passed, scope = _arguments(specs, for_c=True)
    scope["f"] = inner
    results = []
    for dtype, result in zip(dtypes, stored(dtypes, returned, numba, scope), strict=True):
        results.append(f"int8({result})" if dtype.kind == "b" else result)
    scope["int8"] = numpy.int8
    outs = [f"p{i}" for i in range(len(dtypes))]
    stores = "".join(f"    {out}[0] = {result}\n" for out, result in zip(outs, results, strict=True))
    text = f"def wrapper({', '.join(outs + names)}):\n    r = f({passed})\n{stores}    return 0\n"
    pointers = [
        numba.types.CPointer(numba.types.int8 if dtype.kind == "b" else numba.from_dtype(computed(dtype)))
        for dtype in dtypes
    ]
    passed_types = []
    for spec in specs:
        if isinstance(spec, Constant):
            continue
        dtype = computed(spec)
        kinds = {"b": ["i8"], "c": [f"f{dtype.itemsize // 2}"] * 2}.get(dtype.kind, [dtype])
        passed_types += [numba.from_dtype(numpy.dtype(kind)) for kind in kinds]
    code, _ = cuda.compile(
        make(text, scope),
        (*pointers, *passed_types),
        device=True,
        abi="c",
        abi_info={"abi_name": _SYMBOL},
        output="ltoir",
        cc=device.compute_capability,
    )
    kernel = _elementwise(function, specs, dtypes, code)
    return CudaScalar(dtypes, isinstance(returned, numba.types.BaseTuple), kernel)


def _elementwise(function, specs, dtypes, code):
    """The elementwise kernel that calls a function compiled to LTO-IR for each element."""
    elementwise = importlib.import_module("gpunp.custom.elementwise").ElementwiseKernel
    varying = [numpy.dtype(spec) for spec in specs if not isinstance(spec, Constant)]
    parameters, passed = [], []
    for i, dtype in enumerate(varying):
        kind = _c_type(dtype)
        if dtype.kind == "c":
            part = kind[len("complex<") : -1]
            parameters += [part, part]
            passed += [f"x{i}.real()", f"x{i}.imag()"]
        else:
            parameters.append("long long" if dtype.kind == "b" else kind)
            passed.append(f"({parameters[-1]})x{i}")
    declared = ", ".join(["void*"] * len(dtypes) + parameters)
    locals_ = " ".join(f"{_c_type(dtype)} r{i};" for i, dtype in enumerate(dtypes))
    call = ", ".join([f"&r{i}" for i in range(len(dtypes))] + passed)
    # A hint to the elementwise kernel: functions with loops run long.
    call_line = (
        f"do {{ {_SYMBOL}({call}); }} while (0);" if has_loop(function.__code__) else f"{_SYMBOL}({call});"
    )
    stores = " ".join(
        f"y{i} = r{i} != 0;" if dtype.kind == "b" else f"y{i} = r{i};" for i, dtype in enumerate(dtypes)
    )
    return elementwise(
        ", ".join(f"{dtype.name} x{i}" for i, dtype in enumerate(varying)),
        ", ".join(f"{dtype.name} y{i}" for i, dtype in enumerate(dtypes)),
        f"{locals_} {call_line} {stores}",
        f"vectorized_{''.join(c if c.isascii() and c.isalnum() else '_' for c in function.__name__)}",
        preamble=f'extern "C" __device__ long long {_SYMBOL}({declared});',
        link=[(code, "ltoir")],
    )


class CompiledScalar:
    """A compiled function of numbers.

    Attributes
    ----------
    dtypes : list of dtype
        The dtypes of its results.
    is_tuple : bool
        Whether it returns a tuple of them.
    """

    def __init__(self, dtypes, is_tuple):
        self.dtypes, self.is_tuple = dtypes, is_tuple


class HostScalar(CompiledScalar):
    """A function that numba compiled for the CPU device."""

    def __init__(self, dtypes, is_tuple, ufunc):
        super().__init__(dtypes, is_tuple)
        self.ufunc = ufunc

    def __call__(self, operands, outs):
        """Write the results for operands, arrays or Python numbers that broadcast, into ``outs``."""
        given = [host_view(each) if hasattr(each, "device") else each for each in operands]
        views = tuple(host_view(out) for out in outs)
        with numpy.errstate(all="ignore"):
            self.ufunc(*given, out=views if len(views) > 1 else views[0], casting="unsafe")


class CudaScalar(CompiledScalar):
    """A function that numba-cuda compiled, in an elementwise kernel."""

    def __init__(self, dtypes, is_tuple, kernel):
        super().__init__(dtypes, is_tuple)
        self.kernel = kernel

    def __call__(self, operands, outs):
        """Write the results for operands, arrays or Python numbers that broadcast, into ``outs``."""
        self.kernel(*operands, *outs)

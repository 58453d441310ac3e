"""Python functions that loop over the elements of a slice, compiled: one thread for each slice."""

import functools

import numpy

from gpunp.array.transfer import host_view
from gpunp.jit.casts import Job, device_function, pipeline
from gpunp.jit.dtype_rules import Items
from gpunp.jit.functions import Compilations, Constant, has_loop, in_order, is_compilers, make, plain
from gpunp.jit.identity import key_of
from gpunp.jit.kernels import RawKernel
from gpunp.jit.scalars import dtypes_of, returned_by, stored, type_of
from gpunp.jit.toolchain import NotCompiled, compiling_for, explain, load_numba, load_numba_cuda, place_of

_compilations = Compilations()
_THREADS = 128


def compile_slices(function, rows, args, kwargs):
    """Compile a Python function of a slice and further arguments.

    Parameters
    ----------
    function : callable
        A plain Python function with a loop, which returns a number or a tuple of numbers.
    rows : ndarray
        Two-dimensional; its rows are the slices.
    args, kwargs : sequence and dict
        The types of the further arguments; see `compile_scalar`.

    Returns
    -------
    CompiledSlices

    Raises
    ------
    NotCompiled
        If the function has no loop over elements, calls array functions, or cannot be compiled.
    """
    function, args, kwargs = plain(function, [Items(rows.dtype), *args], kwargs)
    if not has_loop(function.__code__):
        raise NotCompiled(f"{place_of(function)} has no loop")
    contiguous = rows.flags.c_contiguous
    specs = [*args, *kwargs.items()]
    key = key_of(function), rows.dtype, contiguous, tuple(map(_key, specs[1:])), rows.device
    return _compilations.find(key, lambda: _compile(function, args, kwargs, rows.device, contiguous))


def _key(spec):
    if isinstance(spec, tuple):
        return spec[0], _key(spec[1])
    return spec.key() if isinstance(spec, Constant) else spec


def _compile(function, args, kwargs, device, contiguous):
    copy, specs, values = in_order(function, args, kwargs)
    job = Job(copy, values, not device.is_cpu)
    numba = load_numba()
    if not device.is_cpu:
        load_numba_cuda()
    array = numba.types.Array(numba.from_dtype(specs[0].item), 1, "C" if contiguous else "A", readonly=True)
    types = (array, *(type_of(spec, numba) for spec in specs[1:]))
    inner = device_function(copy, on_cuda=not device.is_cpu)
    try:
        with job:
            if device.is_cpu:
                returned = returned_by(inner, types, on_cuda=False)
            else:
                with compiling_for(device, pipeline):
                    returned = returned_by(inner, types, on_cuda=True)
    except Exception as error:
        if is_compilers(error):
            raise explain(function, error) from error
        raise
    if job.calls_on_arrays:
        raise NotCompiled(f"{place_of(function)} calls array functions")
    dtypes = dtypes_of(function, returned, job, None, numba)
    count = len(dtypes) if isinstance(returned, numba.types.BaseTuple) else None
    common = functools.reduce(numpy.promote_types, dtypes)
    loop = _loop(specs, [common] * len(dtypes), returned, numba, inner, device)
    return CompiledSlices(common, count, numba.njit(loop) if device.is_cpu else RawKernel(loop))


def _loop(specs, dtypes, returned, numba, inner, device):
    """The Python function that calls the compiled one for each slice: a loop, or a kernel."""
    scope = {"f": inner}
    names, passed = ["rows", "out"], ["rows[i]"]
    for k, spec in enumerate(specs[1:]):
        if isinstance(spec, Constant):
            scope[f"c{k}"] = spec.value
            passed.append(f"c{k}")
        else:
            names.append(f"x{k}")
            passed.append(f"x{k}")
    results = list(stored(dtypes, returned, numba, scope))
    several = isinstance(returned, numba.types.BaseTuple)
    places = [f"out[i, {k}]" if several else "out[i]" for k in range(len(results))]
    stores = "".join(f"        {place} = {result}\n" for place, result in zip(places, results, strict=True))
    if device.is_cpu:
        begin = "    for i in range(rows.shape[0]):\n"
    else:
        scope["grid"] = load_numba_cuda().grid
        begin = "    i = grid(1)\n    if i < rows.shape[0]:\n"
    return make(
        f"def slices({', '.join(names)}):\n{begin}        r = f({', '.join(passed)})\n{stores}", scope
    )


class CompiledSlices:
    """A compiled function of slices.

    Attributes
    ----------
    dtype : dtype
        Of the results.
    count : int or None
        The number of results of a slice, if they are a tuple.
    """

    def __init__(self, dtype, count, loop):
        self.dtype, self.count, self.loop = dtype, count, loop

    def __call__(self, rows, out, numbers):
        """Write the results for the rows of an array, which cannot be written to, to those of ``out``."""
        if rows.device.is_cpu:
            self.loop(host_view(rows), host_view(out), *numbers)
        else:
            self.loop(-(-rows.shape[0] // _THREADS), _THREADS, (rows, out, *numbers))

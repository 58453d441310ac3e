"""Python functions of scalars, applied to whole arrays."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import on_one_device
from gpunp.dispatch import policy
from gpunp.dispatch.function_protocol import run_on_host
from gpunp.dispatch.registry import implements
from gpunp.functional.compiled import compiled_call, goes_by_elements, note_by_elements
from gpunp.ufunc.core_dimensions import parse_signature
from gpunp.ufunc.operators import operators_of_scalars


@implements(name="frompyfunc")
def frompyfunc(func, /, nin, nout, **kwargs):
    """Raise TypeError: NumPy's function makes ufuncs of Python objects, which device arrays cannot hold.

    Parameters
    ----------
    func : callable
        A Python function of scalars.
    nin, nout : int
        The number of its arguments and of its results.
    **kwargs
        `identity`, as in `numpy.frompyfunc`.

    Raises
    ------
    TypeError
        Always.
    """
    raise TypeError(
        "frompyfunc: its ufuncs make arrays of Python objects, which gpunp does not support. Use "
        "gpunp.vectorize, which compiles a function of numbers, or numpy.frompyfunc on the host."
    )


def _check_otypes(otypes):
    """The dtypes of the results, or None if the function determines them."""
    if otypes is None:
        return None
    if isinstance(otypes, str):
        for char in otypes:
            if char not in numpy.typecodes["All"]:
                raise ValueError(f"Invalid otype specified: {char}")
    elif not numpy.iterable(otypes):
        raise ValueError("Invalid otype specification")
    return [as_dtype(otype) for otype in otypes]


@implements(name="vectorize")
class vectorize:
    """Turn a function of scalars into a function of arrays.

    The function is first called once, with whole device arrays that are broadcast together. Arithmetic and
    NumPy functions in it apply to every element; ``x += 1`` makes a new value, as with a scalar. Where it
    needs the value of an element, as ``if x > 0`` or ``math.sin(x)`` do, that raises an error, and the
    function is compiled instead: by numba-cuda for a CUDA device, by numba for the CPU device (``pip install
    gpunp[jit]``). The compiled code runs for every element, also in later calls. It never runs on the host
    unless `gpunp.config.fallback` says so.

    Parameters
    ----------
    pyfunc : callable, optional
        The function; without it the object is a decorator. The function must treat all elements alike and
        independently. If it neither works on whole arrays nor compiles, a TypeError says why. With
        ``gpunp.config.fallback`` set to "numpy" or "warn", `numpy.vectorize` runs such a function on the
        host.
    otypes : str or list of dtype, optional
        The dtypes of the results.
    doc : str, optional
        The docstring.
    excluded : set of str or int, optional
        Arguments, by name or position, that are passed through unchanged. If the function is compiled, they
        are numbers, or constants: tuples, lists, strings and NumPy arrays, which are compiled into the code.
    cache : bool, optional
        Without effect: the function is called only once.
    signature : str, optional
        Core dimensions, such as ``"(n)->()"``. The function is then called with slices over these dimensions,
        once per position on the others, and its results are stacked. It is not compiled.

    Notes
    -----
    Unlike NumPy, which takes the dtype of the result from the first element, a compiled function has one
    dtype for all its ``return`` statements, by NumPy's rules of promotion: ``0 if x < 0 else x`` has the
    dtype of ``x``.

    Examples
    --------
    >>> import gpunp
    >>> @gpunp.vectorize
    ... def clipped(x, limit):
    ...     return gpunp.where(x > limit, limit, x)
    >>> clipped(gpunp.arange(5), 2)
    array([0, 1, 2, 2, 2])
    >>> @gpunp.vectorize
    ... def collatz(n):
    ...     steps = 0
    ...     while n > 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> collatz(gpunp.arange(1, 8))  # doctest: +SKIP
    array([ 0,  1,  7,  2,  5,  8, 16])
    """

    def __init__(
        self, pyfunc=numpy._NoValue, otypes=None, doc=None, excluded=None, cache=False, signature=None
    ):
        if pyfunc is not numpy._NoValue and not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments.")
        self.pyfunc = pyfunc
        self.otypes = otypes
        self.excluded = set(excluded or ())
        self.cache = cache
        self.signature = signature
        self._doc = doc
        self._dtypes = _check_otypes(otypes)
        self._core = None if signature is None else parse_signature(signature)
        self._describe(pyfunc)

    def _describe(self, pyfunc):
        self.__doc__ = getattr(pyfunc, "__doc__", None) if self._doc is None else self._doc
        if hasattr(pyfunc, "__name__"):
            self.__name__ = pyfunc.__name__

    def __call__(self, *args, **kwargs):
        if self.pyfunc is numpy._NoValue:
            self.pyfunc = args[0]
            self._describe(self.pyfunc)
            return self
        positions = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]

        def arguments(values):
            every, named = list(args), dict(kwargs)
            for i, value in zip(positions, values[: len(positions)], strict=True):
                every[i] = value
            named.update(zip(names, values[len(positions) :], strict=True))
            return every, named

        def function(*values):
            every, named = arguments(values)
            return self.pyfunc(*every, **named)

        given = [args[i] for i in positions] + [kwargs[name] for name in names]
        if not given and self._core is None:
            if args or kwargs:
                raise ValueError("args can not be empty")
            return function()
        arrays = on_one_device(*given)
        if self._core is not None:
            return self._by_slices(function, arrays)
        return self._element_by_element(function, arguments, arrays)

    def _element_by_element(self, function, arguments, arrays):
        shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
        device = arrays[0].device
        if 0 in shape and self._dtypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if 0 in shape:
            return _one_or_all([layout.empty(shape, dtype, "C", device) for dtype in self._dtypes])
        first = None
        if goes_by_elements(self.pyfunc):
            first = self._compiled(arguments, arrays, shape)
            if not isinstance(first, TypeError):
                return first
            if hasattr(self.pyfunc, "py_func"):
                raise first
        try:
            with operators_of_scalars():
                results = function(*(numpy.broadcast_to(a, shape) for a in arrays))
        except (TypeError, ValueError) as error:
            found = self._compiled(arguments, arrays, shape) if first is None else first
            if not isinstance(found, TypeError):
                note_by_elements(self.pyfunc)
                return found
            if policy.config.fallback == "error":
                raise TypeError(
                    f"vectorize: {self._name()} does not work on whole arrays ({error}), and {found}\n"
                    "Use array functions in it, such as gpunp.where for a condition, or what numba compiles; "
                    "or set gpunp.config.fallback = 'numpy' to have numpy.vectorize run it on the host."
                ) from error
            host = numpy.vectorize(function, self.otypes)
            return run_on_host(host, arrays, {}, device, f"vectorize of {self._name()}")
        results = results if isinstance(results, tuple) else (results,)
        if self._dtypes is not None and len(results) != len(self._dtypes):
            raise ValueError(
                f"vectorize: {self._name()} returned {len(results)} results, but otypes has "
                f"{len(self._dtypes)}"
            )
        return _one_or_all([self._whole(result, shape, device, i) for i, result in enumerate(results)])

    @staticmethod
    def instead_of(error, function, arrays, kwargs):
        """Call a function compiled, as it raised ``error`` on whole arrays; else raise the error."""
        try:
            outs, is_tuple = compiled_call(function, arrays, kwargs, arrays[0].shape, arrays[0].device)
        except TypeError as reason:
            error.add_note(f"{reason}")
            raise error from None
        return tuple(outs) if is_tuple else outs[0]

    def _compiled(self, arguments, arrays, shape):
        """The results of the compiled function, or the TypeError that says why it cannot be compiled."""
        every, named = arguments(arrays)
        for value in (every[i] for i in self.excluded if isinstance(i, int) and i < len(every)):
            if isinstance(value, ndarray):
                return TypeError("cannot be compiled: an excluded argument is a device array")
        try:
            outs, _ = compiled_call(self.pyfunc, every, named, shape, arrays[0].device, self._dtypes)
        except TypeError as error:
            return error
        return _one_or_all(outs)

    def _whole(self, result, shape, device, position):
        """A result as a new array of the full shape; only a host scalar is broadcast."""
        if isinstance(result, ndarray) and result.shape != shape:
            raise ValueError(
                f"vectorize: {self._name()} turned arrays of shape {shape} into one of shape {result.shape}; "
                "it must work element by element"
            )
        result = asarray(result, device=device)
        dtype = result.dtype if self._dtypes is None else self._dtypes[position]
        out = layout.empty(shape, dtype, "C", device)
        layout.copy_into(out, result)
        return out

    def _name(self):
        return getattr(self.pyfunc, "__name__", repr(self.pyfunc))

    def _by_slices(self, function, arrays):
        cores, out_cores = self._core
        if len(arrays) != len(cores):
            raise TypeError(
                f"wrong number of positional arguments: expected {len(cores)!r}, got {len(arrays)!r}"
            )
        sizes = {}
        for array, core in zip(arrays, cores, strict=True):
            _note_sizes(sizes, array, core)
        loops = [array.shape[: array.ndim - len(core)] for array, core in zip(arrays, cores, strict=True)]
        loop = numpy.broadcast_shapes(*loops)
        views = [
            numpy.broadcast_to(array, loop + array.shape[len(shape) :])
            for array, shape in zip(arrays, loops, strict=True)
        ]
        outs = None
        for index in numpy.ndindex(loop):
            results = function(*(view[(*index, Ellipsis)] for view in views))
            count = len(results) if isinstance(results, tuple) else 1
            if count != len(out_cores):
                raise ValueError(
                    f"wrong number of outputs from pyfunc: expected {len(out_cores)!r}, got {count!r}"
                )
            results = results if isinstance(results, tuple) else (results,)
            results = [asarray(result, device=arrays[0].device) for result in results]
            if outs is None:
                for result, core in zip(results, out_cores, strict=True):
                    _note_sizes(sizes, result, core)
                dtypes = self._dtypes or [result.dtype for result in results]
                outs = self._outputs(loop, sizes, dtypes, arrays[0].device)
            for out, result in zip(outs, results, strict=True):
                out[(*index, Ellipsis)] = result
        if outs is None:
            if self._dtypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            if any(name not in sizes for core in out_cores for name in core):
                raise ValueError(
                    "cannot call `vectorize` with a signature including new output dimensions on size 0 "
                    "inputs"
                )
            outs = self._outputs(loop, sizes, self._dtypes, arrays[0].device)
        return _one_or_all(outs)

    def _outputs(self, loop, sizes, dtypes, device):
        shapes = [loop + tuple(sizes[name] for name in core) for core in self._core[1]]
        return [layout.empty(shape, dtype, "C", device) for shape, dtype in zip(shapes, dtypes, strict=True)]


def _one_or_all(results):
    return results[0] if len(results) == 1 else tuple(results)


def _note_sizes(sizes, array, core):
    """Record the extents of an argument's core dimensions; equal names must have equal extents."""
    if not core:
        return
    if array.ndim < len(core):
        raise ValueError(
            f"{array.ndim}-dimensional argument does not have enough dimensions for all core dimensions "
            f"{core!r}"
        )
    for name, extent in zip(core, array.shape[-len(core) :], strict=True):
        if sizes.setdefault(name, extent) != extent:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {extent!r} vs {sizes[name]!r}")

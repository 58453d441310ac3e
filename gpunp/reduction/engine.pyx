"""The engine of all reductions: from axes and arguments to one launch.

`reduce_array` folds with a ufunc, by NumPy's rules for dtypes; `fold_array` folds with any record
to a given dtype; `find_place` finds the index of the best element.
"""
import importlib
import sys

import numpy as np

from gpunp.array.ndarray cimport MAX_NDIM, as_scalar, code_of, dtype_of, ndarray, new_array, shape_tuple
from gpunp.array.operators cimport hooks
from gpunp.device cimport Buffer, Device, Kernel, check_status
from gpunp.dtype_codes cimport I8, U8, is_complex
from gpunp.reduction.arguments cimport (
    broadcast_mask, checked_out, is_aligned, keeps, mark_axes, refuse_empty, refuse_mask, set_initial)
from gpunp.reduction.counters cimport take_counters
from gpunp.reduction.plan cimport (
    COLUMNS, REDUCE_ACCUMULATOR_BYTES, REDUCE_DIVIDE, REDUCE_INITIAL, REDUCE_SKIP_NAN, REDUCE_SQRT, ROWS,
    Axes, Launch, ReduceParams, Variant, plan_dims, plan_launch,
)
from gpunp.ufunc.copying cimport overlaps

from gpunp.array import layout
from gpunp.array.convert import asarray
from gpunp.array.arguments import warn_of_imaginary
from gpunp.array.dtype import DTYPES, as_dtype
from gpunp.dtype_codes import CHARS
from gpunp.reduction.records import RECORDS, find_loops

cdef object NoValue = np._NoValue


cdef class Loops:
    cdef Kernel kernel(self, Device device, Variant variant):
        cdef Kernel found
        if device is self.device:
            found = self.rows if variant == ROWS else self.columns if variant == COLUMNS else self.anywhere
            if found is not None:
                return found
        if variant == ROWS:
            found = device.kernel(self.fast[0], f"reduce_rows_{self.fast[1]}")
        elif variant == COLUMNS:
            found = device.kernel(self.fast[0], f"reduce_columns_{self.fast[1]}")
        else:
            found = device.kernel(self.general[0], f"reduce_general_{self.general[1]}")
        # Loading a kernel lets other threads run, which may have switched the cache to another device: check
        # only now.
        if device is not self.device:
            self.rows = self.columns = self.anywhere = None
            self.device = device
        if variant == ROWS:
            self.rows = found
        elif variant == COLUMNS:
            self.columns = found
        else:
            self.anywhere = found
        return found


cdef class Reduction:
    def __init__(self, record):
        self.record = record
        self.name = record.name
        self.ufunc = getattr(np, record.name, None)
        if not isinstance(self.ufunc, np.ufunc):
            self.ufunc = None
        self.ordered = record.kind == "place"
        self.undecided = self.name in ("gcd", "hypot", "fmax", "fmin")
        self.loops = {}
        self.plain = [None] * len(DTYPES)
        self.results = {}

    cdef Loops find(self, int source, int result):
        cdef Loops loops = self.loops.get(source * 16 + result)
        if loops is None:
            found = find_loops(self.name, CHARS[source], CHARS[result])
            loops = Loops()
            loops.fast = found.fast
            loops.general = found.general
            loops.cast = found.cast
            loops.runs = found.runs
            loops.result = result
            self.loops[source * 16 + result] = loops
        return loops

    cdef int result_code(self, int source, object dtype, object out) except -1:
        """The code of the dtype in which a ufunc folds, by NumPy's rules."""
        cdef int code
        key = source, dtype, None if out is None else (<ndarray>out).code
        found = self.results.get(key)
        if found is not None:
            return found
        given = dtype_of(source)
        if dtype is None and out is None and self.name in ("add", "multiply") and given.kind in "biu":
            code = U8 if given.kind == "u" else I8
        else:
            wanted = None if dtype is None else as_dtype(dtype)
            operands = (given if out is None else dtype_of((<ndarray>out).code), given, None)
            resolved = self.ufunc.resolve_dtypes(operands, signature=(wanted, None, None), casting="unsafe",
                                                 reduction=True)
            code = code_of(resolved[0].newbyteorder("="))
        self.results[key] = code
        return code


cdef dict _reductions = {}
for _record in RECORDS:
    _reductions[_record.name] = Reduction(_record)


cdef void _set_axes(Axes* axes, ndarray a, ndarray result, const bint* reduced, Py_ssize_t* out_strides,
                    bint keepdims) noexcept:
    """Fill in the axes of a reduction without a mask."""
    cdef int d, n = 0
    for d in range(a.ndim_):
        out_strides[d] = 0 if reduced[d] else result.strides_[n]
        n += keepdims or not reduced[d]
    axes.ndim = a.ndim_
    axes.shape = a.shape_
    axes.strides = a.strides_
    axes.reduced = reduced
    axes.out_strides = out_strides
    axes.where_strides = NULL


cdef ndarray _deferred(Reduction r, ndarray a, const bint* reduced, Loops loops, const Options* options, int ndim,
                       const Py_ssize_t* shape):
    """Defer a reduction of the last axes and return its result, or None if it must run now."""
    if loops.cast and a.code != loops.result:
        a = layout.converted(a, dtype_of(loops.result))
        loops = r.find(a.code, loops.result)
    return fusion_hooks.defer(a, reduced, loops, options, _has_moments(r, a), ndim, shape)


cdef ndarray fold(Reduction r, ndarray a, object axis, Loops loops, object out, bint keepdims, object where,
                  const Options* options):
    """Plan and launch a reduction; returns ``out`` or a new array of the dtype of ``loops``."""
    cdef bint[MAX_NDIM] reduced
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_NDIM] out_strides
    cdef Py_ssize_t[MAX_NDIM] where_strides
    cdef Py_ssize_t folded = 1
    cdef const char* first
    cdef ReduceParams p
    cdef Axes axes
    cdef Launch launch
    cdef Device device = a.device_
    cdef ndarray result, mask = None, target = None
    cdef Buffer partials
    cdef Py_ssize_t pending
    cdef int d, n = 0
    check_status(device)
    mark_axes(axis, a.ndim_, reduced)
    for d in range(a.ndim_):
        if reduced[d]:
            folded *= a.shape_[d]
        if keepdims or not reduced[d]:
            shape[n] = 1 if reduced[d] else a.shape_[d]
            n += 1
    if out is not None:
        target = checked_out(r.name, out, a, n, shape)
    if where is not True:
        if not r.record.empty and not options.flags & REDUCE_INITIAL:
            refuse_mask(r.name)
        mask = broadcast_mask(r.name, a, where, where_strides)
    if (a.size_ >= device.deferred_elements and target is None and mask is None and a.ndim_ > 1
            and reduced[a.ndim_ - 1] and not reduced[0]):
        result = _deferred(r, a, reduced, loops, options, n, shape)
        if result is not None:
            return result
    # A kernel that computes elements may read what they are computed from in ``out``.
    if (target is not None and target.code == loops.result and fusion_hooks.pending(a) < 0 and not overlaps(target, a)
            and (mask is None or not overlaps(target, mask))):
        result = target
    else:
        result = new_array(loops.result, n, shape, device)
    if folded == 0 and not (r.record.empty or options.flags & REDUCE_INITIAL):
        raise ValueError(f"zero-size array to reduction operation {r.name} which has no identity")
    if result.size_ == 0:
        return target if target is not None else result
    if loops.cast and a.code != loops.result:
        a = layout.converted(a, dtype_of(loops.result))
        loops = r.find(a.code, loops.result)
    _set_axes(&axes, a, result, reduced, out_strides, keepdims)
    p.out = result.data_ptr()
    p.where = NULL
    if mask is not None:
        axes.where_strides = where_strides
        p.where = mask.read_ptr()
    pending = fusion_hooks.pending(a)
    # Buffers are aligned to more bytes than plans depend on, so that of a place in a buffer is that of its address.
    p.data = a.read_ptr() if pending < 0 else <char*>pending
    first = p.data
    if not plan_dims(&p, &axes, r.ordered):
        _fold_copied(r, a, loops, result, reduced, mask, where_strides, options)
    else:
        p.flags = options.flags
        p.divisor = <double>p.reduced
        p.correction = options.correction
        p.initial[0] = options.initial[0]
        p.initial[1] = options.initial[1]
        p.initial_integer = options.initial_integer
        p.in_dtype = a.code
        p.out_dtype = loops.result
        if a.size_ and not is_aligned(a, first):
            raise ValueError(f"{r.name}: the array's elements are not aligned to their size; copy it first")
        launch = plan_launch(&p, a.itemsize_, loops.fast is not None and mask is None, loops.runs,
                             _has_moments(r, a), device.is_cpu, &device.tuning,
                             device.multiprocessors)
        if p.splits > 1:
            partials = device.allocate(<size_t>REDUCE_ACCUMULATOR_BYTES * p.outputs * p.splits)
            p.partials = partials.ptr
            p.counters = take_counters(device, p.tiles)
        if pending < 0 or not fusion_hooks.reduce(a, loops, &launch, &p):
            if pending >= 0:
                p.data += a.data_ptr() - first
            device.start(loops.kernel(device, launch.variant), launch.blocks, 1, 1, launch.threads, 0, &p, sizeof(p))
    if target is not None and result is not target:
        hooks.copy(target, result)
        return target
    return result


cdef Py_ssize_t _import_and_ask(ndarray a) except -2:
    """Import fusion at the first array that has no elements yet; the import sets the hooks."""
    if a.buffer.ptr != NULL or a.buffer.writes == 0 or sys.is_finalizing():
        return -1
    importlib.import_module("gpunp.fusion.pending")
    return fusion_hooks.pending(a)


cdef ndarray _import_and_defer(ndarray a, const bint* reduced, Loops loops, const Options* options, bint moments,
                               int ndim, const Py_ssize_t* shape):
    if sys.is_finalizing():
        return None
    importlib.import_module("gpunp.fusion.folds")
    return fusion_hooks.defer(a, reduced, loops, options, moments, ndim, shape)

fusion_hooks.pending = _import_and_ask
fusion_hooks.defer = _import_and_defer


cdef bint _has_moments(Reduction r, ndarray a) noexcept:
    return r.name == "variance" and not is_complex(a.code)


cdef int _fold_copied(Reduction r, ndarray a, Loops loops, ndarray result, const bint* reduced, ndarray mask,
                      const Py_ssize_t* where_strides, const Options* options) except -1:
    """Fold arrays with too many dimensions for a kernel: copy to (kept, reduced) order, which is 2-d."""
    cdef int d
    order = [d for d in range(a.ndim_) if not reduced[d]] + [d for d in range(a.ndim_) if reduced[d]]
    kept = sum([1 for d in range(a.ndim_) if not reduced[d]])
    shape = shape_tuple(a)
    rows = int(np.prod([shape[d] for d in order[:kept]], dtype=np.int64))
    moved = layout.converted(layout.strided_view(a, tuple([shape[d] for d in order]),
                                                 tuple([a.strides_[d] for d in order])), order="C")
    columns = a.size // max(rows, 1)
    flat = layout.strided_view(moved, (rows, columns), (columns * a.itemsize, a.itemsize))
    where = True
    if mask is not None:
        spread = layout.strided_view(mask, tuple([shape[d] for d in order]),
                                     tuple([where_strides[d] for d in order]))
        where = layout.strided_view(layout.converted(spread, order="C"), (rows, columns), (columns, 1))
    folded = fold(r, flat, 1, loops, out=None, keepdims=False, where=where, options=options)
    hooks.copy(result, folded.reshape(shape_tuple(result)))
    return 0


def reduction_named(str name):
    """The record of a ufunc, for `reduce_plain`."""
    return _reductions[name]


cdef inline Loops _plain_loops(Reduction r, ndarray a):
    """The loops of a call without ``dtype=`` and ``out=``."""
    loops = r.plain[a.code]
    if loops is None:
        loops = r.plain[a.code] = r.find(a.code, r.result_code(a.code, dtype=None, out=None))
    return <Loops>loops


def reduce_plain(Reduction r not None, ndarray a not None, axis):
    """`reduce_array` with no other arguments, by a record instead of a name."""
    cdef Options options
    options.flags = 0
    return as_scalar(fold(r, a, axis, _plain_loops(r, a), out=None, keepdims=False, where=True, options=&options))


def reduce_array(str name, a, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True,
                 bint skip_nan=False):
    """Reduce with a ufunc.

    Parameters
    ----------
    name : str
        A ufunc in the table of reductions: "add", "maximum", ...
    a : array_like
    axis : None, int or tuple of int, optional
        All axes by default.
    dtype : dtype_like, optional
        The dtype to fold in; NumPy's choice by default.
    out : ndarray, optional
    keepdims : bool
    initial : scalar, optional
    where : array_like of bool, optional
    skip_nan : bool
        Replace NaN by the identity (add and multiply).

    Returns
    -------
    ndarray
    """
    cdef Reduction r = _reductions[name]
    cdef ndarray array = a if isinstance(a, ndarray) else asarray(a)
    cdef Loops loops = None
    cdef Options options
    cdef ndarray result
    options.flags = REDUCE_SKIP_NAN if skip_nan else 0
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if dtype is None and out is None:
        loops = _plain_loops(r, array)
    else:
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(f"{name}: return arrays must be gpunp arrays, not {type(out).__name__}")
        loops = r.find(array.code, r.result_code(array.code, dtype, out))
        warn_of_imaginary(dtype_of(array.code), dtype_of(loops.result))
        if out is not None:
            warn_of_imaginary(dtype_of(loops.result), (<ndarray>out).dtype)
    if initial is not NoValue:
        if initial is not None:
            set_initial(&options, initial, loops.result)
        elif where is not True and where is not NoValue:
            refuse_mask(r.name)
        elif array.size_ == 0:
            refuse_empty(r.name, array, axis)
    result = fold(r, array, axis, loops, out, keeps(keepdims), True if where is NoValue else where, &options)
    if r.undecided and (is_complex(loops.result) or options.flags & REDUCE_INITIAL or initial is None):
        from gpunp.reduction.undecided import settle
        settle(name, result, array, axis, keepdims, initial, where)
    return as_scalar(result) if out is None else result


def fold_array(str name, ndarray a not None, axis, result, out=None, keepdims=False, where=True,
               bint skip_nan=False, bint divide=False, bint root=False, double correction=0):
    """Fold with any record of the table to a given dtype.

    Parameters
    ----------
    name : str
        A record: "mean_counted", "variance", "sum_squares", ...
    a : ndarray
    axis : None, int or tuple of int
    result : dtype
        The result's dtype, of the kind that the record produces.
    out, keepdims, where
        As in `reduce_array`.
    skip_nan : bool
        Skip NaN.
    divide : bool
        Divide by the number of folded elements, in double precision.
    root : bool
        Take the square root.
    correction : float
        The number that the variance subtracts from its count.

    Returns
    -------
    ndarray
    """
    cdef Reduction r = _reductions[name]
    cdef Options options
    options.flags = ((REDUCE_SKIP_NAN if skip_nan else 0) | (REDUCE_DIVIDE if divide else 0)
                     | (REDUCE_SQRT if root else 0))
    options.correction = correction
    cdef ndarray folded = fold(r, a, axis, r.find(a.code, code_of(result)), out, keeps(keepdims),
                               True if where is NoValue else where, &options)
    return as_scalar(folded) if out is None else folded


def find_place(str name, ndarray a not None, axis=None, out=None, keepdims=False, bint skip_nan=False):
    """The index of the least or greatest element: flat in C order, or along one axis.

    Parameters
    ----------
    name : {"argmin", "argmax"}
    a : ndarray
    axis : int, optional
    out : ndarray, optional
        Must have a dtype that casts safely to int64.
    keepdims : bool
    skip_nan : bool
        Treat NaN as worse than all numbers; the index is -1 if all elements are NaN.

    Returns
    -------
    ndarray
        The indices, of dtype int64.
    """
    cdef Reduction r = _reductions[name]
    cdef Options options
    cdef bint[MAX_NDIM] reduced
    cdef int d
    options.flags = REDUCE_SKIP_NAN if skip_nan else 0
    if isinstance(axis, tuple):
        raise TypeError("'tuple' object cannot be interpreted as an integer")
    mark_axes(axis, a.ndim_, reduced)
    for d in range(a.ndim_):
        if reduced[d] and a.shape_[d] == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
    if out is not None and isinstance(out, ndarray):
        if not np.can_cast((<ndarray>out).dtype, np.intp, "safe"):
            raise TypeError(f"Cannot cast array data from {(<ndarray>out).dtype!r} to dtype('int64') "
                            "according to the rule 'safe'")
    cdef ndarray found = fold(r, a, axis, r.find(a.code, I8), out,
                              keepdims is not NoValue and keepdims, True, &options)
    return as_scalar(found) if out is None else found

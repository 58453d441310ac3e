"""Launches of the folds behind the ufunc methods."""
import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from gpunp.array.layout cimport new_like
from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport BOOL
from gpunp.reduction.lanes cimport LANE_OPERANDS, Lanes, find_lanes
from gpunp.ufunc.copying cimport copy_into, overlaps

from gpunp.array.dtype import DTYPES
from gpunp.dtype_codes import CHARS, NAME_OF
from gpunp.reduction.fold_table import REORDERABLE, UNIT_CHAR, fold_key, fold_ops
from gpunp.ufunc.table import ROWS

cdef extern from "gpunp/reduction/fold_params.h" namespace "gpunp":
    enum:
        FOLD_DIMS, FOLD_BLOCK
    struct FoldParams:
        const char* input
        char* output
        const char* mask
        const int64_t* starts
        uint32_t* status
        int64_t length
        int64_t segments, chunk
        int64_t lanes
        int64_t in_stride, out_stride, mask_stride
        int64_t shape[8]
        int64_t in_strides[8]
        int64_t out_strides[8]
        int64_t mask_strides[8]
        int32_t ndim
        int32_t op
        int32_t in_dtype, out_dtype
        int32_t loop_dtype
        int32_t round_steps
        int32_t emit_all
        int32_t cooperative
        int32_t has_initial
        unsigned char initial[16]

# Least mean length of segments that are shared by a warp instead of folded by one thread.
cdef enum:
    LONG_SEGMENT = 64

# `fold_key` -> number of the operation in the kernels.
OPS = fold_ops(ROWS)
# The ufuncs that the kernels can fold.
FOLDED = frozenset([key.partition(":")[0] for key in OPS])
cdef dict _ops = OPS


cdef int fold_blocks(int64_t threads, str what) except -1:
    cdef int64_t blocks = (threads + FOLD_BLOCK - 1) // FOLD_BLOCK
    if blocks > 0x7fffffff:
        raise ValueError(f"{what}: too many elements for one launch; work on parts of the array")
    return <int>blocks


def fold(str name, loop, ndarray source not None, ndarray out not None, int axis, *, ndarray mask=None,
         ndarray starts=None, initial=None, bint emit_all=False, bint exact_steps=False):
    """Fold ``source`` along ``axis`` with a binary ufunc.

    Parameters
    ----------
    name : str
        The ufunc.
    loop : str
        Dtype characters of the loop's two inputs; ``source`` has the first dtype or converts to it exactly.
    source, out : ndarray
        ``out`` has the length of ``starts`` (or one) along the axis; with ``emit_all`` that of ``source``.
    mask : ndarray, optional
        bool, of the shape of ``source``: the elements that take part.
    starts : ndarray, optional
        int64, C-contiguous: the indices of reduceat.
    initial : numpy scalar, optional
        Of the loop's dtype.
    emit_all : bool
        Write every partial result.
    exact_steps : bool
        Do not round partial results to a dtype narrower than the kernel computes in.
    """
    cdef FoldParams p
    cdef Lanes lanes
    cdef const Py_ssize_t* strides[LANE_OPERANDS]
    cdef Device device = out.device_
    cdef ndarray copy
    cdef bytes raw
    cdef int d, operands = 2, code = CHARS.index(loop[0])
    cdef int64_t threads
    check_status(device)
    if out.size_ == 0:
        return
    computed = UNIT_CHAR[loop[0]]
    if overlaps(source, out):
        copy = new_like(source, source.code, c"K", device)
        copy_into(copy, source)
        source = copy
    # Lanes leave out the axis itself, so the shapes may differ there.
    strides[0] = source.strides_
    strides[1] = out.strides_
    if mask is not None:
        strides[2] = mask.strides_
        operands = 3
    find_lanes(&lanes, source.ndim_, source.shape_, axis, operands, strides)
    if lanes.ndim > FOLD_DIMS:
        _fold_dense(name, loop, source, out, axis, mask, starts, initial, emit_all, exact_steps)
        return
    memset(&p, 0, sizeof(p))
    p.input = source.data_ptr()
    p.output = out.data_ptr()
    if starts is not None or name == "power":
        p.status = device.report_word(name + (".reduceat" if starts is not None else
                                              ".accumulate" if emit_all else ".reduce"))
    p.length = source.shape_[axis]
    p.segments = 1 if emit_all else out.shape_[axis]
    p.chunk = p.length
    p.lanes = lanes.size
    p.in_stride = source.strides_[axis]
    p.out_stride = out.strides_[axis]
    p.ndim = lanes.ndim
    for d in range(lanes.ndim):
        p.shape[d] = lanes.shape[d]
        p.in_strides[d] = lanes.strides[0][d]
        p.out_strides[d] = lanes.strides[1][d]
        if mask is not None:
            p.mask_strides[d] = lanes.strides[2][d]
    if mask is not None:
        p.mask = mask.data_ptr()
        p.mask_stride = mask.strides_[axis]
    if starts is not None:
        p.starts = <const int64_t*>starts.data_ptr()
    p.op = _ops[fold_key(name, loop)]
    p.in_dtype, p.out_dtype, p.loop_dtype = source.code, out.code, code
    p.round_steps = computed != loop[0] and not exact_steps
    p.emit_all = emit_all
    if initial is not None:
        raw = np.asarray(initial).astype(DTYPES[CHARS.index(computed)]).tobytes()
        memcpy(p.initial, <const char*>raw, len(raw))
        p.has_initial = True
    threads = p.lanes * p.segments
    p.cooperative = (not device.is_cpu and not emit_all and name in REORDERABLE
                     and p.length >= LONG_SEGMENT * p.segments)
    unit = NAME_OF[computed]
    if p.cooperative:
        threads *= 32
    device.launch(device.kernel("fold_" + unit, "fold_" + unit), fold_blocks(threads, name), 1, 1, FOLD_BLOCK, 0,
                  &p, sizeof(p))


cdef object _fold_dense(str name, object loop, ndarray source, ndarray out, int axis, ndarray mask,
                        ndarray starts, object initial, bint emit_all, bint exact_steps):
    """Fold C-ordered copies, whose dimensions merge, if the arrays have too many dimensions for a launch."""
    cdef ndarray dense = new_like(source, source.code, c"C", source.device_)
    cdef ndarray result = new_array(out.code, out.ndim_, out.shape_, out.device_)
    cdef ndarray dense_mask = None
    copy_into(dense, source)
    if mask is not None:
        dense_mask = new_array(BOOL, mask.ndim_, mask.shape_, mask.device_)
        copy_into(dense_mask, mask)
    fold(name, loop, dense, result, axis, mask=dense_mask, starts=starts, initial=initial, emit_all=emit_all,
         exact_steps=exact_steps)
    copy_into(out, result)

"""Launches of the kernels of ranks and of correlations."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/statistics/ranks_params.h" namespace "gpunp":
    enum:
        RANKS_BLOCK "gpunp::RANKS_BLOCK"
        RANK_ORDINAL "gpunp::RANK_ORDINAL"
        RANK_MIN "gpunp::RANK_MIN"
        RANK_MAX "gpunp::RANK_MAX"
        RANK_AVERAGE "gpunp::RANK_AVERAGE"
        RANKS_F4 "gpunp::RANKS_F4"
        RANKS_F8 "gpunp::RANKS_F8"
        RANKS_I8 "gpunp::RANKS_I8"
        NANS_RANKED "gpunp::NANS_RANKED"
        NANS_SPREAD "gpunp::NANS_SPREAD"
        NANS_KEPT "gpunp::NANS_KEPT"
    cdef struct RanksParams:
        const void* sorted
        const int64_t* order
        void* out
        int64_t rows, n
        int32_t method, type, nans

cdef extern from "gpunp/statistics/correlation_params.h" namespace "gpunp":
    enum:
        CORRELATION_BLOCK "gpunp::CORRELATION_BLOCK"
        CORRELATION_EXTENTS "gpunp::CORRELATION_EXTENTS"
        CORRELATION_PRODUCTS "gpunp::CORRELATION_PRODUCTS"
        CORRELATION_NARROW "gpunp::CORRELATION_NARROW"
    cdef struct CorrelationParams:
        const void* x
        const void* y
        double* extents
        double* products
        int64_t rows, n, parts, part

cdef enum:
    RESIDENT = 8            # blocks of a multiprocessor
    LEAST_PART = 1 << 13    # elements of a part of a row
    HOST_PART = 1 << 14

cdef object _F8 = numpy.dtype("f8")
cdef dict _METHODS = {"ordinal": RANK_ORDINAL, "min": RANK_MIN, "max": RANK_MAX, "average": RANK_AVERAGE}
cdef dict _TYPES = {"f": RANKS_F4, "d": RANKS_F8, "l": RANKS_I8, "q": RANKS_I8}
cdef dict _NANS = {None: NANS_RANKED, "propagate": NANS_SPREAD, "omit": NANS_KEPT}
cdef dict _KEYS = {"f4": "f4", "f8": "f8", "b1": "u1", "i1": "u1", "u1": "u1", "i2": "u2", "u2": "u2",
                   "i4": "u4", "u4": "u4", "i8": "u8", "u8": "u8"}


def takes_ranks(key, dtype):
    """Whether `write_ranks` has a kernel for elements of a dtype and ranks of another."""
    return key.str[1:] in _KEYS and dtype.char in _TYPES


def write_ranks(ndarray ordered not None, ndarray order not None, ndarray out not None, str method, nans=None):
    """Write the ranks along the last axis to where the elements come from; all arrays are contiguous.

    Parameters
    ----------
    ordered : ndarray
        Sorted rows, NaN last.
    order : ndarray of int64
        The places of the elements in the rows of ``out``.
    out : ndarray
        Of float32, float64 or int64.
    method : {"average", "min", "max", "ordinal"}
    nans : {None, "propagate", "omit"}, optional
        Whether NaN has no rank, and with ``"propagate"`` no other element of its row, either.
    """
    cdef Device device = out.device_
    cdef RanksParams p
    cdef int64_t blocks
    memset(&p, 0, sizeof(p))
    check_status(device)
    if out.size_ == 0:
        return
    p.sorted, p.order, p.out = ordered.data_ptr(), <int64_t*>order.data_ptr(), out.data_ptr()
    p.n = out.shape_[out.ndim_ - 1]
    p.rows = out.size_ // p.n
    p.method, p.type, p.nans = _METHODS[method], _TYPES[out.dtype.char], _NANS[nans]
    blocks = min((out.size_ + RANKS_BLOCK - 1) // RANKS_BLOCK,
                 <int64_t>(device.multiprocessors * device.tuning.fill_blocks))
    device.launch(device.kernel("ranks", "ranks_" + _KEYS[ordered.dtype.str[1:]]), <unsigned int>max(blocks, 1),
                  1, 1, RANKS_BLOCK, 0, &p, sizeof(p))


def products(ndarray x not None, ndarray y not None):
    """Sums of products of the deviations of two samples from their means, along the last axis.

    Parameters
    ----------
    x, y : ndarray
        Contiguous, both float32 or float64, of one shape with two axes.

    Returns
    -------
    ndarray
        Float64, of shape (rows, 3): of ``x`` with itself, of ``y`` with itself, of both. The deviations of
        each row of ``x`` and of ``y`` are multiplied by a power of two. NaN where all values are equal.
    """
    cdef Device device = x.device_
    cdef CorrelationParams p
    cdef ndarray extents, found
    cdef int64_t least, blocks, tile = CORRELATION_BLOCK * 4
    memset(&p, 0, sizeof(p))
    p.x, p.y, p.rows, p.n = x.data_ptr(), y.data_ptr(), x.shape_[0], x.shape_[1]
    kind = x.dtype.str[1:]
    blocks = p.rows
    if device.is_cpu:
        p.part = HOST_PART
    elif p.n <= CORRELATION_NARROW:
        kind += "_narrow"
        blocks = (p.rows + CORRELATION_BLOCK // 32 - 1) // (CORRELATION_BLOCK // 32)
        p.part = p.n
    else:
        p.parts = max(RESIDENT * device.multiprocessors // max(p.rows, 1), 1)
        least = max((p.n + p.parts - 1) // p.parts, <int64_t>LEAST_PART)
        p.part = (least + tile - 1) // tile * tile
    p.parts = max((p.n + p.part - 1) // p.part, 1)
    extents = empty((p.rows, p.parts, CORRELATION_EXTENTS), _F8, device=x.device)
    found = empty((p.rows, CORRELATION_PRODUCTS, p.parts), _F8, device=x.device)
    p.extents, p.products = <double*>extents.data_ptr(), <double*>found.data_ptr()
    check_status(device)
    if p.rows:
        for step in ("extents", "products"):
            device.launch(device.kernel("correlation", f"correlation_{step}_{kind}"), <unsigned int>blocks,
                          <unsigned int>p.parts, 1, CORRELATION_BLOCK, 0, &p, sizeof(p))
    return found.sum(axis=-1)

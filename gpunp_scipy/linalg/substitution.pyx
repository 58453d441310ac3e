"""Launches of the kernels that solve triangular systems with one right side."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy

from gpunp.array.layout import empty, zeros
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F4, F8

cdef extern from "gpunp/linalg/substitution_params.h" namespace "gpunp":
    enum:
        SUBSTITUTION_BLOCK "gpunp::SUBSTITUTION_BLOCK"
        SUBSTITUTION_ROWS "gpunp::SUBSTITUTION_ROWS"
    cdef struct SubstitutionParams:
        const void* a
        const void* b
        void* x
        void* found
        int64_t n
        int32_t batch, unit

cdef tuple _WORDS = (numpy.dtype("u4"), numpy.dtype("u8"))

cdef enum:
    MOST_SYSTEMS = 65535


def takes(ndarray a not None, ndarray b not None):
    """Whether there is a kernel for these matrices and right sides, of shape (batch, n, sides)."""
    return b.shape_[2] == 1 and (a.code == F4 or a.code == F8) and a.shape_[0] <= MOST_SYSTEMS


def solve(ndarray a not None, ndarray b not None, bint upper, bint transposed, bint unit):
    """Solve triangular systems; see `gpunp.linalg.triangular.solve`.

    Parameters
    ----------
    a : ndarray, shape (batch, n, n)
        Contiguous, float32 or float64; one triangle is read.
    b : ndarray, shape (batch, n, 1)
        Contiguous, of the same dtype.
    upper : bool
        Which triangle.
    transposed : bool
        Whether to solve with the transpose.
    unit : bool
        Whether ones take the place of the diagonal.

    Returns
    -------
    ndarray, shape (batch, n, 1)
    """
    cdef Device device = a.device_
    cdef SubstitutionParams p
    cdef ndarray x = empty(b.shape, b.dtype, device=b.device)
    cdef ndarray found
    cdef int64_t count = (a.shape_[1] + SUBSTITUTION_ROWS - 1) // SUBSTITUTION_ROWS
    if b.size_ == 0:
        return x
    memset(&p, 0, sizeof(p))
    found = zeros((a.shape_[0], a.shape_[1] + 1), _WORDS[a.code == F8], device=a.device)
    check_status(device)
    p.a, p.b, p.x, p.found = a.data_ptr(), b.data_ptr(), x.data_ptr(), found.data_ptr()
    p.n, p.batch, p.unit = a.shape_[1], <int32_t>a.shape_[0], unit
    name = ("f4" if a.code == F4 else "f8") + ("_upper" if upper else "_lower") + ("_transposed" if transposed else "")
    device.launch(device.kernel("substitution", "substitution_" + name), <unsigned int>count,
                  <unsigned int>a.shape_[0], 1, SUBSTITUTION_BLOCK, 0, &p, sizeof(p))
    return x

"""Launches of the kernels that make cubic interpolants."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport F8

cdef extern from "gpunp/interpolate/cubics_params.h" namespace "gpunp":
    enum:
        CUBICS_BLOCK "gpunp::CUBICS_BLOCK"
    cdef struct CubicsParams:
        const double* h
        const double* y
        double* slopes
        double* c
        int64_t n, inner

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 16


cdef double* _address(ndarray a, str name) except? NULL:
    if a.code != F8 or not a.c_contiguous:
        raise ValueError(f"{name} is C-contiguous float64, not {a.dtype}")
    return <double*>a.data_ptr()


cdef int _make(Device device, str name, CubicsParams* p, int64_t count) except -1:
    cdef int64_t blocks = min((count + CUBICS_BLOCK - 1) // CUBICS_BLOCK,
                              <int64_t>(device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR))
    check_status(device)
    if count:
        device.launch(device.kernel("interpolation_cubics", "cubics_" + name), <unsigned int>blocks, 1, 1,
                      CUBICS_BLOCK, 0, p, sizeof(CubicsParams))
    return 0


def monotone_slopes(ndarray h not None, ndarray y not None):
    """Slopes of monotone interpolants through two points or more.

    Parameters
    ----------
    h : ndarray
        Distances of points, contiguous and float64.
    y : ndarray
        Values, of which the first axis is interpolated; contiguous and float64.
    """
    cdef CubicsParams p
    cdef ndarray slopes = empty(y.shape, y.dtype, device=y.device)
    memset(&p, 0, sizeof(p))
    p.h, p.y, p.slopes = _address(h, "h"), _address(y, "y"), <double*>slopes.data_ptr()
    p.n = y.shape_[0]
    p.inner = y.size_ // p.n
    _make(y.device_, "slopes", &p, y.size_)
    return slopes


def pieces(ndarray h not None, ndarray y not None, ndarray slopes not None):
    """Coefficients, highest powers first, of cubic polynomials with values and slopes at both ends.

    Parameters
    ----------
    h : ndarray
        Distances of points, contiguous and float64.
    y, slopes : ndarray
        Of one shape, of which the first axis is interpolated; contiguous and float64.
    """
    cdef CubicsParams p
    cdef ndarray c = empty((4, y.shape_[0] - 1, *y.shape[1:]), y.dtype, device=y.device)
    memset(&p, 0, sizeof(p))
    p.h, p.y, p.slopes, p.c = _address(h, "h"), _address(y, "y"), _address(slopes, "slopes"), <double*>c.data_ptr()
    p.n = y.shape_[0]
    p.inner = y.size_ // p.n
    _make(y.device_, "pieces", &p, c.size_ // 4)
    return c

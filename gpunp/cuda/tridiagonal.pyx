"""Eigenvalues of a symmetric matrix of float64 that the registers of one cluster of blocks hold."""
from libc.stdint cimport int32_t, int64_t

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.clusters cimport cluster_kernel, largest_cluster, launch_clusters
from gpunp.cuda.device cimport CudaDevice
from gpunp.device cimport check_status

cdef extern from "gpunp/linalg_panel_params.h" namespace "gpunp":
    enum:
        PANEL_THREADS, TRIDIAGONAL_ROWS, BISECTION_THREADS, BISECTION_VALUES
    cdef struct TridiagonalParams:
        const void* a
        int64_t stride
        void* diagonal
        void* beside
        void* values
        int32_t n

cdef enum:
    F8 = 11             # a code of gpunp/types.h


def takes(ndarray a not None):
    """Whether the matrices of a stack fit a cluster."""
    return (not a.device_.is_cpu and a.code == F8
            and a.shape_[a.ndim_ - 1] <= TRIDIAGONAL_ROWS * largest_cluster(a.device_))


def eigenvalues(ndarray a not None, ndarray values not None):
    """The eigenvalues, ascending, of a contiguous matrix; both of its triangles are read."""
    cdef CudaDevice device = a.device_
    cdef TridiagonalParams p
    cdef Py_ssize_t[1] shape
    cdef ndarray diagonal, beside
    cdef int32_t n = <int32_t>a.shape_[0]
    cdef unsigned int blocks = 1
    check_status(device)
    shape[0] = max(n, 1)
    diagonal = new_array(F8, 1, shape, device)
    beside = new_array(F8, 1, shape, device)
    p.a, p.stride, p.n = a.data_ptr(), n, n
    p.diagonal, p.beside, p.values = diagonal.data_ptr(), beside.data_ptr(), values.data_ptr()
    while blocks * TRIDIAGONAL_ROWS < <unsigned int>n:
        blocks *= 2
    launch_clusters(device, cluster_kernel(device, "cluster_tridiagonal", "tridiagonal"), blocks, 1,
                    PANEL_THREADS, &p)
    device.launch(device.kernel("cluster_tridiagonal", "bisection"),
                  (n + BISECTION_VALUES - 1) // BISECTION_VALUES, 1, 1, BISECTION_THREADS, 0, &p, sizeof(p))

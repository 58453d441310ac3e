"""Eigenvalues of symmetric matrices, reduced to tridiagonal form in registers.

A float64 matrix occupies a cluster of blocks, a float32 matrix the whole GPU.
"""
from libc.stdint cimport int32_t, int64_t

from cuda.bindings.cydriver cimport (
    CUdevice_attribute, CUfunction, cuDeviceGetAttribute, cuLaunchCooperativeKernel,
    cuOccupancyMaxActiveBlocksPerMultiprocessor)

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.clusters cimport cluster_kernel, largest_cluster, launch_clusters
from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.cuda.driver cimport check, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport check_status
from gpunp.dtype_codes cimport F4, F8

cdef extern from "gpunp/linalg/panel_params.h" namespace "gpunp":
    enum:
        PANEL_THREADS, TRIDIAGONAL_ROWS, BISECTION_THREADS, BISECTION_VALUES
        GRID_ROWS, GRID_THREADS, GRID_MOST, VECTOR_THREADS
    cdef struct TridiagonalParams:
        const void* a
        int64_t stride
        void* diagonal
        void* beside
        void* values
        int32_t n
    cdef struct GridTridiagonalParams:
        const void* a
        int64_t stride
        void* reflectors
        int64_t reflectors_stride
        void* tau
        void* diagonal
        void* beside
        void* exchange
        int64_t exchange_stride
        int32_t n
    cdef struct TridiagonalVectorsParams:
        const void* diagonal
        const void* beside
        void* values
        void* from_above
        void* from_below
        void* vectors
        int64_t vectors_stride
        int32_t n

# Device index -> number of resident blocks of the kernel `tridiagonal_grid`.
cdef dict _blocks_at_once = {}


def takes(ndarray a not None):
    """Whether the matrices of a stack fit a cluster."""
    return (not a.device_.is_cpu and a.code == F8
            and a.shape_[a.ndim_ - 1] <= TRIDIAGONAL_ROWS * largest_cluster(a.device_))


def eigenvalues(ndarray a not None, ndarray values not None):
    """Ascending eigenvalues of a contiguous symmetric matrix; both triangles are read."""
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
    _bisect(device, &p)


cdef int _bisect(CudaDevice device, TridiagonalParams* p) except -1:
    return device.launch(device.kernel("cluster_tridiagonal", "bisection"),
                         (p.n + BISECTION_VALUES - 1) // BISECTION_VALUES, 1, 1, BISECTION_THREADS, 0, p,
                         sizeof(TridiagonalParams))


def grid_takes(ndarray a not None):
    """Whether a matrix fits the registers of the whole GPU."""
    cdef int blocks = 0, count = 0
    cdef CudaDevice device
    cdef int64_t n = a.shape_[a.ndim_ - 1]
    if a.device_.is_cpu or a.code != F4 or n > GRID_MOST or largest_cluster(a.device_) == 0:
        return False
    device = a.device_
    most = _blocks_at_once.get(device.index)
    if most is None:
        use_context(device.context)
        check(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, <CUfunction>device.load("cluster_tridiagonal", "tridiagonal_grid").function, GRID_THREADS,
            0), "cuOccupancyMaxActiveBlocksPerMultiprocessor")
        check(cuDeviceGetAttribute(&count, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                   device.handle), "cuDeviceGetAttribute")
        most = _blocks_at_once[device.index] = blocks * count
    return (n + GRID_ROWS - 1) // GRID_ROWS <= most


def grid_form(ndarray a not None, ndarray exchange not None, ndarray reflectors not None, ndarray tau not None,
              ndarray diagonal not None, ndarray beside not None, ndarray values not None):
    """Tridiagonal form and eigenvalues of a contiguous symmetric matrix; both triangles are read.

    ``exchange`` must have all bits set, and rows of a multiple of four elements (pairs of floats);
    ``reflectors`` must be zero.
    """
    cdef CudaDevice device = a.device_
    cdef CudaKernel kernel = <CudaKernel>device.kernel("cluster_tridiagonal", "tridiagonal_grid")
    cdef GridTridiagonalParams p
    cdef TridiagonalParams b
    cdef void* arguments[1]
    cdef int32_t n = <int32_t>a.shape_[0]
    cdef unsigned int blocks = (n + GRID_ROWS - 1) // GRID_ROWS
    # Four columns per thread, in whole warps.
    cdef unsigned int threads = (n + 127) // 128 * 32
    check_status(device)
    p.a, p.stride, p.n = a.data_ptr(), n, n
    p.reflectors, p.reflectors_stride, p.tau = reflectors.data_ptr(), n, tau.data_ptr()
    p.diagonal, p.beside = diagonal.data_ptr(), beside.data_ptr()
    p.exchange, p.exchange_stride = exchange.data_ptr(), exchange.shape_[1]
    arguments[0] = &p
    use_context(device.context)
    # A cooperative launch fails unless all blocks are resident at once, which their data exchange requires.
    result = unlocked(host_calls.existing, cuLaunchCooperativeKernel, <CUfunction>kernel.function, blocks, 1, 1,
                      threads, 1, 1, 0, current_stream(device.index).handle, arguments)
    if result != 0:
        device.launch_failed(<int>result, kernel, (blocks, 1, 1), threads, 0)
    b.n, b.diagonal, b.beside, b.values = n, p.diagonal, p.beside, values.data_ptr()
    _bisect(device, &b)


def vectors(ndarray diagonal not None, ndarray beside not None, ndarray values not None, ndarray work not None,
            ndarray found not None):
    """Eigenvectors of a tridiagonal matrix, as columns; refines its eigenvalues, which must be well separated."""
    cdef CudaDevice device = found.device_
    cdef TridiagonalVectorsParams p
    p.n = <int32_t>found.shape_[0]
    p.diagonal, p.beside, p.values = diagonal.data_ptr(), beside.data_ptr(), values.data_ptr()
    p.from_above, p.from_below = work.data_ptr(), work.data_ptr() + work.strides_[0]
    p.vectors, p.vectors_stride = found.data_ptr(), p.n
    device.launch(device.kernel("cluster_tridiagonal", "tridiagonal_vectors"),
                  (p.n + VECTOR_THREADS - 1) // VECTOR_THREADS, 1, 1, VECTOR_THREADS, 0, &p, sizeof(p))

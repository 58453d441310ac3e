"""Handles and workspaces of cuSOLVER, and the types of its functions as NVIDIA documents them."""
from libc.stdint cimport int64_t
from cuda.bindings.cydriver cimport CUstream

from gpunp.device cimport Buffer, Device

# The address of a function; loads the library.
cdef void* function(str name) except NULL
# Raise RuntimeError unless the status of cusolverDn``call`` is success.
cdef int check(int status, str call) except -1

cdef class Handle:
    cdef void* handle
    cdef void* params
    cdef int index

# The handle of this thread for a device, set to the device's current stream.
cdef Handle handle_of(Device device)

cdef class Workspace:
    cdef Buffer buffer
    cdef void* device
    cdef void* host
    cdef size_t size, host_size

cdef Workspace workspace(Device device, size_t size, size_t host_size)

# Values of cusolver_common.h, cublas_api.h and library_types.h.
cdef enum:
    NO_VECTORS = 0
    VECTORS = 1
    LOWER = 0
    UPPER = 1
    TRANSPOSED = 1
    ADJOINT = 2
    LEFT = 0
    R_32F = 0
    R_64F = 1
    C_32F = 4
    C_64F = 5

ctypedef int (*CreateFunction)(void** handle) noexcept nogil
ctypedef int (*DestroyFunction)(void* handle) noexcept nogil
ctypedef int (*SetStreamFunction)(void* handle, CUstream stream) noexcept nogil
ctypedef int (*GetrfSize)(
    void*, void*, int64_t m, int64_t n, int type_a, const void* a, int64_t lda, int compute, size_t* device,
    size_t* host) noexcept nogil
ctypedef int (*Getrf)(
    void*, void*, int64_t m, int64_t n, int type_a, void* a, int64_t lda, int64_t* pivots, int compute,
    void* work, size_t size, void* host, size_t host_size, int* info) noexcept nogil
ctypedef int (*Getrs)(
    void*, void*, int op, int64_t n, int64_t sides, int type_a, const void* a, int64_t lda,
    const int64_t* pivots, int type_b, void* b, int64_t ldb, int* info) noexcept nogil
ctypedef int (*PotrfSize)(
    void*, void*, int uplo, int64_t n, int type_a, const void* a, int64_t lda, int compute, size_t* device,
    size_t* host) noexcept nogil
ctypedef int (*Potrf)(
    void*, void*, int uplo, int64_t n, int type_a, void* a, int64_t lda, int compute, void* work, size_t size,
    void* host, size_t host_size, int* info) noexcept nogil
ctypedef int (*PotrfBatched)(void*, int, int, void**, int, int*, int) noexcept nogil
ctypedef int (*GeqrfSize)(
    void*, void*, int64_t m, int64_t n, int type_a, const void* a, int64_t lda, int type_tau, const void* tau,
    int compute, size_t* device, size_t* host) noexcept nogil
ctypedef int (*Geqrf)(
    void*, void*, int64_t m, int64_t n, int type_a, void* a, int64_t lda, int type_tau, void* tau,
    int compute, void* work, size_t size, void* host, size_t host_size, int* info) noexcept nogil
ctypedef int (*OrgqrSize)(
    void*, int m, int n, int k, const void* a, int lda, const void* tau, int* size) noexcept nogil
ctypedef int (*Orgqr)(
    void*, int m, int n, int k, void* a, int lda, const void* tau, void* work, int size,
    int* info) noexcept nogil
ctypedef int (*OrmqrSize)(
    void*, int side, int op, int m, int n, int k, const void* a, int lda, const void* tau, const void* c,
    int ldc, int* size) noexcept nogil
ctypedef int (*Ormqr)(
    void*, int side, int op, int m, int n, int k, const void* a, int lda, const void* tau, void* c, int ldc,
    void* work, int size, int* info) noexcept nogil
ctypedef int (*SyevdSize)(
    void*, void*, int mode, int uplo, int64_t n, int type_a, const void* a, int64_t lda, int type_w,
    const void* w, int compute, size_t* device, size_t* host) noexcept nogil
ctypedef int (*Syevd)(
    void*, void*, int mode, int uplo, int64_t n, int type_a, void* a, int64_t lda, int type_w, void* w,
    int compute, void* work, size_t size, void* host, size_t host_size, int* info) noexcept nogil
ctypedef int (*SyevBatchedSize)(
    void*, void*, int mode, int uplo, int64_t n, int type_a, const void* a, int64_t lda, int type_w,
    const void* w, int compute, size_t* device, size_t* host, int64_t batch) noexcept nogil
ctypedef int (*SyevBatched)(
    void*, void*, int mode, int uplo, int64_t n, int type_a, void* a, int64_t lda, int type_w, void* w,
    int compute, void* work, size_t size, void* host, size_t host_size, int* info,
    int64_t batch) noexcept nogil
ctypedef int (*GesvdpSize)(
    void*, void*, int mode, int econ, int64_t m, int64_t n, int type_a, const void* a, int64_t lda,
    int type_s, const void* s, int type_u, const void* u, int64_t ldu, int type_v, const void* v,
    int64_t ldv, int compute, size_t* device, size_t* host) noexcept nogil
ctypedef int (*Gesvdp)(
    void*, void*, int mode, int econ, int64_t m, int64_t n, int type_a, void* a, int64_t lda, int type_s,
    void* s, int type_u, void* u, int64_t ldu, int type_v, void* v, int64_t ldv, int compute, void* work,
    size_t size, void* host, size_t host_size, int* info, double* error) noexcept nogil
ctypedef int (*GeevSize)(
    void*, void*, int left, int right, int64_t n, int type_a, const void* a, int64_t lda, int type_w,
    const void* w, int type_vl, const void* vl, int64_t ldvl, int type_vr, const void* vr, int64_t ldvr,
    int compute, size_t* device, size_t* host) noexcept nogil
ctypedef int (*Geev)(
    void*, void*, int left, int right, int64_t n, int type_a, void* a, int64_t lda, int type_w, void* w,
    int type_vl, void* vl, int64_t ldvl, int type_vr, void* vr, int64_t ldvr, int compute, void* work,
    size_t size, void* host, size_t host_size, int* info) noexcept nogil
ctypedef int (*GesvdSize)(
    void* handle, void* params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type_a,
    const void* a, int64_t lda, int type_s, const void* s, int type_u, const void* u, int64_t ldu, int type_v,
    const void* v, int64_t ldv, int compute, size_t* device_size, size_t* host_size) noexcept nogil
ctypedef int (*Gesvd)(
    void* handle, void* params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type_a,
    void* a, int64_t lda, int type_s, void* s, int type_u, void* u, int64_t ldu, int type_v, void* v,
    int64_t ldv, int compute, void* device_work, size_t device_size, void* host_work, size_t host_size,
    int* info) noexcept nogil

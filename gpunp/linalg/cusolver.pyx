"""Factorizations of stacks of matrices through cuSOLVER.

Arrays are contiguous C-ordered stacks (batch, rows, columns). cuSOLVER reads matrices in column-major order and
therefore sees their transposes. The calls release the GIL; workspaces come from the pool of the current stream.
"""
from libc.stdint cimport int64_t

from gpunp.array.ndarray cimport ndarray
from gpunp.cuda.cusolver cimport (
    ADJOINT, C_32F, C_64F, LEFT, LOWER, NO_VECTORS, R_32F, R_64F, TRANSPOSED, UPPER, VECTORS, Geev, GeevSize,
    Geqrf, GeqrfSize, Gesvd, GesvdSize, Gesvdp, GesvdpSize, Getrf, GetrfSize, Getrs, Handle, Orgqr, OrgqrSize,
    Ormqr, OrmqrSize, Potrf, PotrfBatched, PotrfSize, SyevBatched, SyevBatchedSize, Syevd, SyevdSize,
    Workspace, check, function, handle_of, workspace,
)
from gpunp.dtype_codes cimport C16, C8, F4, F8, is_complex


cdef int _type(ndarray a) except -1:
    """The cudaDataType of an array."""
    if a.code == F4:
        return R_32F
    if a.code == F8:
        return R_64F
    if a.code == C8:
        return C_32F
    if a.code == C16:
        return C_64F
    raise TypeError(f"cuSOLVER does not support dtype {a.dtype}")


cdef inline char* _matrix(ndarray a, int64_t i) except? NULL:
    """Address of matrix (or vector) i of a stack."""
    return a.data_ptr() + i * a.strides_[0]


def getrf(ndarray a not None, ndarray pivots not None, ndarray info not None):
    """Replace transposed matrices (batch, n, m) by their LU factors, transposed; LAPACK's exchanges count from 1."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Getrf call = <Getrf>function("cusolverDnXgetrf")
    cdef GetrfSize ask = <GetrfSize>function("cusolverDnXgetrf_bufferSize")
    cdef int64_t n = a.shape_[1], m = a.shape_[2], i
    cdef int kind = _type(a), status
    cdef size_t size = 0, host = 0
    cdef void *matrix
    cdef int64_t* order
    cdef int* flag
    check(ask(solver, params, m, n, kind, a.data_ptr(), m, kind, &size, &host), "Xgetrf_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, order, flag = _matrix(a, i), <int64_t*>_matrix(pivots, i), <int*>_matrix(info, i)
        with nogil:
            status = call(solver, params, m, n, kind, matrix, m, order, kind, work.device, size,
                          work.host, host, flag)
        check(status, "Xgetrf")


def getrs(ndarray factors not None, ndarray pivots not None, ndarray b not None):
    """Solve with the transposes of factored matrices; the rows of b are right-hand sides and become solutions."""
    cdef Handle handle = handle_of(b.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Getrs call = <Getrs>function("cusolverDnXgetrs")
    cdef int64_t n = factors.shape_[2], sides = b.shape_[1], i
    cdef int kind = _type(b), status
    cdef Workspace work = workspace(b.device_, 512, 0)
    cdef void *matrix
    cdef void *right
    cdef int64_t* order
    for i in range(b.shape_[0]):
        matrix, order, right = _matrix(factors, i), <int64_t*>_matrix(pivots, i), _matrix(b, i)
        with nogil:
            status = call(solver, params, TRANSPOSED, n, sides, kind, matrix, n, order, kind, right, n,
                          <int*>work.device)
        check(status, "Xgetrs")


def potrf(ndarray a not None, ndarray info not None, bint upper):
    """Replace matrices by their Cholesky factors; ``upper`` refers to cuSOLVER's column-major view."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Potrf call = <Potrf>function("cusolverDnXpotrf")
    cdef PotrfSize ask = <PotrfSize>function("cusolverDnXpotrf_bufferSize")
    cdef int64_t n = a.shape_[2], i
    cdef int kind = _type(a), uplo = UPPER if upper else LOWER, status
    cdef size_t size = 0, host = 0
    cdef void *matrix
    cdef int* flag
    check(ask(solver, params, uplo, n, kind, a.data_ptr(), n, kind, &size, &host),
          "Xpotrf_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, flag = _matrix(a, i), <int*>_matrix(info, i)
        with nogil:
            status = call(solver, params, uplo, n, kind, matrix, n, kind, work.device, size, work.host,
                          host, flag)
        check(status, "Xpotrf")


def potrf_stack(ndarray a not None, ndarray info not None, ndarray places not None, bint upper):
    """Like `potrf`, in one batched call; ``places`` holds the matrices' addresses (64-bit, on the device)."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef int n = a.shape_[2], batch = a.shape_[0], uplo = UPPER if upper else LOWER, status
    name = {R_32F: "Spotrf", R_64F: "Dpotrf", C_32F: "Cpotrf", C_64F: "Zpotrf"}[_type(a)] + "Batched"
    cdef PotrfBatched call = <PotrfBatched>function("cusolverDn" + name)
    cdef void** matrices = <void**>places.data_ptr()
    cdef int* flags = <int*>info.data_ptr()
    with nogil:
        status = call(solver, uplo, n, matrices, n, flags, batch)
    check(status, name)


def geqrf(ndarray a not None, ndarray tau not None):
    """Replace transposed matrices (batch, n, m) by R and their Householder reflectors."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Geqrf call = <Geqrf>function("cusolverDnXgeqrf")
    cdef GeqrfSize ask = <GeqrfSize>function("cusolverDnXgeqrf_bufferSize")
    cdef int64_t n = a.shape_[1], m = a.shape_[2], i
    cdef int kind = _type(a), status
    cdef size_t size = 0, host = 0
    cdef void *matrix
    cdef void *scale
    cdef Workspace info = workspace(a.device_, 512, 0)
    check(ask(solver, params, m, n, kind, a.data_ptr(), m, kind, tau.data_ptr(), kind, &size, &host),
          "Xgeqrf_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, scale = _matrix(a, i), _matrix(tau, i)
        with nogil:
            status = call(solver, params, m, n, kind, matrix, m, kind, scale, kind, work.device, size,
                          work.host, host, <int*>info.device)
        check(status, "Xgeqrf")


def orgqr(ndarray a not None, ndarray tau not None):
    """Replace the reflectors in the first rows of transposed matrices (batch, columns of Q, m) by Q^T."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef int kind = _type(a), status, size = 0
    name = {R_32F: "Sorgqr", R_64F: "Dorgqr", C_32F: "Cungqr", C_64F: "Zungqr"}[kind]
    cdef Orgqr call = <Orgqr>function("cusolverDn" + name)
    cdef OrgqrSize ask = <OrgqrSize>function(f"cusolverDn{name}_bufferSize")
    cdef int64_t i
    if max(a.shape_[1], a.shape_[2]) > 0x7fffffff:
        raise ValueError("qr: matrices must have at most 2^31 - 1 rows and columns")
    cdef int n = <int>a.shape_[1], m = <int>a.shape_[2], steps = <int>tau.shape_[1]
    cdef void *matrix
    cdef void *scale
    cdef Workspace info = workspace(a.device_, 512, 0)
    check(ask(solver, m, n, steps, a.data_ptr(), m, tau.data_ptr(), &size), name + "_bufferSize")
    cdef Workspace work = workspace(a.device_, <size_t>size * a.itemsize_, 0)
    for i in range(a.shape_[0]):
        matrix, scale = _matrix(a, i), _matrix(tau, i)
        with nogil:
            status = call(solver, m, n, steps, matrix, m, scale, work.device, size, <int*>info.device)
        check(status, name)


def ormqr(ndarray a not None, ndarray tau not None, ndarray b not None):
    """Replace b by Q^H b; a holds the reflectors. Both are stored transposed: columns as rows."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef int kind = _type(a), status, size = 0, op = ADJOINT if is_complex(a.code) else TRANSPOSED
    name = {R_32F: "Sormqr", R_64F: "Dormqr", C_32F: "Cunmqr", C_64F: "Zunmqr"}[kind]
    cdef Ormqr call = <Ormqr>function("cusolverDn" + name)
    cdef OrmqrSize ask = <OrmqrSize>function(f"cusolverDn{name}_bufferSize")
    cdef int64_t i
    if max(a.shape_[1], a.shape_[2], b.shape_[1]) > 0x7fffffff:
        raise ValueError("lstsq: matrices must have at most 2^31 - 1 rows and columns")
    cdef int sides = <int>b.shape_[1], m = <int>a.shape_[2], steps = <int>tau.shape_[1]
    cdef void *matrix
    cdef void *scale
    cdef void *target
    cdef Workspace info = workspace(a.device_, 512, 0)
    check(ask(solver, LEFT, op, m, sides, steps, a.data_ptr(), m, tau.data_ptr(), b.data_ptr(), m, &size),
          name + "_bufferSize")
    cdef Workspace work = workspace(a.device_, <size_t>size * a.itemsize_, 0)
    for i in range(a.shape_[0]):
        matrix, scale, target = _matrix(a, i), _matrix(tau, i), _matrix(b, i)
        with nogil:
            status = call(solver, LEFT, op, m, sides, steps, matrix, m, scale, target, m, work.device, size,
                          <int*>info.device)
        check(status, name)


def syevd(ndarray a not None, ndarray values not None, ndarray info not None, bint upper, bint vectors):
    """Eigenvalues of Hermitian matrices by divide and conquer; eigenvectors replace the matrices, as rows."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Syevd call = <Syevd>function("cusolverDnXsyevd")
    cdef SyevdSize ask = <SyevdSize>function("cusolverDnXsyevd_bufferSize")
    cdef int64_t n = a.shape_[2], i
    cdef int kind = _type(a), real = _type(values), uplo = UPPER if upper else LOWER, status
    cdef int mode = VECTORS if vectors else NO_VECTORS
    cdef size_t size = 0, host = 0
    cdef void *matrix
    cdef void *target
    cdef int* flag
    check(ask(solver, params, mode, uplo, n, kind, a.data_ptr(), n, real, values.data_ptr(), kind,
              &size, &host), "Xsyevd_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, target, flag = _matrix(a, i), _matrix(values, i), <int*>_matrix(info, i)
        with nogil:
            status = call(solver, params, mode, uplo, n, kind, matrix, n, real, target, kind,
                          work.device, size, work.host, host, flag)
        check(status, "Xsyevd")


def syev_batched(ndarray a not None, ndarray values not None, ndarray info not None, bint upper,
                 bint vectors):
    """Like `syevd`, by cuSOLVER's batched routine."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef SyevBatched call = <SyevBatched>function("cusolverDnXsyevBatched")
    cdef SyevBatchedSize ask = <SyevBatchedSize>function("cusolverDnXsyevBatched_bufferSize")
    cdef int64_t n = a.shape_[2], batch = a.shape_[0]
    cdef int kind = _type(a), real = _type(values), uplo = UPPER if upper else LOWER, status
    cdef int mode = VECTORS if vectors else NO_VECTORS
    cdef size_t size = 0, host = 0
    cdef void *matrix = a.data_ptr()
    cdef void *target = values.data_ptr()
    cdef int* flag = <int*>info.data_ptr()
    check(ask(solver, params, mode, uplo, n, kind, matrix, n, real, target, kind, &size, &host, batch),
          "XsyevBatched_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    with nogil:
        status = call(solver, params, mode, uplo, n, kind, matrix, n, real, target, kind,
                      work.device, size, work.host, host, flag, batch)
    check(status, "XsyevBatched")


def gesvdp(ndarray a not None, ndarray values not None, ndarray u not None, ndarray v not None,
           ndarray info not None, bint full):
    """Singular values of transposed tall matrices (batch, n, m), and the left and right vectors as rows.

    The vectors are always computed: without them cuSOLVER reads memory outside its arguments.

    Returns whether a matrix was so nearly singular that cuSOLVER perturbed it; synchronizes the stream.
    """
    return bool(_decompose(a, values, u, v, info, full, polar=True))


def gesvd(ndarray a not None, ndarray values not None, ndarray u not None, ndarray v not None,
          ndarray info not None, bint full):
    """Like `gesvdp` by QR iteration, slow but accurate; the right vectors are V^H in column-major order."""
    _decompose(a, values, u, v, info, full, polar=False)


cdef int _decompose(ndarray a, ndarray values, ndarray u, ndarray v, ndarray info, bint full, bint polar) except -1:
    """Call Xgesvdp for every matrix if ``polar``, else Xgesvd; return what `gesvdp` returns."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef str name = "Xgesvdp" if polar else "Xgesvd"
    cdef void *call = function("cusolverDn" + name)
    cdef void *ask = function(f"cusolverDn{name}_bufferSize")
    cdef int64_t n = a.shape_[1], m = a.shape_[2], i
    cdef int kind = _type(a), real = _type(values), econ = not full, status
    cdef signed char job = c"A" if full else c"S"
    cdef size_t size = 0, host = 0
    cdef double error = 0
    cdef int disturbed = 0
    cdef void *matrix = a.data_ptr()
    cdef void *target = values.data_ptr()
    cdef void *left = u.data_ptr()
    cdef void *right = v.data_ptr()
    cdef int* flag
    if polar:
        status = (<GesvdpSize>ask)(solver, params, VECTORS, econ, m, n, kind, matrix, m, real, target, kind,
                                   left, m, kind, right, n, kind, &size, &host)
    else:
        status = (<GesvdSize>ask)(solver, params, job, job, m, n, kind, matrix, m, real, target, kind,
                                  left, m, kind, right, n, kind, &size, &host)
    check(status, name + "_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, target, flag = _matrix(a, i), _matrix(values, i), <int*>_matrix(info, i)
        left, right = _matrix(u, i), _matrix(v, i)
        error = 0
        with nogil:
            if polar:
                status = (<Gesvdp>call)(solver, params, VECTORS, econ, m, n, kind, matrix, m, real, target, kind,
                                        left, m, kind, right, n, kind, work.device, size, work.host, host, flag,
                                        &error)
            else:
                status = (<Gesvd>call)(solver, params, job, job, m, n, kind, matrix, m, real, target, kind,
                                       left, m, kind, right, n, kind, work.device, size, work.host, host, flag)
        check(status, name)
        if polar:
            # The error bound is written asynchronously, in stream order.
            a.device_.synchronize_stream()
            disturbed = disturbed or error > 0
    return disturbed


def geev(ndarray a not None, ndarray values not None, ndarray vectors, ndarray info not None):
    """Complex eigenvalues of transposed matrices; right eigenvectors as rows, LAPACK-packed if a is real."""
    cdef Handle handle = handle_of(a.device_)
    cdef void *solver = handle.handle
    cdef void *params = handle.params
    cdef Geev call = <Geev>function("cusolverDnXgeev")
    cdef GeevSize ask = <GeevSize>function("cusolverDnXgeev_bufferSize")
    cdef int64_t n = a.shape_[2], i
    cdef int kind = _type(a), complex_kind = _type(values), status
    cdef int mode = NO_VECTORS if vectors is None else VECTORS
    cdef size_t size = 0, host = 0
    cdef void *matrix
    cdef void *target
    cdef void *right = NULL
    cdef int* flag
    if vectors is not None:
        right = vectors.data_ptr()
    check(ask(solver, params, NO_VECTORS, mode, n, kind, a.data_ptr(), n, complex_kind,
              values.data_ptr(), kind, NULL, n, kind, right, n, kind, &size, &host), "Xgeev_bufferSize")
    cdef Workspace work = workspace(a.device_, size, host)
    for i in range(a.shape_[0]):
        matrix, target, flag = _matrix(a, i), _matrix(values, i), <int*>_matrix(info, i)
        if vectors is not None:
            right = _matrix(vectors, i)
        with nogil:
            status = call(solver, params, NO_VECTORS, mode, n, kind, matrix, n, complex_kind, target,
                          kind, NULL, n, kind, right, n, kind, work.device, size, work.host, host, flag)
        check(status, "Xgeev")

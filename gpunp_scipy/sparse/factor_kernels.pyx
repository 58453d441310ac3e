"""Launches of the kernels of incomplete factors and of triangular systems; all arrays are contiguous."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uintptr_t
from libc.string cimport memset

import gpunp

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport BY_KERNEL, Device, check_status, flush_because
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8

cdef extern from "gpunp/sparse/factors_params.h" namespace "gpunp":
    enum:
        FACTORS_BLOCK "gpunp::FACTORS_BLOCK"
    cdef struct FactorsParams:
        int64_t n
        const void* indptr
        const void* indices
        void* data
        const int64_t* diagonal
        const void* b
        void* x
        uint32_t* ready
        int64_t* bad
        int32_t upper, unit

cdef enum:
    BLOCKS_PER_MULTIPROCESSOR = 8

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


cdef class Rows:
    """A square matrix in sorted rows without duplicates that all have an entry on the diagonal.

    Parameters
    ----------
    indptr, indices, data : ndarray
    diagonal : ndarray of int64
        Where the entries on the diagonal are.
    """

    cdef readonly ndarray indptr, indices, data, diagonal
    cdef str dtypes
    cdef dict plans

    def __init__(self, ndarray indptr not None, ndarray indices not None, ndarray data not None,
                 ndarray diagonal not None):
        if (indptr.code != indices.code or indptr.code not in _INDICES or data.code not in _VALUES
                or diagonal.code != I8 or diagonal.size_ != indptr.size_ - 1 or data.size_ != indices.size_
                or not all(part.flags.c_contiguous for part in (indptr, indices, data, diagonal))):
            raise ValueError("incomplete factors: the parts of the matrix have no kernel")
        self.indptr, self.indices, self.data, self.diagonal = indptr, indices, data, diagonal
        self.plans = {}
        self.dtypes = _VALUES[data.code] + "_" + _INDICES[indptr.code]

    cdef int launch(self, str name, FactorsParams* p) except -1:
        cdef Device device = self.data.device_
        cdef ndarray ready
        cdef int64_t blocks = <int64_t>device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR, of_block
        p.n = self.diagonal.size_
        if p.n == 0:
            return 0
        of_block = FACTORS_BLOCK // 32
        # The number of rows that are taken has 64 bits, and its place is aligned.
        ready = gpunp.zeros((p.n + 1) // 2 * 2 + 2, "u4", device=device)
        p.indptr, p.indices = self.indptr.data_ptr(), self.indices.data_ptr()
        p.data, p.diagonal = self.data.data_ptr(), <int64_t*>self.diagonal.data_ptr()
        p.ready = <uint32_t*>ready.data_ptr()
        check_status(device)
        device.launch(device.kernel("sparse_factors", f"sparse_{name}_{self.dtypes}"),
                      <unsigned int>min((p.n + of_block - 1) // of_block, blocks), 1, 1, FACTORS_BLOCK, 0, p,
                      sizeof(FactorsParams))
        return 0

    def factorize(self, str name):
        """Put factors in the place of the values.

        Parameters
        ----------
        name : {"lu", "cholesky"}
            The second one is for the lower triangle of a Hermitian matrix.

        Returns
        -------
        int
            The first row whose pivot is 0, or for the second kind not positive; or the number of rows. Waits for
            the device.
        """
        cdef FactorsParams p
        cdef ndarray bad = gpunp.full(1, self.diagonal.size_, "i8", device=self.data.device_)
        memset(&p, 0, sizeof(p))
        p.bad = <int64_t*>bad.data_ptr()
        self.launch(name, &p)
        return int(bad[0])

    def prepare(self, *, bint upper, bint unit):
        """Let cuSPARSE analyze a triangle of a matrix on a GPU, if it is installed; the values stay from then on.

        Without it, a kernel solves, which takes rows nearly one after another.
        """
        if self.data.device_.is_cpu or self.diagonal.size_ == 0:
            return
        from gpunp.cuda import cusparse

        if cusparse.is_available():
            parts = self.indptr, self.indices, self.data
            self.use(cusparse.TriangularPlan(
                self.data.device_, self.diagonal.size_, self.indices.size_,
                tuple([part.data_address for part in parts]), parts, wide=self.indices.code == I8,
                dtype=self.data.dtype.char, lower=not upper, unit=unit), upper=upper, unit=unit)

    def use(self, plan, *, bint upper, bint unit):
        """Solve systems with a triangle by the method ``solve`` of a plan, which gets addresses."""
        self.plans[upper, unit] = plan

    def solve(self, ndarray b not None, ndarray x not None, *, bint upper, bint unit):
        """Solve a system with one triangle of the matrix; does not wait.

        Parameters
        ----------
        b, x : ndarray
            Vectors of the values' dtype, which do not overlap.
        upper : bool
            Which triangle it is.
        unit : bool
            Whether ones take the place of the diagonal.
        """
        cdef FactorsParams p
        cdef ndarray vector
        for vector in (b, x):
            if vector.code != self.data.code or vector.size_ != self.diagonal.size_ or not vector.c_contiguous:
                raise ValueError(f"incomplete factors got a vector of {vector.dtype} and shape {vector.shape}")
        plan = self.plans.get((upper, unit))
        if plan is not None:
            # What is deferred may compute the right side.
            flush_because(self.data.device_, BY_KERNEL)
            plan.solve(<uintptr_t>b.data_ptr(), <uintptr_t>x.data_ptr())
            return
        memset(&p, 0, sizeof(p))
        p.b, p.x, p.upper, p.unit = b.data_ptr(), x.data_ptr(), upper, unit
        self.launch("solve", &p)

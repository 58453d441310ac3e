"""Launches of the kernels of iterative solvers: between two products, vectors are gone through once."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy

import gpunp

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8

cdef extern from "gpunp/sparse/steps_params.h" namespace "gpunp":
    enum:
        STEPS_BLOCK "gpunp::STEPS_BLOCK"
        STEPS_EACH "gpunp::STEPS_EACH"
        STEPS_MOST_PARTS "gpunp::STEPS_MOST_PARTS"
        _CG_START "gpunp::CG_START"
        _CG_LENGTH "gpunp::CG_LENGTH"
        _CG_PLAIN "gpunp::CG_PLAIN"
        _CG_NORM "gpunp::CG_NORM"
        _CG_RHO "gpunp::CG_RHO"
        _BICG_START "gpunp::BICG_START"
        _BICG_ALPHA "gpunp::BICG_ALPHA"
        _BICG_HALF "gpunp::BICG_HALF"
        _BICG_OMEGA "gpunp::BICG_OMEGA"
        _BICG_END "gpunp::BICG_END"
        _BICG_RHO "gpunp::BICG_RHO"
        _CGS_END "gpunp::CGS_END"
    cdef struct StepsState:
        double[2] rho
        double[2] alpha
        double[2] beta
        double[2] omega
        double norm, state
        uint64_t counter
    cdef struct StepsParams:
        int64_t n
        void* x
        void* r
        void* p
        const void* q
        const void* z
        const void* ahead
        const void* first
        StepsState* numbers
        double* sums
        uint32_t* counter
        double atol, least
        uint32_t parts
        int32_t finish, decide

CG_START, CG_LENGTH, CG_PLAIN, CG_NORM, CG_RHO = _CG_START, _CG_LENGTH, _CG_PLAIN, _CG_NORM, _CG_RHO
BICG_START, BICG_ALPHA, BICG_HALF, BICG_OMEGA, BICG_END, BICG_RHO = (
    _BICG_START, _BICG_ALPHA, _BICG_HALF, _BICG_OMEGA, _BICG_END, _BICG_RHO)

# The place of the state among the numbers.
STATE = 9

cdef enum:
    NUMBERS = 11                # of StepsState, in doubles
    BLOCKS_PER_MULTIPROCESSOR = 8
    LEAST_OF_PART = 1 << 13     # elements of a part on the CPU device

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}


cdef class Steps:
    """The numbers of a solver, and what its steps do with vectors.

    Parameters
    ----------
    like : ndarray
        A vector: all have its dtype and its length.
    atol : float
        The norm of a residual below which the solution has converged.
    least : float
        Below this, numbers count as a breakdown of the method.
    """

    cdef ndarray numbers, sums
    cdef Device device
    cdef int code
    cdef str dtype
    cdef StepsParams p

    def __init__(self, ndarray like not None, double atol, double least=0):
        cdef int64_t of_block = STEPS_BLOCK * STEPS_EACH
        if like.code not in _VALUES:
            raise ValueError(f"steps of solvers have no kernel for {like.dtype}")
        self.device, self.code, self.dtype = like.device_, like.code, _VALUES[like.code]
        memset(&self.p, 0, sizeof(StepsParams))
        self.p.n, self.p.atol, self.p.least = like.size_, atol, least
        if self.device.is_cpu:
            self.p.parts = <uint32_t>max(1, min(self.p.n // LEAST_OF_PART, <int64_t>STEPS_MOST_PARTS))
        else:
            self.p.parts = <uint32_t>max(1, min((self.p.n + of_block - 1) // of_block, <int64_t>STEPS_MOST_PARTS,
                                                <int64_t>self.device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR))
        start = numpy.zeros(NUMBERS)
        start[STATE] = 1
        self.numbers = gpunp.asarray(start, device=self.device)
        cdef Py_ssize_t count = 3 * self.p.parts
        self.sums = new_array(F8, 1, &count, self.device)

    def state(self):
        """1 while the solver goes on, else what it returns: 0, -10 or -11; waits for the device."""
        return int(self.numbers[STATE])

    def record(self):
        """The numbers as they are now, those of `StepsState`, on the device."""
        return self.numbers.copy()

    cdef char* of(self, ndarray vector) except NULL:
        if vector.code != self.code or vector.size_ != self.p.n or not vector.c_contiguous:
            raise ValueError(f"a step of a solver got a vector of {vector.dtype} and shape {vector.shape}")
        return vector.data_ptr()

    cdef int launch(self, str name, int finish, bint decide) except -1:
        cdef StepsState* numbers = <StepsState*>self.numbers.data_ptr()
        check_status(self.device)
        self.p.numbers, self.p.counter = numbers, <uint32_t*>&numbers.counter
        self.p.sums, self.p.finish, self.p.decide = <double*>self.sums.data_ptr(), finish, decide
        if self.p.n:
            self.device.launch(self.device.kernel("sparse_steps", f"sparse_step_{name}_{self.dtype}"), self.p.parts,
                               1, 1, STEPS_BLOCK, 0, &self.p, sizeof(StepsParams))
        return 0

    def dot(self, ndarray q not None, ndarray z not None, int finish):
        """The sums (q, z) and (q, q)."""
        self.p.q, self.p.z = self.of(q), self.of(z)
        self.launch("dot", finish, True)

    def residual(self, ndarray r not None, ndarray q not None, int finish, *, bint decide=True):
        """``r -= alpha * q``, and the sum (r, r)."""
        self.p.r, self.p.q = self.of(r), self.of(q)
        self.launch("residual", finish, decide)

    def direction(self, ndarray x not None, ndarray p not None, ndarray z not None):
        """``x += alpha * p; p = z + beta * p``."""
        self.p.x, self.p.p, self.p.z = self.of(x), self.of(p), self.of(z)
        self.launch("direction", 0, False)

    def stable(self, ndarray p not None, ndarray r not None, ndarray q not None):
        """``p = r + beta * (p - omega * q)``."""
        self.p.p, self.p.r, self.p.q = self.of(p), self.of(r), self.of(q)
        self.launch("stable", 0, False)

    def solution(self, ndarray x not None, ndarray r not None, ndarray t not None, tuple ahead not None,
                 ndarray first not None, *, bint decide):
        """``x += alpha * ahead[0] + omega * ahead[1]; r -= omega * t``, and the sums (first, r) and (r, r)."""
        self.p.x, self.p.r, self.p.q = self.of(x), self.of(r), self.of(t)
        self.p.ahead, self.p.z, self.p.first = self.of(ahead[0]), self.of(ahead[1]), self.of(first)
        self.launch("solution", _BICG_END, decide)

    def directions(self, ndarray p not None, ndarray z not None, ndarray shadow not None, ndarray of_shadow not None):
        """``p = z + beta * p; shadow = of_shadow + conj(beta) * shadow``."""
        self.p.p, self.p.z, self.p.x, self.p.q = self.of(p), self.of(z), self.of(shadow), self.of(of_shadow)
        self.launch("directions", 0, False)

    def end(self, tuple x not None, tuple r not None, tuple shadow not None, *, bint decide):
        """``x[0] += alpha * x[1]; r[0] -= alpha * r[1]; shadow[0] -= conj(alpha) * shadow[1]``, and (r, r)."""
        self.p.x, self.p.ahead = self.of(x[0]), self.of(x[1])
        self.p.r, self.p.q = self.of(r[0]), self.of(r[1])
        self.p.p, self.p.z = self.of(shadow[0]), self.of(shadow[1])
        self.launch("end", _CG_NORM, decide)

    def squared(self, ndarray u not None, ndarray p not None, ndarray r not None, ndarray q not None):
        """``u = r + beta * q; p = u + beta * (q + beta * p)``."""
        self.p.x, self.p.p, self.p.z, self.p.q = self.of(u), self.of(p), self.of(r), self.of(q)
        self.launch("squared", 0, False)

    def half(self, ndarray q not None, ndarray both not None, ndarray u not None, ndarray v not None):
        """``q = u - alpha * v; both = u + q``."""
        self.p.r, self.p.x, self.p.z, self.p.q = self.of(q), self.of(both), self.of(u), self.of(v)
        self.launch("half", 0, False)

    def advance(self, ndarray x not None, ndarray q not None):
        """``x += alpha * q``."""
        self.p.x, self.p.q = self.of(x), self.of(q)
        self.launch("advance", 0, False)

    def rest(self, ndarray r not None, ndarray b not None, ndarray q not None, ndarray first not None, *, bint decide):
        """``r = b - q``, and the sums (first, r) and (r, r)."""
        self.p.r, self.p.z, self.p.q, self.p.first = self.of(r), self.of(b), self.of(q), self.of(first)
        self.launch("rest", _CGS_END, decide)

"""From operands to launches: broadcast, order and merge axes, choose the kernel variant."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, Kernel

cdef extern from "gpunp/ufunc/elementwise_params.h" namespace "gpunp":
    enum:
        MAX_DIMS, MAX_INPUTS, MAX_OPERANDS, ELEMENTWISE_BLOCK, ELEMENTWISE_TILE_WIDTH
        STRIDED, ALIGNED, UNALIGNED, SPREAD, SCALAR, ACROSS
    int elementwise_width(int largest, int smallest)
    int elementwise_vectors(int largest)
    struct ElementwiseParams:
        long long size
        int ndim
        int vector_ok
        unsigned int* status
        char* data[7]
        const char* mask
        long long shape[8]
        long long strides[8][8]
        unsigned char dtype[7]
        unsigned char role[7]
        unsigned char scalar[5][16]

# One operand of an elementwise call: an array's layout, or a value in ``params.scalar``.
cdef struct Operand:
    char* data
    const Py_ssize_t* shape
    const Py_ssize_t* strides
    int ndim
    int code
    bint scalar
    bint c_contiguous
    bint f_contiguous
    Py_ssize_t size
    PyObject* buffer        # the array's, which the caller keeps alive


cdef class Loop:
    """One typed loop: the dtypes of its operands, and its kernels on the device last used."""
    cdef readonly int nin
    cdef readonly int nout
    cdef int[MAX_OPERANDS] codes           # inputs, then outputs
    cdef readonly str unit
    cdef readonly str symbol
    cdef bint has_tiled
    cdef bint has_strided
    cdef bint has_vector
    cdef readonly bint copies   # it stores its input unchanged, but for a conversion
    cdef bint reports           # its kernels may report an error in their data
    cdef Loop by_scalars        # loop of this dtype for calls whose inputs but the first are single numbers, or None
    cdef int width              # elements per vector
    cdef int vectors            # per thread
    cdef Device device
    cdef Kernel vector
    cdef Kernel strided
    cdef Kernel tiled

    cdef int attach(self, Device device) except -1


cdef inline void describe(Operand* operand, ndarray array) noexcept:
    """The operand's address may be that of memory which is not allocated or not computed yet; `execute` sees to it."""
    operand.data = array.address()
    operand.buffer = <PyObject*>array.buffer
    operand.shape = array.shape_
    operand.strides = array.strides_
    operand.ndim = array.ndim_
    operand.code = array.code
    operand.scalar = False
    operand.c_contiguous = array.c_contiguous
    operand.f_contiguous = array.f_contiguous
    operand.size = array.size_


cdef inline int describe_now(Operand* operand, ndarray array) except -1:
    """The same with the address of memory that is allocated and computed."""
    array.data_ptr()
    describe(operand, array)
    return 0


# Run ``loop`` over operands that broadcast to (ndim, shape), or defer it; scalars are in params.scalar.
cdef int execute(Loop loop, Device device, ElementwiseParams* params, Operand* operands, Operand* mask,
                 int ndim, const Py_ssize_t* shape) except -1
# The same without deferring: the operands have memory, and no deferred operation writes what they read.
cdef int execute_now(Loop loop, Device device, ElementwiseParams* params, Operand* operands, Operand* mask,
                     int ndim, const Py_ssize_t* shape) except -1
# Run deferred operations that write the operand's memory, or use it if it is an output, and set its address.
cdef int settle(Operand* operand, bint output) except -1

cdef struct FusionHooks:
    # Record an operation, which then is deferred; 0 if it must run now.
    int (*record)(Loop loop, Device device, const ElementwiseParams* params, const Operand* operands,
                  const Operand* mask, int ndim, const Py_ssize_t* shape) except -1
    # Whether an operation on so many elements will not be deferred, whatever it is. NULL until one was recorded.
    bint (*rests)(Device device, Py_ssize_t size) noexcept

cdef FusionHooks fusion_hooks
# The loop that copies elements of one dtype.
cdef Loop copy_loop(int code)

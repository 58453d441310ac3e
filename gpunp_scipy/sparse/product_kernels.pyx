"""Launches of the kernels that multiply two arrays of compressed rows."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8

cdef extern from "gpunp/sparse/spgemm_params.h" namespace "gpunp":
    enum:
        SPGEMM_BLOCK "gpunp::SPGEMM_BLOCK"
        SPGEMM_SLOTS "gpunp::SPGEMM_SLOTS"
        SPGEMM_LEAST "gpunp::SPGEMM_LEAST"
    cdef struct SpgemmParams:
        const void* a_indptr
        const void* a_indices
        const void* a_data
        const void* b_indptr
        const void* b_indices
        const void* b_data
        const int64_t* before
        const int64_t* rows
        int64_t count, slots
        int64_t* lengths
        const int64_t* indptr
        void* indices
        void* data
        int32_t* zeros

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


def most_products(ndarray data not None):
    """How many products of entries a row may have for the kernels; 0 if the dtype has none."""
    if data.code not in _VALUES:
        return 0
    return SPGEMM_SLOTS if data.itemsize_ <= 8 else SPGEMM_SLOTS // 2


def sizes(int64_t most):
    """The numbers of products up to which kernels share their memory in the same way."""
    found, size = [], SPGEMM_LEAST
    while size <= most:
        found.append(size)
        size *= 2
    return found


cdef class Products:
    """Two arrays whose product is computed, which launches keep alive.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one index dtype and one dtype, contiguous.
    before : ndarray of int64
        By entry of the first array: the products of entries before it; and all of them at the end.
    """

    cdef readonly tuple a, b
    cdef readonly ndarray before
    cdef str name

    def __init__(self, tuple a not None, tuple b not None, ndarray before not None):
        cdef ndarray part
        self.a, self.b, self.before = a, b, before
        self.name = _VALUES[(<ndarray?>a[2]).code] + "_" + _INDICES[(<ndarray?>a[0]).code]
        for place, part in enumerate((*a, *b)):
            if not part.c_contiguous or part.code != (<ndarray>a[2 if place % 3 == 2 else 0]).code:
                raise ValueError("sparse products: the parts are not contiguous or differ in their dtype")
        if before.code != I8 or before.size_ != (<ndarray>a[1]).size_ + 1:
            raise ValueError("sparse products: wrong number of products")

    def run(self, ndarray rows not None, int64_t slots, ndarray lengths=None, ndarray indptr=None,
            ndarray indices=None, ndarray data=None, ndarray zeros=None):
        """Write the numbers of entries of some rows to ``lengths``; or the entries themselves.

        Parameters
        ----------
        rows : ndarray of int64
            With at most ``slots`` products each.
        slots : int
        lengths : ndarray of int64, optional
        indptr : ndarray of int64, optional
        indices, data : ndarray, optional
        zeros : ndarray of int32, optional
            Set if an entry is 0.
        """
        cdef SpgemmParams p
        cdef ndarray value = <ndarray>self.a[2]
        cdef Device device = value.device_
        cdef int64_t of_block
        memset(&p, 0, sizeof(p))
        p.a_indptr, p.a_indices = (<ndarray>self.a[0]).data_ptr(), (<ndarray>self.a[1]).data_ptr()
        p.b_indptr, p.b_indices = (<ndarray>self.b[0]).data_ptr(), (<ndarray>self.b[1]).data_ptr()
        p.a_data, p.b_data = value.data_ptr(), (<ndarray>self.b[2]).data_ptr()
        p.before, p.rows = <int64_t*>self.before.data_ptr(), <int64_t*>rows.data_ptr()
        p.count, p.slots = rows.size_, slots
        if lengths is not None:
            p.lengths = <int64_t*>lengths.data_ptr()
        else:
            p.indptr, p.zeros = <int64_t*>indptr.data_ptr(), <int32_t*>zeros.data_ptr()
            p.indices, p.data = indices.data_ptr(), data.data_ptr()
        check_status(device)
        of_block = (SPGEMM_SLOTS if value.itemsize_ <= 8 else SPGEMM_SLOTS // 2) // slots
        device.launch(device.kernel("sparse_spgemm", "sparse_spgemm_" + self.name),
                      <unsigned int>((p.count + of_block - 1) // of_block), 1, 1, SPGEMM_BLOCK, 0, &p, sizeof(p))

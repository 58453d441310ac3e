"""Launches of the kernels that go through the entries of compressed rows; all arrays are contiguous."""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8, U1

cdef extern from "gpunp/sparse/entries_params.h" namespace "gpunp":
    enum:
        ENTRIES_BLOCK "gpunp::ENTRIES_BLOCK"
        ENTRIES_CHUNK "gpunp::ENTRIES_CHUNK"
    cdef struct EntriesParams:
        const void* indptr
        int64_t rows, entries
        int64_t* row_of
        const int64_t* chosen
        const void* from_indptr
        const void* from_indices
        const void* from_data
        void* indices
        void* data
    cdef struct MergeParams:
        const void* a_indptr
        const void* a_indices
        const void* a_data
        const void* b_indptr
        const void* b_indices
        const void* b_data
        int64_t rows, a_entries, b_entries
        uint8_t* found
        const void* before
        void* indices
        void* first
        void* second
        int32_t* zeros

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


def has_kernel(ndarray indptr not None):
    """Whether the kernels take rows with such a pointer."""
    return indptr.code in _INDICES and indptr.c_contiguous and indptr.size_ > 1


cdef int _launch(Device device, str name, ndarray indptr, int64_t count, void* params, size_t nbytes) except -1:
    check_status(device)
    if count:
        device.launch(device.kernel("sparse_entries", "sparse_" + name + "_" + _INDICES[indptr.code]),
                      <unsigned int>((count + ENTRIES_CHUNK - 1) // ENTRIES_CHUNK), 1, 1, ENTRIES_BLOCK, 0, params,
                      nbytes)
    return 0


def rows_of(ndarray indptr not None, Py_ssize_t count):
    """The row of each entry, int64."""
    cdef EntriesParams p
    cdef ndarray out = new_array(I8, 1, &count, indptr.device_)
    memset(&p, 0, sizeof(p))
    p.indptr, p.rows, p.entries, p.row_of = indptr.data_ptr(), indptr.size_ - 1, count, <int64_t*>out.data_ptr()
    _launch(indptr.device_, "expand", indptr, count, &p, sizeof(p))
    return out


def copy_rows(ndarray indptr not None, ndarray chosen not None, tuple parts not None, ndarray indices not None,
              ndarray data not None):
    """Copy rows of an array to others.

    Parameters
    ----------
    indptr : ndarray
        Where the copied rows start.
    chosen : ndarray of int64
        The rows that are copied.
    parts : tuple of ndarray
        The indptr, the indices and the data of the array; with the dtypes of the other arguments.
    indices, data : ndarray
        What is written.
    """
    cdef EntriesParams p
    cdef ndarray from_indptr = parts[0], from_indices = parts[1], from_data = parts[2]
    if (chosen.code != I8 or chosen.size_ != indptr.size_ - 1 or from_data.code != data.code
            or not (indptr.code == from_indptr.code == from_indices.code == indices.code)
            or not all(a.flags.c_contiguous for a in (indptr, chosen, *parts, indices, data))):
        raise ValueError("copy_rows: the arrays are not contiguous or have different dtypes")
    memset(&p, 0, sizeof(p))
    p.indptr, p.rows, p.entries = indptr.data_ptr(), indptr.size_ - 1, indices.size_
    p.chosen = <int64_t*>chosen.data_ptr()
    p.from_indptr, p.from_indices = from_indptr.data_ptr(), from_indices.data_ptr()
    p.from_data, p.indices, p.data = from_data.data_ptr(), indices.data_ptr(), data.data_ptr()
    _launch(indptr.device_, f"copy_{data.itemsize_}", indptr, p.entries, &p, sizeof(p))


cdef class Pair:
    """Two arrays with sorted rows without duplicates, which are merged.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one index dtype and one dtype, contiguous.
    """

    cdef readonly tuple a, b

    def __init__(self, tuple a not None, tuple b not None):
        cdef ndarray part
        self.a, self.b = a, b
        for place, part in enumerate((*a, *b)):
            if not part.c_contiguous or part.code != (<ndarray?>a[2 if place % 3 == 2 else 0]).code:
                raise ValueError("sparse arrays to be merged: the parts are not contiguous or differ in their dtype")

    cdef int fill(self, MergeParams* p) except -1:
        cdef ndarray a_indptr = self.a[0], a_indices = self.a[1], a_data = self.a[2]
        cdef ndarray b_indptr = self.b[0], b_indices = self.b[1], b_data = self.b[2]
        memset(p, 0, sizeof(MergeParams))
        p.a_indptr, p.a_indices, p.a_data = a_indptr.data_ptr(), a_indices.data_ptr(), a_data.data_ptr()
        p.b_indptr, p.b_indices, p.b_data = b_indptr.data_ptr(), b_indices.data_ptr(), b_data.data_ptr()
        p.rows, p.a_entries, p.b_entries = a_indptr.size_ - 1, a_indices.size_, b_indices.size_
        return 0

    def matches(self):
        """Whether each entry of the first array is one of the second one, too: uint8."""
        cdef MergeParams p
        cdef ndarray indptr = self.a[0]
        cdef ndarray found
        cdef Py_ssize_t count = (<ndarray>self.a[1]).size_
        found = new_array(U1, 1, &count, indptr.device_)
        self.fill(&p)
        p.found = <uint8_t*>found.data_ptr()
        _launch(indptr.device_, "match", indptr, count, &p, sizeof(p))
        return found

    def merge(self, ndarray before not None, ndarray indices not None, ndarray first not None, ndarray second,
              ndarray zeros, *, operation=None, bint union):
        """Write the union or the intersection.

        Parameters
        ----------
        before : ndarray
            By entry of the first array: the matches before it; and all of them at the end.
        indices : ndarray
        first, second : ndarray
            The values of both arrays, or the results of the operation and None.
        zeros : ndarray of int32, optional
            Set if the operation gives a 0.
        operation : {"plus", "minus", "times"}, optional
        union : bool
        """
        cdef MergeParams p
        cdef ndarray indptr = self.a[0]
        if before.code != indptr.code or indices.code != indptr.code:
            raise ValueError("sparse arrays to be merged: the index dtypes differ")
        self.fill(&p)
        p.before, p.indices, p.first = before.data_ptr(), indices.data_ptr(), first.data_ptr()
        if second is not None:
            p.second = second.data_ptr()
        if zeros is not None:
            p.zeros = <int32_t*>zeros.data_ptr()
        kind = f"both_{first.itemsize_}" if operation is None else f"{operation}_{_VALUES[first.code]}"
        if union:
            _launch(indptr.device_, "union_first_" + kind, indptr, p.a_entries, &p, sizeof(p))
            _launch(indptr.device_, "union_second_" + kind, indptr, p.b_entries, &p, sizeof(p))
        else:
            _launch(indptr.device_, "intersection_" + kind, indptr, p.a_entries, &p, sizeof(p))

"""Launches of the kernels that go through the entries of compressed rows; all arrays are contiguous."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport I4, I8

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

# As in kernels/codegen/sparse.py.
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

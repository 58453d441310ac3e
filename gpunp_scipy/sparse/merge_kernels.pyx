"""Launches of the kernels that merge two arrays of compressed rows; all arrays are contiguous."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, C16, F4, F8, I4, I8

cdef extern from "gpunp/sparse/merges_params.h" namespace "gpunp":
    enum:
        MERGES_BLOCK "gpunp::MERGES_BLOCK"
        MERGES_TILE "gpunp::MERGES_TILE"
    cdef struct MergeParams:
        const void* a_indptr
        const void* a_indices
        const void* a_data
        const void* b_indptr
        const void* b_indices
        const void* b_data
        int64_t rows, a_entries, b_entries, tiles
        int64_t* tile_row
        int64_t* tile_first
        int64_t* counts
        void* indptr
        void* indices
        void* first
        void* second
        int32_t* zeros

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


cdef class Pair:
    """Two arrays with sorted rows without duplicates, of which one has entries, and where their tiles start.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one index dtype and one dtype, contiguous.
    union : bool
        Whether the result has the entries of either array, rather than those of both.
    """

    cdef readonly tuple a, b
    cdef readonly bint union
    cdef MergeParams p
    cdef ndarray tile_row, tile_first
    cdef Device device
    cdef str index

    def __init__(self, tuple a not None, tuple b not None, *, bint union):
        cdef ndarray part, a_indptr = a[0], a_indices = a[1], a_data = a[2]
        cdef ndarray b_indptr = b[0], b_indices = b[1]
        cdef Py_ssize_t count
        self.a, self.b, self.union = a, b, union
        for place, part in enumerate((*a, *b)):
            if not part.c_contiguous or part.code != (a_data if place % 3 == 2 else a_indptr).code:
                raise ValueError("sparse arrays to be merged: the parts are not contiguous or differ in their dtype")
        if a_indptr.code not in _INDICES or a_indptr.size_ < 2 or a_indptr.size_ != b_indptr.size_:
            raise ValueError("sparse arrays to be merged: row pointers have no kernel or differ in their length")
        self.device, self.index = a_indptr.device_, _INDICES[a_indptr.code]
        memset(&self.p, 0, sizeof(MergeParams))
        self.p.rows, self.p.a_entries, self.p.b_entries = a_indptr.size_ - 1, a_indices.size_, b_indices.size_
        self.p.tiles = (self.p.a_entries + self.p.b_entries + MERGES_TILE - 1) // MERGES_TILE
        if self.p.tiles == 0:
            raise ValueError("sparse arrays to be merged: there are no entries")
        count = self.p.tiles + 1
        self.tile_row, self.tile_first = new_array(I8, 1, &count, self.device), new_array(I8, 1, &count, self.device)
        self.set_parts()
        self.launch("find", (count + MERGES_BLOCK - 1) // MERGES_BLOCK)

    cdef int set_parts(self) except -1:
        """Take the addresses, which is the last thing before a launch: it may settle deferred operations."""
        self.p.a_indptr, self.p.a_indices = (<ndarray>self.a[0]).data_ptr(), (<ndarray>self.a[1]).data_ptr()
        self.p.b_indptr, self.p.b_indices = (<ndarray>self.b[0]).data_ptr(), (<ndarray>self.b[1]).data_ptr()
        self.p.a_data, self.p.b_data = (<ndarray>self.a[2]).data_ptr(), (<ndarray>self.b[2]).data_ptr()
        self.p.tile_row = <int64_t*>self.tile_row.data_ptr()
        self.p.tile_first = <int64_t*>self.tile_first.data_ptr()
        return 0

    cdef int launch(self, str name, int64_t blocks) except -1:
        check_status(self.device)
        self.device.launch(self.device.kernel("sparse_merges", f"sparse_merge_{name}_{self.index}"),
                           <unsigned int>blocks, 1, 1, MERGES_BLOCK, 0, &self.p, sizeof(MergeParams))
        return 0

    def counts(self):
        """How many entries of the result each tile has: int64."""
        cdef Py_ssize_t count = self.p.tiles
        cdef ndarray found = new_array(I8, 1, &count, self.device)
        self.set_parts()
        self.p.counts = <int64_t*>found.data_ptr()
        self.launch("count_union" if self.union else "count_intersection", self.p.tiles)
        return found

    def write(self, ndarray ends not None, ndarray indptr not None, ndarray indices not None, ndarray first not None,
              ndarray second, ndarray zeros not None, operation=None):
        """Write the union or the intersection.

        Parameters
        ----------
        ends : ndarray of int64
            The numbers of entries up to the end of each tile.
        indptr : ndarray
            Zeros; it gets the end of each row that is not empty in both arrays.
        indices : ndarray
        first, second : ndarray
            The values of both arrays, or the results of the operation and None.
        zeros : ndarray of int32
            Set if the operation gives a 0.
        operation : {"plus", "minus", "times"}, optional
        """
        cdef ndarray a_indptr = self.a[0], a_data = self.a[2]
        if (ends.code != I8 or ends.size_ != self.p.tiles or zeros.code != I4 or indptr.size_ != self.p.rows + 1
                or not (indptr.code == indices.code == a_indptr.code) or first.code != a_data.code
                or (second is None) != (operation is not None)):
            raise ValueError("sparse arrays to be merged: the arrays for the result do not fit")
        self.set_parts()
        self.p.counts, self.p.indptr = <int64_t*>ends.data_ptr(), indptr.data_ptr()
        self.p.indices, self.p.first, self.p.second = indices.data_ptr(), first.data_ptr(), NULL
        if second is not None:
            self.p.second = second.data_ptr()
        self.p.zeros = <int32_t*>zeros.data_ptr()
        kind = f"both_{first.itemsize_}" if operation is None else f"{operation}_{_VALUES[first.code]}"
        self.launch(("union_" if self.union else "intersection_") + kind, self.p.tiles)

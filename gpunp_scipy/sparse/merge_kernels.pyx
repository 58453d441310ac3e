"""Launches of the kernels that merge two arrays of compressed rows; all arrays are contiguous."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

import gpunp

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport BOOL, C8, C16, F4, F8, I4, I8, U4

cdef extern from "gpunp/sparse/merges_params.h" namespace "gpunp":
    enum:
        MERGES_BLOCK "gpunp::MERGES_BLOCK"
        MERGES_EACH "gpunp::MERGES_EACH"
        MERGES_TILE "gpunp::MERGES_TILE"
        MERGES_NARROW "gpunp::MERGES_NARROW"
        MERGES_WIDE "gpunp::MERGES_WIDE"
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
        uint32_t* pieces
        uint64_t* states
        int64_t* found
        void* indptr
        void* indices
        void* first
        void* second

# As in kernels/codegen/sparse.py.
cdef dict _VALUES = {BOOL: "b1", I4: "i4", I8: "i8", F4: "f4", F8: "f8", C8: "c8", C16: "c16"}
cdef dict _INDICES = {I4: "i4", I8: "i8"}


# Of kernels whose threads take several rows.
cdef int64_t _MOST_BLOCKS = 2048


# Operations whose results are bool.
cdef frozenset _COMPARISONS = frozenset(("unequal", "less", "greater"))


cdef ndarray _new(int code, Py_ssize_t count, Device device):
    return new_array(code, 1, &count, device)


cdef int _launch(Device device, str name, int64_t blocks, MergeParams* p) except -1:
    check_status(device)
    device.launch(device.kernel("sparse_merges", f"sparse_merge_{name}"), <unsigned int>blocks, 1, 1, MERGES_BLOCK, 0,
                  p, sizeof(MergeParams))
    return 0


cdef ndarray _as(ndarray part, dtype):
    if part.dtype != dtype:
        part = part.astype(dtype)
    return part if part.c_contiguous else gpunp.ascontiguousarray(part)


def converted(array, index, dtype):
    """The indptr, the indices and the data of an array as `merge` takes them: contiguous, of these dtypes."""
    return _as(array.indptr, index), _as(array.indices, index), _as(array.data, dtype)


def most_columns():
    """The number of columns that keys have room for."""
    return <int64_t>1 << MERGES_WIDE


def merge(tuple a not None, tuple b not None, *, bint union, operation=None, columns=None):
    """The union or the intersection of the entries of two arrays with sorted rows without duplicates.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one index dtype and one dtype, contiguous. One has entries.
    union : bool
        Whether the result has the entries of either array, rather than those of both.
    operation : {"plus", "minus", "maximum", "minimum", "unequal", "less", "greater", "times"}, optional
        What is computed of two values: products of intersections, all others of unions. Zeros are left out,
        but not those of sums, differences and products.
    columns : int, optional
        The number of columns, by default and at most `most_columns()`: few take less time.

    Returns
    -------
    indptr : ndarray
    indices : ndarray
        With room for as many entries as there may be.
    first, second : ndarray
        The values of both arrays, 0 where there is none; or the results of the operation and None.
    found : ndarray, shape (3,)
        The number of entries, whether there is a 0 among the results of the operation, and, for products,
        whether there is a value that is not finite.
    """
    cdef ndarray part, a_indptr = a[0], a_indices = a[1], a_data = a[2]
    cdef ndarray b_indptr = b[0], b_indices = b[1], b_data = b[2]
    cdef ndarray indptr, indices, first, second = None, tiles, pieces, states
    cdef Device device = a_indptr.device_
    cdef Py_ssize_t most
    cdef MergeParams p
    for place, part in enumerate((*a, *b)):
        if not part.c_contiguous or part.code != (a_data if place % 3 == 2 else a_indptr).code:
            raise ValueError("sparse arrays to be merged: the parts are not contiguous or differ in their dtype")
    if a_indptr.code not in _INDICES or a_indptr.size_ < 2 or a_indptr.size_ != b_indptr.size_:
        raise ValueError("sparse arrays to be merged: row pointers have no kernel or differ in their length")
    memset(&p, 0, sizeof(MergeParams))
    p.rows, p.a_entries, p.b_entries = a_indptr.size_ - 1, a_indices.size_, b_indices.size_
    p.tiles = (p.a_entries + p.b_entries + MERGES_TILE - 1) // MERGES_TILE
    if p.tiles == 0:
        raise ValueError("sparse arrays to be merged: there are no entries")
    most = p.a_entries + p.b_entries if union else min(p.a_entries, p.b_entries)
    indptr, indices = _new(a_indptr.code, p.rows + 1, device), _new(a_indptr.code, most, device)
    first = _new(BOOL if operation in _COMPARISONS else a_data.code, most, device)
    if operation is None:
        second = _new(a_data.code, most, device)
    tiles = _new(I8, 2 * (p.tiles + 1), device)
    pieces = _new(U4, p.tiles * MERGES_BLOCK, device)
    states = gpunp.zeros(p.tiles + 4, "i8", device=device)
    # Addresses are the last thing before a launch: taking them may settle deferred operations.
    p.a_indptr, p.a_indices, p.a_data = a_indptr.data_ptr(), a_indices.data_ptr(), a_data.data_ptr()
    p.b_indptr, p.b_indices, p.b_data = b_indptr.data_ptr(), b_indices.data_ptr(), b_data.data_ptr()
    p.tile_row = <int64_t*>tiles.data_ptr()
    p.tile_first = p.tile_row + p.tiles + 1
    p.pieces, p.states = <uint32_t*>pieces.data_ptr(), <uint64_t*>states.data_ptr()
    p.found = <int64_t*>p.states + p.tiles
    p.indptr, p.indices, p.first = indptr.data_ptr(), indices.data_ptr(), first.data_ptr()
    if second is not None:
        p.second = second.data_ptr()
    index = _INDICES[a_indptr.code]
    keys = index if a_indptr.code == I4 and columns is not None and columns <= 1 << MERGES_NARROW else f"{index}_wide"
    kind = f"both_{a_data.itemsize_}" if operation is None else f"{operation}_{_VALUES[a_data.code]}"
    _launch(device, f"find_{index}", (p.tiles + MERGES_BLOCK) // MERGES_BLOCK, &p)
    _launch(device, f"{'union' if union else 'intersection'}_{kind}_{keys}", p.tiles, &p)
    _launch(device, f"starts_{index}", min((p.rows + MERGES_BLOCK) // MERGES_BLOCK, _MOST_BLOCKS), &p)
    return indptr, indices, first, second, states[p.tiles:p.tiles + 3]

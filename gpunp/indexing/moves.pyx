"""Reading and writing elements by index arrays: one gather or scatter each."""
from libc.string cimport memset

from gpunp.array.axes cimport merge_into
from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array, require_writeable, shape_tuple
from gpunp.device cimport check_status
from gpunp.indexing.gather cimport (
    DENSE, GATHER_DIMS, GATHER_INDICES, INDEX_RAISE, INDEXED, GatherParams, Walk, add_index, as_index, run,
    set_dense, set_value, touch)
from gpunp.ufunc.copying cimport copy_into

from gpunp.array.views import reshaped

# Most index arrays that one launch has room for.
MOST_INDICES = GATHER_INDICES


def move(ndarray indexed not None, Py_ssize_t offset, tuple shape, tuple strides, int first_common,
         int end_common, list arrays not None, value=None, bint writing=False, int mode=INDEX_RAISE,
         bint lanes=False, str call=None):
    """Read or write the elements that an index selects.

    Parameters
    ----------
    indexed : ndarray
    offset : int
        Bytes from the first element to the origin selected by the integers and slices of the index.
    shape : tuple of int
        Shape of the result.
    strides : tuple of int
        Byte strides in ``indexed`` of the dimensions that come from slices; 0 for the others.
    first_common, end_common : int
        The range of result dimensions that come from the index arrays.
    arrays : list of tuple
        Integer arrays, each with the extent, the byte stride and the number of the axis that it indexes.
    value : ndarray or scalar, optional
        The value to write, broadcastable to ``shape``.
    writing : bool
    mode : int
        0 raises for an index out of bounds, 1 wraps, 2 clips.
    lanes : bool
        Each lane along the one indexed axis has its own indices, as in `put_along_axis`.
    call : str, optional
        The function to name in errors, unless it is indexing itself.

    Returns
    -------
    ndarray or None
        The elements in C order, when reading.
    """
    cdef Walk walk
    cdef GatherParams p
    cdef ndarray out = None, index
    cdef list keep = []
    cdef int d
    memset(&p, 0, sizeof(p))
    check_status(indexed.device_)
    walk.ndim = len(shape)
    if walk.ndim > MAX_NDIM:
        raise IndexError(f"number of dimensions must be within [0, {MAX_NDIM}], "
                         "indexing result would have more")
    walk.indices = 0
    walk.unique = False
    walk.lane_axis = arrays[0][3] if lanes else -1
    walk.first_common, walk.end_common = first_common, end_common
    walk.itemsize = indexed.itemsize_
    for d in range(walk.ndim):
        walk.shape[d] = shape[d]
        walk.strides[INDEXED][d] = strides[d]
    p.mode = mode
    p.indexed = indexed.data_ptr() + offset
    for item, extent, stride, axis in arrays:
        index = as_index(item)
        if writing and index is item and touch(index, indexed):
            index = index.copy()
        keep.append(index)
        add_index(&walk, &p, index, extent, stride, axis)
    if writing:
        require_writeable(indexed)
        set_value(&walk, &p, indexed, value, keep)
    else:
        out = new_array(indexed.code, walk.ndim, walk.shape, indexed.device_)
        set_dense(&walk, &p, out)
    if call is None:
        call = "assignment by index" if writing else "indexing"
    run(&walk, &p, indexed.device_, writing, call)
    return out


cdef bint _number_flat(GatherParams* p, ndarray array) noexcept:
    """Interpret the only index as a flat index into ``array``; False if the merged axes are too many."""
    cdef int n = merge_into(array.ndim_, 1, array.shape_, array.strides_, GATHER_DIMS,
                            <Py_ssize_t*>p.flat_shape, <Py_ssize_t*>p.flat_strides)
    if n < 0:
        return False
    p.multiplier[0] = p.flat_strides[0] if n else 0
    # After merging, one dimension is plain indexing.
    p.flat_ndim = n if n > 1 else 0
    return True


cdef int _check_extent(ndarray index, Py_ssize_t extent) except -1:
    if extent == 0 and index.size_:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return 0


def take(ndarray source not None, ndarray index not None, int axis, int mode=INDEX_RAISE, ndarray out=None,
         str call not None="take"):
    """Elements of ``source`` at ``index`` along ``axis``; axis -1 means flat indices in C order.

    ``out`` must have the dtype of ``source`` and the shape of the result, and share no memory with ``source``.
    """
    cdef Walk walk
    cdef GatherParams p
    cdef ndarray wide
    cdef int d, n
    cdef bint flat = axis < 0
    memset(&p, 0, sizeof(p))
    check_status(source.device_)
    _check_extent(index, source.size_ if flat else source.shape_[axis])
    wide = as_index(index)
    if flat and not _number_flat(&p, source):
        source = source.copy()
        _number_flat(&p, source)
    walk.indices = 0
    walk.unique = True
    walk.lane_axis = -1
    walk.itemsize = source.itemsize_
    walk.ndim = index.ndim_ if flat else source.ndim_ - 1 + index.ndim_
    if walk.ndim > MAX_NDIM:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_NDIM}, found {walk.ndim}")
    walk.first_common = 0 if flat else axis
    walk.end_common = walk.first_common + index.ndim_
    for d in range(walk.ndim):
        if walk.first_common <= d < walk.end_common:
            walk.shape[d] = index.shape_[d - walk.first_common]
            walk.strides[INDEXED][d] = 0
        else:
            n = d if d < walk.first_common else d - index.ndim_ + 1
            walk.shape[d] = source.shape_[n]
            walk.strides[INDEXED][d] = source.strides_[n]
    p.mode = mode
    p.indexed = source.data_ptr()
    if flat:
        add_index(&walk, &p, wide, source.size_, p.multiplier[0], 0)
    else:
        add_index(&walk, &p, wide, source.shape_[axis], source.strides_[axis], axis)
    if out is None:
        out = new_array(source.code, walk.ndim, walk.shape, source.device_)
    elif out.ndim_ != walk.ndim or shape_tuple(out) != tuple([walk.shape[d] for d in range(walk.ndim)]):
        raise ValueError("output array does not match result of ndarray.take")
    set_dense(&walk, &p, out)
    run(&walk, &p, source.device_, False, call)
    return out


def put(ndarray target not None, ndarray index not None, value, int mode=INDEX_RAISE, bint unique=False,
        str call not None="put"):
    """``target.flat[index] = value``; an array value is repeated if it is shorter than the index.

    ``unique`` promises that no index occurs twice.
    """
    cdef Walk walk
    cdef GatherParams p
    cdef ndarray wide, dense
    cdef list keep = []
    cdef Py_ssize_t size = index.size_
    memset(&p, 0, sizeof(p))
    require_writeable(target)
    check_status(target.device_)
    _check_extent(index, target.size_)
    if not _number_flat(&p, target):
        dense = target.copy()
        put(dense, index, value, mode, unique, call)
        copy_into(target, dense)
        return
    wide = as_index(index)
    if touch(wide, target) or not wide.c_contiguous:
        wide = wide.copy()
    walk.indices = 0
    walk.unique = unique
    walk.lane_axis = -1
    walk.itemsize = target.itemsize_
    walk.ndim = 1
    walk.shape[0] = size
    walk.strides[INDEXED][0] = walk.strides[DENSE][0] = 0
    walk.first_common, walk.end_common = 0, 1
    p.mode = mode
    p.indexed = target.data_ptr()
    wide = reshaped(wide, (size,))
    add_index(&walk, &p, wide, target.size_, p.multiplier[0], 0)
    if isinstance(value, ndarray):
        if (<ndarray>value).size_ == 0:
            return
        value = reshaped(value, (-1,))
        if (<ndarray>value).size_ > size:
            value = value[:size]
    set_value(&walk, &p, target, value, keep)
    if isinstance(value, ndarray) and (<ndarray>value).size_ < size:
        # The value repeats periodically: undo the stride that set_dense set for broadcasting.
        walk.strides[DENSE][0] = (<ndarray>keep[0]).strides_[0]
        p.dense_period = (<ndarray>value).size_
    run(&walk, &p, target.device_, True, call)

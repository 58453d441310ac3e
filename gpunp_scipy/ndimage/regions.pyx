"""Launches of the kernels of connected regions: labels, and their bounding boxes."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport I4, I8, U4
from gpunp.sorting.search cimport blocks_of

cdef extern from "gpunp/ndimage/label_params.h" namespace "gpunp":
    enum:
        LABEL_BLOCK, LABEL_SIDE, LABEL_CHUNK, LABEL_RANK_BLOCK, LABEL_LEADING
        LINK_LEFT, LINK_UP, LINK_UP_LEFT, LINK_UP_RIGHT
    cdef struct LabelParams:
        const uint8_t* image
        void* parents
        int64_t planes
        int64_t rows
        int64_t columns
        int32_t links
        int32_t leading
        int64_t offset
        int64_t shape[LABEL_LEADING]
        int8_t delta[LABEL_LEADING]
        int8_t row_delta, column_delta
        uint32_t* bits
        void* roots_before
        int64_t* counts
        const int64_t* ends
    cdef struct BoxesParams:
        const void* labels
        int64_t size
        int64_t most
        int64_t* boxes
        int32_t ndim
        int64_t shape[64]

# The link of a pixel to an earlier one in its plane, by row and column.
_LINKS = {(0, -1): LINK_LEFT, (-1, 0): LINK_UP, (-1, -1): LINK_UP_LEFT, (-1, 1): LINK_UP_RIGHT}


cdef str _name(ndarray parents):
    return "i4" if parents.code == I4 else "i8"


cdef int _describe(LabelParams* p, ndarray image, ndarray parents) except -1:
    cdef int k, ndim = image.ndim_
    memset(p, 0, sizeof(LabelParams))
    p.image = <const uint8_t*>image.data_ptr()
    p.parents = parents.data_ptr()
    p.rows, p.columns = image.shape_[ndim - 2], image.shape_[ndim - 1]
    p.leading = ndim - 2
    p.planes = 1
    for k in range(ndim - 2):
        p.shape[k] = image.shape_[k]
        p.planes *= image.shape_[k]
    return 0


cdef int _tiles(int64_t length) noexcept:
    return <int>((length + LABEL_SIDE - 1) // LABEL_SIDE)


def connect(ndarray image not None, offsets, bint wide):
    """Let each pixel point to an earlier one of its region, as label_params.h says.

    Parameters
    ----------
    image : ndarray
        Contiguous elements of one byte, not empty, of two dimensions or more.
    offsets : list of tuple of int
        The neighbors that come before a pixel, relative to it.
    wide : bool
        Whether positions are int64.
    """
    cdef LabelParams p
    cdef Device device = image.device_
    cdef int k
    cdef ndarray parents = new_array(I8 if wide else I4, image.ndim_, image.shape_, device)
    check_status(device)
    name = _name(parents)
    _describe(&p, image, parents)
    across = []
    for *leading, row, column in offsets:
        if any(leading):
            across.append((leading, row, column))
        else:
            p.links |= _LINKS[row, column]
    cdef int64_t down = _tiles(p.rows), wide_tiles = _tiles(p.columns), borders
    device.launch(device.kernel("ndimage_labels", "label_tiles_" + name),
                  <unsigned int>(down * wide_tiles * p.planes), 1, 1, LABEL_BLOCK, 0, &p, sizeof(p))
    borders = p.planes * ((down - 1) * p.columns + (wide_tiles - 1) * p.rows)
    if borders and p.links and not device.is_cpu:
        device.launch(device.kernel("ndimage_labels", "label_borders_" + name),
                      blocks_of(device, borders, LABEL_BLOCK, 4 * device.tuning.loop_blocks), 1, 1, LABEL_BLOCK, 0,
                      &p, sizeof(p))
    for leading, row, column in across:
        p.row_delta, p.column_delta = row, column
        p.offset = 0
        for k in range(image.ndim_ - 2):
            p.delta[k] = leading[k]
            p.offset = p.offset * image.shape_[k] + p.delta[k]
        p.offset = (p.offset * p.rows + p.row_delta) * p.columns + p.column_delta
        device.launch(device.kernel("ndimage_labels", "label_planes_" + name),
                      blocks_of(device, image.size_ + LABEL_BLOCK * p.planes, LABEL_BLOCK,
                                4 * device.tuning.loop_blocks),
                      1, 1, LABEL_BLOCK, 0, &p, sizeof(p))
    return parents


def find_roots(ndarray image not None, ndarray parents not None):
    """Let pixels point to the first one of their region.

    Returns
    -------
    bits : ndarray of uint32
        Which pixels are first ones, 32 in each element.
    counts : ndarray of int64
        How many there are in each chunk of pixels.
    """
    cdef LabelParams p
    cdef Device device = parents.device_
    cdef Py_ssize_t chunks = (parents.size_ + LABEL_CHUNK - 1) // LABEL_CHUNK, words = chunks * LABEL_RANK_BLOCK
    cdef ndarray bits = new_array(U4, 1, &words, device), counts = new_array(I8, 1, &chunks, device)
    _describe(&p, image, parents)
    p.bits, p.counts = <uint32_t*>bits.data_ptr(), <int64_t*>counts.data_ptr()
    device.launch(device.kernel("ndimage_labels", "label_roots_" + _name(parents)), <unsigned int>chunks, 1, 1,
                  LABEL_BLOCK, 0, &p, sizeof(p))
    return bits, counts


def number(ndarray image not None, ndarray parents not None, ndarray bits not None, ndarray ends not None):
    """Replace, in place, what `find_roots` left by the numbers of regions; ``ends`` are its running counts."""
    cdef LabelParams p
    cdef Device device = parents.device_
    cdef int64_t each = 4 * LABEL_BLOCK
    cdef Py_ssize_t words = bits.size_
    cdef ndarray before
    _describe(&p, image, parents)
    if not device.is_cpu:
        before = new_array(parents.code, 1, &words, device)
        p.roots_before = before.data_ptr()
    p.bits, p.ends = <uint32_t*>bits.data_ptr(), <const int64_t*>ends.data_ptr()
    device.launch(device.kernel("ndimage_labels", "label_ranks_" + _name(parents)), <unsigned int>ends.size_, 1, 1,
                  LABEL_RANK_BLOCK, 0, &p, sizeof(p))
    device.launch(device.kernel("ndimage_labels", "label_finish_" + _name(parents)),
                  <unsigned int>((parents.size_ + each - 1) // each), 1, 1, LABEL_BLOCK, 0, &p, sizeof(p))


def boxes(ndarray labels not None, Py_ssize_t most):
    """Bounds of each label from 1 to ``most`` along each axis.

    Parameters
    ----------
    labels : ndarray
        Contiguous, int32 or int64, of one dimension or more.
    most : int

    Returns
    -------
    ndarray of int64
        By label and axis: the least coordinate, and the complement of the greatest. Both are very large for
        labels that do not occur.
    """
    cdef BoxesParams p
    cdef Device device = labels.device_
    cdef Py_ssize_t[3] shape
    cdef int k
    shape[0], shape[1], shape[2] = most, labels.ndim_, 2
    cdef ndarray out = new_array(I8, 3, shape, device)
    check_status(device)
    if out.size_ == 0:
        return out
    device.fill_bytes(out.data_ptr(), 0x7f, 8 * out.size_)
    p.labels, p.size, p.most = labels.data_ptr(), labels.size_, most
    p.boxes, p.ndim = <int64_t*>out.data_ptr(), labels.ndim_
    for k in range(labels.ndim_):
        p.shape[k] = labels.shape_[k]
    if labels.size_:
        device.launch(device.kernel("ndimage_labels", "boxes_" + _name(labels)),
                      blocks_of(device, labels.size_, LABEL_BLOCK, device.tuning.loop_blocks), 1, 1, LABEL_BLOCK, 0,
                      &p, sizeof(p))
    return out

"""Selection by a boolean condition, choice by index, and conversion between flat indices and coordinates."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.axes cimport merge_into
from gpunp.array.ndarray cimport ndarray, new_array, require_writeable
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport I8, NUM_DTYPES, is_inexact, itemsize_of
from gpunp.indexing.gather cimport as_index, touch
from gpunp.launch cimport LOOP_BLOCK
from gpunp.status cimport (
    GPUNP_STATUS_CHOICE, GPUNP_STATUS_COORDINATE, GPUNP_STATUS_FLAT_INDEX, GPUNP_STATUS_MASK_COUNT)
from gpunp.ufunc.copying cimport copy_into
from gpunp.watching cimport known_of, watch, written

import weakref

from gpunp.device import register_report
from gpunp.dtype_codes import NAMES

register_report(GPUNP_STATUS_MASK_COUNT, ValueError,
                "the number of values is not the number of elements where the mask is true")
register_report(GPUNP_STATUS_FLAT_INDEX, ValueError, "an index is out of bounds for the number of elements")
register_report(GPUNP_STATUS_CHOICE, ValueError, "invalid entry in choice array")
register_report(GPUNP_STATUS_COORDINATE, ValueError, "invalid entry in coordinates array")

cdef extern from "gpunp/indexing/mask_params.h" namespace "gpunp":
    enum:
        MASK_DIMS, MASK_AXES, MASK_BLOCK, MASK_TILE, MASK_OFFSETS_BLOCK
        EXPAND_EXACT, EXPAND_ROUND, EXPAND_POSITION
    struct BitsParams:
        const char* condition
        int64_t size
        int32_t ndim, contiguous
        int64_t shape[8]
        int64_t strides[8]
        uint32_t* words
        uint32_t* counts
        int64_t* offsets
        int64_t* total
        int64_t tiles
    struct SelectParams:
        const uint32_t* words
        const int64_t* offsets
        const int64_t* total
        int64_t size, tiles
        char* array
        int32_t ndim, mode
        int64_t shape[8]
        int64_t strides[8]
        char* packed
        int64_t packed_stride, packed_size
        uint32_t* status
    struct PositionsParams:
        const uint32_t* words
        const int64_t* offsets
        int64_t size, tiles
        int64_t* positions
        int64_t axis_stride, item_stride
        int32_t ndim
        int64_t shape[64]

cdef extern from "gpunp/indexing/choose_params.h" namespace "gpunp":
    enum:
        CHOOSE_DIMS, CHOOSE_CHOICES
    struct ChooseParams:
        int64_t size
        int32_t ndim, mode
        int64_t choices
        int32_t first, count
        const char* index
        int32_t index_bytes
        char* out
        uint32_t* status
        int64_t shape[8]
        int64_t index_strides[8]
        const char* data[32]
        int64_t strides[32][8]
    struct RavelParams:
        int64_t size, total
        int64_t* flat
        int64_t* coordinates
        uint32_t* status
        int32_t ndim, f_order
        int64_t shape[64]
        int32_t mode[64]

# Suffix of the kernel that tests elements for zero, by dtype code: integers share one per size.
cdef list _CONDITIONS = [NAMES[code] if is_inexact(code) else f"b{itemsize_of(code)}" for code in range(NUM_DTYPES)]
# How `Bits.expand` distributes values.
EXACT, ROUND, BY_POSITION = EXPAND_EXACT, EXPAND_ROUND, EXPAND_POSITION


cdef int _merge(ndarray array, int64_t* shape, int64_t* strides) noexcept:
    """Fill in the merged axes of ``array`` and return their number, or -1 if they are too many."""
    cdef int n = merge_into(array.ndim_, 1, array.shape_, array.strides_, MASK_DIMS, <Py_ssize_t*>shape,
                            <Py_ssize_t*>strides)
    if n == 0:
        n = shape[0] = 1
        strides[0] = 0
    return n


cdef class Bits:
    """The nonzero elements of a condition: one bit per element, and the rank at the start of each tile."""
    cdef readonly tuple shape
    cdef tuple strides
    cdef const char* data
    cdef object queue
    cdef int code
    cdef Device device
    cdef Buffer buffer
    cdef Py_ssize_t size, tiles, found
    cdef uint32_t* words
    cdef uint32_t* counts
    cdef int64_t* offsets
    cdef int64_t* total

    def __init__(self, ndarray condition not None):
        cdef BitsParams p
        cdef Device device = condition.device_
        cdef char* at
        check_status(device)
        self.shape = condition.shape
        self.strides = condition.strides
        self.code = condition.code
        self.device = device
        self.size = condition.size_
        self.found = 0 if self.size == 0 else -1
        if self.size == 0:
            return
        p.ndim = _merge(condition, p.shape, p.strides)
        if p.ndim < 0:
            condition = condition.copy()
            p.ndim = _merge(condition, p.shape, p.strides)
        # A deferred condition gets its memory before the bits do: in the other order CUDA's pool took 0.25 ms longer to
        # find room for the result.
        p.condition = condition.read_ptr()
        self.tiles = (self.size + MASK_TILE - 1) // MASK_TILE
        self.buffer = device.allocate(16 + self.tiles * (8 + 4 + MASK_TILE // 8))
        at = <char*>self.buffer.ptr
        self.total = <int64_t*>at
        self.offsets = <int64_t*>(at + 16)
        self.words = <uint32_t*>(at + 16 + 8 * self.tiles)
        self.counts = self.words + self.tiles * (MASK_TILE // 32)
        p.size = self.size
        p.contiguous = (p.ndim == 1 and p.strides[0] == condition.itemsize_
                        and <size_t>p.condition % 16 == 0)
        p.words, p.counts, p.offsets, p.total, p.tiles = (self.words, self.counts, self.offsets, self.total,
                                                          self.tiles)
        device.launch(device.kernel("indexing_mask", "mask_bits_" + <str>_CONDITIONS[condition.code]),
                      self.tiles, 1, 1, MASK_BLOCK, 0, &p, sizeof(p))
        if self.tiles > 1 and not device.is_cpu:
            device.launch(device.kernel("indexing_mask", "mask_offsets"), 1, 1, 1, MASK_OFFSETS_BLOCK, 0,
                          &p, sizeof(p))

    cdef bint is_of(self, ndarray condition):
        """Whether these are the bits of a condition in the present stream, if nothing has written its memory."""
        return (self.queue is self.device.queue() and self.data == condition.address() and self.code == condition.code
                and self.shape == condition.shape and self.strides == condition.strides)

    def count(self):
        """Number of set bits; waits for the device at the first call."""
        cdef int64_t total
        if self.found < 0:
            self.device.copy_to_host(&total, self.total, sizeof(total))
            self.found = total
        return self.found

    cdef int _fill(self, SelectParams* p, ndarray array) except -1:
        p.words, p.offsets, p.total = self.words, self.offsets, self.total
        p.size, p.tiles = self.size, self.tiles
        p.array = array.data_ptr()
        p.ndim = _merge(array, p.shape, p.strides)
        return 0

    def select(self, ndarray array not None):
        """Elements where the bits are set, of an array of the condition's shape; waits for the device."""
        cdef SelectParams p
        cdef Py_ssize_t count = self.count()
        cdef ndarray out = new_array(array.code, 1, &count, self.device)
        if count:
            self._fill(&p, array)
            if p.ndim < 0:
                array = array.copy()
                self._fill(&p, array)
            p.mode = EXPAND_EXACT
            p.packed = out.data_ptr()
            self.device.launch(self.device.kernel("indexing_mask", f"mask_select_{array.itemsize_}"),
                               self.tiles, 1, 1, MASK_BLOCK, 0, &p, sizeof(p))
        return out

    def expand(self, ndarray target not None, ndarray values not None, int mode):
        """Write 1-d values to the elements of the target where the bits are set.

        ``mode`` selects the value of an element: EXACT and ROUND take values in turn (EXACT requires one per
        set bit, ROUND repeats them), BY_POSITION takes the value at the element's flat index.
        """
        cdef SelectParams p
        cdef ndarray dense
        require_writeable(target)
        if values.code != target.code or touch(values, target):
            dense = new_array(target.code, 1, values.shape_, target.device_)
            copy_into(dense, values)
            values = dense
        if self.size == 0:
            return
        self._fill(&p, target)
        if p.ndim < 0:
            dense = target.copy()
            self.expand(dense, values, mode)
            copy_into(target, dense)
            return
        p.mode = mode
        p.status = self.device.report_word("boolean array indexing assignment") if mode == EXPAND_EXACT else NULL
        p.packed = values.data_ptr()
        p.packed_stride = values.strides_[0]
        p.packed_size = values.size_
        self.device.launch(self.device.kernel("indexing_mask", f"mask_expand_{target.itemsize_}"),
                           self.tiles, 1, 1, MASK_BLOCK, 0, &p, sizeof(p))

    def positions(self, bint by_axis=True, bint flat=False):
        """Coordinates of the set bits, of shape (axes, count), or (count, axes) unless ``by_axis``.

        ``flat`` gives flat indices in C order, as if there were one axis. Waits for the device.
        """
        cdef PositionsParams p
        cdef Py_ssize_t[2] shape
        cdef Py_ssize_t count = self.count()
        cdef tuple extents = (self.size,) if flat else self.shape
        cdef Py_ssize_t ndim = len(extents)
        cdef int d
        cdef ndarray out
        shape[0] = ndim if by_axis else count
        shape[1] = count if by_axis else ndim
        out = new_array(I8, 2, shape, self.device)
        if count and ndim:
            p.words, p.offsets, p.size, p.tiles = self.words, self.offsets, self.size, self.tiles
            p.positions = <int64_t*>out.data_ptr()
            p.axis_stride = count if by_axis else 1
            p.item_stride = 1 if by_axis else ndim
            p.ndim = ndim
            for d in range(ndim):
                p.shape[d] = extents[d]
            self.device.launch(self.device.kernel("indexing_mask", "mask_positions"), self.tiles, 1, 1,
                               MASK_BLOCK, 0, &p, sizeof(p))
        return out


# The mask whose bits are kept, as a weak reference: its end is also that of the bits.
cdef object _kept = None


def bits_of(ndarray mask not None):
    """The bits of a mask, for several uses of it one after the other.

    They are those found last as long as the mask lives and nothing writes its memory: the second ``x[mask]`` needs no
    pass over the mask and no wait.

    Parameters
    ----------
    mask : ndarray

    Returns
    -------
    Bits
    """
    global _kept
    cdef Buffer buffer = mask.buffer
    cdef object known = known_of(buffer)
    cdef Bits bits
    if isinstance(known, Bits) and (<Bits>known).is_of(mask):
        return known
    bits = Bits(mask)
    _forget(_kept)
    queue = mask.device_.queue()
    if bits.size and queue is not None and watch(buffer, bits):
        bits.data = mask.address()
        bits.queue = queue
        _kept = _Mask(mask, _forget)
        _kept.buffer = buffer
    return bits


class _Mask(weakref.ref):
    """A weak reference to a mask, with its buffer."""

    __slots__ = ("buffer",)


def _forget(kept):
    """Forget the bits of a mask, and the mask."""
    global _kept
    if kept is not None and kept is _kept:
        _kept = None
        written(<Buffer>kept.buffer)


cdef int _start(Device device, str name, const void* params, size_t nbytes, Py_ssize_t size) except -1:
    device.launch(device.kernel("indexing_choose", name), (size + LOOP_BLOCK - 1) // LOOP_BLOCK, 1, 1,
                  LOOP_BLOCK, 0, params, nbytes)
    return 0


def choose(ndarray index not None, list choices not None, ndarray out not None, int mode):
    """Write to each element of C-contiguous ``out`` that of ``choices[index]``; operands are broadcast.

    The choices must have the dtype of ``out``, and ``out`` at most `CHOOSE_DIMS` axes.
    """
    cdef ChooseParams p
    cdef ndarray choice
    cdef int d, k, lead
    memset(&p, 0, sizeof(p))
    check_status(out.device_)
    if out.size_ == 0:
        return
    index = as_index(index)
    p.size, p.ndim, p.mode, p.choices = out.size_, out.ndim_, mode, len(choices)
    p.index, p.index_bytes = index.data_ptr(), index.itemsize_
    p.out, p.status = out.data_ptr(), out.device_.report_word("choose")
    for d in range(out.ndim_):
        p.shape[d] = out.shape_[d]
        lead = out.ndim_ - index.ndim_
        p.index_strides[d] = 0 if d < lead or index.shape_[d - lead] == 1 else index.strides_[d - lead]
    for first in range(0, len(choices), CHOOSE_CHOICES):
        p.first, p.count = first, min(CHOOSE_CHOICES, len(choices) - first)
        for k in range(p.count):
            choice = choices[first + k]
            p.data[k] = choice.data_ptr()
            lead = out.ndim_ - choice.ndim_
            for d in range(out.ndim_):
                p.strides[k][d] = 0 if d < lead or choice.shape_[d - lead] == 1 else choice.strides_[d - lead]
        _start(out.device_, f"choose_{out.itemsize_}", &p, sizeof(p), out.size_)


MOST_AXES = CHOOSE_DIMS


def convert_numbers(ndarray flat not None, ndarray coordinates not None, tuple shape, bint f_order,
                    modes=None):
    """Convert flat indices into an array of ``shape`` to coordinates, or back if ``modes`` are given.

    Both are contiguous int64 arrays; the coordinates have one more axis, the first.
    """
    cdef RavelParams p
    cdef int d
    memset(&p, 0, sizeof(p))
    check_status(flat.device_)
    if flat.size_ == 0:
        return
    p.size, p.ndim, p.f_order, p.total = flat.size_, len(shape), f_order, 1
    for d in range(p.ndim):
        p.shape[d] = shape[d]
        p.total *= p.shape[d]
        p.mode[d] = modes[d] if modes is not None else 0
    p.flat, p.coordinates = <int64_t*>flat.data_ptr(), <int64_t*>coordinates.data_ptr()
    p.status = flat.device_.report_word("unravel_index" if modes is None else "ravel_multi_index")
    _start(flat.device_, "unravel" if modes is None else "ravel", &p, sizeof(p), p.size)

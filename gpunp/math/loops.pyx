"""Launches of the kernels of convolution, bit packing and cross products, and of single ufunc loops."""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, Kernel, check_status
from gpunp.dtype_codes cimport C16, C8, F4, F8, I4, I8
from gpunp.launch cimport LOOP_BLOCK
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute

from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/math/convolve_params.h" namespace "gpunp":
    enum:
        CONVOLVE_BLOCK, CONVOLVE_TILE, CONVOLVE_TAPS
    cdef struct ConvolveParams:
        const char* x
        const char* w
        char* out
        char* partials
        int64_t length, taps, outputs, start
        int64_t x_stride, w_stride, out_item, split_taps
        int32_t x_dtype, w_dtype, out_dtype
        int32_t conjugate_x, conjugate_w

cdef extern from "gpunp/math/packbits_params.h" namespace "gpunp":
    cdef struct PackParams:
        const char* input
        char* output
        int64_t size, length, inner, count
        int32_t item, little, wide

cdef extern from "gpunp/linalg/cross_params.h" namespace "gpunp":
    cdef struct CrossParams:
        const char* a
        const char* b
        char* out
        int64_t rows
        int64_t a_row, a_item, b_row, b_item
        int32_t a_dtype, b_dtype, out_dtype, out_item, same

cdef enum:
    SPLIT_TAPS = 8          # least rounds of taps per block when taps are split
    MAX_SPLITS = 4096

# The accumulator of each dtype: integers wrap around, so 4 bytes suffice for all of up to 4 bytes.
_ACCUMULATOR = (I4, I4, I4, I4, I4, I4, I4, I8, I8, F4, F4, F8, C8, C16)


def convolve(ndarray x not None, ndarray w not None, ndarray out not None, int64_t start,
             bint conjugate_x=False, bint conjugate_w=False):
    """Compute out[k] = sum of w[j] * x[k + start - j], over the j for which x has that element.

    Returns None, or, with few outputs and many taps, partial sums of shape (parts, len(out)) that the caller must
    add.
    """
    cdef Device device = out.device_
    cdef ConvolveParams p
    cdef ndarray partials = None
    cdef int accumulator = _ACCUMULATOR[out.code]
    cdef int64_t blocks, parts = 1, rounds
    cdef Py_ssize_t[2] shape
    check_status(device)
    if out.size_ == 0:
        return None
    cdef Kernel kernel = device.kernel("convolve", "convolve_" + NAMES[accumulator])
    memset(&p, 0, sizeof(p))
    p.x = x.data_ptr()
    p.w = w.data_ptr()
    p.out = out.data_ptr()
    p.length, p.taps, p.outputs, p.start = x.size_, w.size_, out.size_, start
    p.x_stride, p.w_stride, p.out_item = x.strides_[0], w.strides_[0], out.itemsize_
    p.x_dtype, p.w_dtype, p.out_dtype = x.code, w.code, out.code
    p.conjugate_x, p.conjugate_w = conjugate_x, conjugate_w
    blocks = (p.outputs + CONVOLVE_TILE - 1) // CONVOLVE_TILE
    if blocks > 0x7fffffff:
        raise ValueError(f"convolve: {p.outputs} results are too many for one call; convolve parts of the array")
    p.split_taps = p.taps
    rounds = (p.taps + CONVOLVE_TAPS - 1) // CONVOLVE_TAPS
    if (not device.is_cpu and blocks < device.multiprocessors * device.tuning.convolve_few_blocks
            and rounds >= 2 * SPLIT_TAPS):
        parts = device.multiprocessors * device.tuning.convolve_blocks
        parts = min((parts + blocks - 1) // blocks, rounds // SPLIT_TAPS)
        parts = min(max(parts, <int64_t>1), <int64_t>MAX_SPLITS)
        p.split_taps = (rounds + parts - 1) // parts * CONVOLVE_TAPS
        parts = (p.taps + p.split_taps - 1) // p.split_taps
    if parts > 1:
        shape[0], shape[1] = parts, out.size_
        partials = new_array(accumulator, 2, shape, device)
        p.partials = partials.data_ptr()
    device.launch(kernel, <unsigned int>blocks, <unsigned int>parts, 1, CONVOLVE_BLOCK, 0, &p, sizeof(p))
    return partials


cdef unsigned int _blocks(Device device, int64_t size) noexcept:
    return <unsigned int>min((size + LOOP_BLOCK - 1) // LOOP_BLOCK,
                             device.multiprocessors * device.tuning.loop_blocks)


def pack_bits(ndarray source not None, ndarray out not None, int axis, bint little):
    """Pack a contiguous array along an axis into contiguous bytes."""
    _pack(source, out, axis, little, True)


def unpack_bits(ndarray source not None, ndarray out not None, int axis, bint little):
    """Unpack contiguous bytes along an axis into a contiguous array of zeros and ones."""
    _pack(source, out, axis, little, False)


cdef int _pack(ndarray source, ndarray out, int axis, bint little, bint packing) except -1:
    cdef Device device = out.device_
    cdef PackParams p
    cdef int d
    cdef bint whole
    check_status(device)
    if out.size_ == 0:
        return 0
    if source.size_ == 0:
        device.fill_bytes(out.data_ptr(), 0, out.size_)
        return 0
    p.input = source.data_ptr()
    p.output = out.data_ptr()
    p.length = source.shape_[axis]
    p.count = out.shape_[axis]
    p.item = source.itemsize_
    p.little = little
    p.inner = 1
    for d in range(axis + 1, source.ndim_):
        p.inner *= source.shape_[d]
    p.size = out.size_
    if packing:
        whole = source.shape_[axis] % 8 == 0
        p.wide = whole and p.inner == 1 and p.item == 1 and <size_t>p.input % 8 == 0
        name = "packbits"
    else:
        whole = p.count == 8 * p.length
        p.wide = whole and p.inner == 1 and <size_t>p.output % 8 == 0
        if p.wide:
            p.size //= 8
        name = "unpackbits"
    device.launch(device.kernel("packbits", name), _blocks(device, p.size), 1, 1, LOOP_BLOCK, 0, &p, sizeof(p))
    return 0


def cross(ndarray a not None, ndarray b not None, ndarray out not None):
    """Write the cross products of the rows of two (rows, 3) arrays of any strides to a contiguous array."""
    cdef Device device = out.device_
    cdef CrossParams p
    check_status(device)
    if out.size_ == 0:
        return
    p.a, p.b, p.out = a.data_ptr(), b.data_ptr(), out.data_ptr()
    p.rows = out.shape_[0]
    p.a_row, p.a_item, p.b_row, p.b_item = a.strides_[0], a.strides_[1], b.strides_[0], b.strides_[1]
    p.a_dtype, p.b_dtype, p.out_dtype, p.out_item = a.code, b.code, out.code, out.itemsize_
    p.same = a.code == b.code == out.code == _ACCUMULATOR[out.code]
    name = "cross_" + NAMES[_ACCUMULATOR[out.code]]
    device.launch(device.kernel("cross", name), _blocks(device, p.rows), 1, 1, LOOP_BLOCK, 0, &p, sizeof(p))


def apply_loop(ufunc, ndarray a not None, ndarray out not None):
    """Compute out = ufunc(a) by the loop of the dtype of ``a``; dtype resolution, which may need SciPy, is skipped."""
    cdef ElementwiseParams params
    cdef Operand[2] operands
    cdef Loop loop = ufunc.loop_of((a.dtype,))
    check_status(out.device_)
    describe(&operands[0], a)
    describe(&operands[1], out)
    execute(loop, out.device_, &params, operands, NULL, out.ndim_, out.shape_)

"""Launches of steps of binary erosion and dilation."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

import numpy

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport U1
from gpunp.sorting.search cimport blocks_of

cdef extern from "gpunp/ndimage/binary_params.h" namespace "gpunp":
    enum:
        BINARY_BLOCK, BINARY_AXES
    cdef struct BinaryParams:
        const uint8_t* image
        uint8_t* out
        const uint8_t* mask
        const int64_t* flat
        const int32_t* steps
        uint32_t* changed
        int64_t size
        int64_t reach
        int32_t count
        int32_t ndim
        int32_t sought
        int32_t border
        int32_t center
        int64_t shape[BINARY_AXES]
        int32_t low[BINARY_AXES]
        int32_t high[BINARY_AXES]

cdef enum:
    PIXELS = 8    # of a thread
    # Steps after which the host asks whether anything changes; doubled up to the second number.
    FIRST_STEPS = 4
    MOST_STEPS = 64

MOST_AXES = BINARY_AXES


cdef Buffer _upload(Device device, array):
    """A device copy of a small contiguous host array."""
    cdef const unsigned char[::1] bytes = array.reshape(-1).view(numpy.uint8)
    cdef Buffer buffer = device.allocate(max(len(bytes), 1))
    if len(bytes):
        device.copy_from_host(buffer.ptr, &bytes[0], len(bytes))
    return buffer


def steps(ndarray image not None, offsets, ndarray mask, Py_ssize_t iterations, *, bint dilate, bint border):
    """Erode or dilate an image repeatedly.

    Parameters
    ----------
    image : ndarray of uint8
        Contiguous; nonzero is 1.
    offsets : numpy.ndarray of int
        The pixels that a pixel depends on, relative to it: a row each.
    mask : ndarray of uint8 or None
        Contiguous; where it is zero, pixels keep their value.
    iterations : int
        The number of steps; if it is less than 1, until nothing changes.
    dilate : bool
        Whether one of the pixels must be 1 instead of all.
    border : bool
        The value of pixels outside of the image.

    Returns
    -------
    ndarray of uint8
        0 or 1.
    """
    cdef BinaryParams p
    cdef Device device = image.device_
    cdef Buffer flat, moves, flag = None
    cdef ndarray source = image, out, spare = None
    cdef Py_ssize_t done = 0, until = iterations
    cdef uint32_t changed = 1
    cdef int k
    check_status(device)
    memset(&p, 0, sizeof(p))
    p.size, p.ndim, p.count = image.size_, image.ndim_, len(offsets)
    p.sought, p.border, p.center = dilate, border, bool((offsets == 0).all(axis=1).any())
    strides = numpy.ones(p.ndim, numpy.int64)
    for k in range(p.ndim):
        p.shape[k] = image.shape_[k]
        p.low[k] = offsets[:, k].min(initial=0)
        p.high[k] = offsets[:, k].max(initial=0)
    for k in range(p.ndim - 1, 0, -1):
        strides[k - 1] = strides[k] * p.shape[k]
    distances = offsets.astype(numpy.int64) @ strides
    p.reach = max(distances.max(initial=0), 0) + PIXELS + 4
    flat = _upload(device, distances)
    moves = _upload(device, numpy.ascontiguousarray(offsets, numpy.int32))
    p.flat, p.steps = <const int64_t*>flat.ptr, <const int32_t*>moves.ptr
    if mask is not None:
        p.mask = <const uint8_t*>mask.data_ptr()
    if iterations < 1:
        flag = device.allocate(4)
        p.changed = <uint32_t*>flag.ptr
        until = FIRST_STEPS
    kernel = device.kernel("ndimage_binary", "binary_step")
    blocks = blocks_of(device, (p.size + PIXELS - 1) // PIXELS, BINARY_BLOCK, 4 * device.tuning.loop_blocks)
    while True:
        if flag is not None and done + 1 == until:
            device.fill_bytes(flag.ptr, 0, 4)
        out = new_array(U1, image.ndim_, image.shape_, device) if spare is None else spare
        p.image, p.out = <const uint8_t*>source.data_ptr(), <uint8_t*>out.data_ptr()
        device.launch(kernel, blocks, 1, 1, BINARY_BLOCK, 0, &p, sizeof(p))
        spare = None if source is image else source
        source = out
        done += 1
        if done < until:
            continue
        if flag is None:
            return out
        device.copy_to_host(&changed, flag.ptr, 4)
        if not changed:
            return out
        until += min(until, <Py_ssize_t>MOST_STEPS)

"""Large loops of the CPU device, which write their results past the caches if those cannot hold them."""
from gpunp.device cimport Device

# As in kernels/host/streamed.cpp.
cdef struct StreamedParams:
    void* function
    const void* loop
    long long inputs, itemsize, least_bytes

# Functions that cost less than the memory. Others overlap their stores with the work, and would wait for streams.
cdef frozenset _STREAMED = frozenset({
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "bitwise", "select", "floor", "ceil",
    "trunc", "rint", "less", "greater", "equal", "not", "isnan", "isfinite",
})
# Bytes of the operands of loops whose results are written past the caches.
cdef Py_ssize_t _streamed_bytes = 64 << 20


def set_streamed_bytes(Py_ssize_t count=64 << 20):
    """Set how large loops on the CPU device are whose results are written past the caches; for tests.

    Parameters
    ----------
    count : int, default 64 MiB
        Of all operands together.

    Returns
    -------
    int
        The number before.
    """
    global _streamed_bytes
    before = _streamed_bytes
    _streamed_bytes = count
    return before


cdef bint may_be_streamed(Py_ssize_t nbytes, str symbol) except -1:
    return nbytes >= _streamed_bytes and symbol.partition("_")[0] in _STREAMED


cdef int launch_large(Device device, void* function, const void* params, int inputs, int itemsize) except -1:
    cdef StreamedParams streamed
    streamed.function = function
    streamed.loop = params
    streamed.inputs = inputs
    streamed.itemsize = itemsize
    streamed.least_bytes = _streamed_bytes
    return device.start(device.kernel("streamed", "streamed"), 1, 1, 1, 1, 0, &streamed, sizeof(StreamedParams))

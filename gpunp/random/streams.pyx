"""Streams of random bits: the position in a stream, and the launches that read from it.

A stream counts blocks of 128 bits. A draw takes one block per element (or per two or four elements), and
its block i is a function of the key and of ``position + i`` alone.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from gpunp.array.layout cimport parse_shape
from gpunp.array.ndarray cimport MAX_NDIM, as_scalar, ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status, current_device
from gpunp.dtype_codes cimport U8
from gpunp.launch cimport LOOP_BLOCK
from gpunp.random.params cimport RANDOM_PART, RandomFillParams, RandomStream, RandomWordsParams

# Mask of the 64 bits of a position.
cdef object _WORD = 2**64 - 1


cdef int launch(Device device, str unit, str name, int64_t threads, void* params, size_t nbytes) except -1:
    cdef int64_t most = device.multiprocessors * device.tuning.fill_blocks
    cdef int64_t blocks = min((threads + LOOP_BLOCK - 1) // LOOP_BLOCK, most)
    return device.launch(device.kernel(unit, name), <unsigned int>blocks, 1, 1, LOOP_BLOCK, 0, params, nbytes)


cdef class BitStream:
    """The state of a bit generator: its key or initial state, and the position of the next block.

    Subclasses whose bits are not Philox's name a ``recurrence`` and provide its ``jump_table``.
    """

    def restore(self, state, position, upper=(0, 0), recurrence=None):
        """Set the key or initial state, the position, the upper counter words and the recurrence."""
        cdef int i
        for i in range(len(state)):
            self.state[i] = state[i]
        self.position = position
        self.upper[0] = upper[0]
        self.upper[1] = upper[1]
        self.recurrence = recurrence

    def contents(self):
        """Return the arguments of `restore` except the name of the recurrence."""
        return list(self.state), self.position, (self.upper[0], self.upper[1])

    def go_on(self, delta, bint counter=False):
        """Move the position by ``delta`` blocks, negative to go back; atomic for other host threads.

        ``counter`` carries into words two and three of Philox's counter.
        """
        if not counter:
            self.position = <uint64_t>((self.position + delta) & _WORD)
            return
        whole = self.position + (<object>self.upper[0] << 64) + (<object>self.upper[1] << 96) + delta
        self.position = <uint64_t>(whole & _WORD)
        self.upper[0] = <uint32_t>(whole >> 64 & 0xffffffff)
        self.upper[1] = <uint32_t>(whole >> 96 & 0xffffffff)

    def random_raw(self, size=None, output=True):
        """The next 64-bit words of the stream.

        Parameters
        ----------
        size : int or tuple of ints, optional
        output : bool, optional
            False advances the stream and returns None.

        Returns
        -------
        ndarray of uint64
        """
        cdef ndarray out = new_output(U8, size, current_device())
        fill(self, out, "random_integers", "integers_u8", 2, 0, 1, 0, 0, 0)
        return out if output else None

    cdef Buffer take(self, RandomStream* stream, int64_t blocks, Device device):
        """Describe the next blocks and advance past them; hold the returned buffer until the launch."""
        cdef RandomWordsParams p
        cdef Buffer words = None
        cdef int i
        cdef ndarray table
        cdef uint64_t position = self.position
        cdef str recurrence = self.recurrence
        # The state is read and the position advanced before anything that can switch host threads, so no
        # two draws get the same blocks.
        self.position = position + <uint64_t>blocks
        for i in range(6):
            p.state[i] = self.state[i]
        stream.counter[0] = <uint32_t>position
        stream.counter[1] = <uint32_t>(position >> 32)
        stream.counter[2] = self.upper[0]
        stream.counter[3] = self.upper[1]
        stream.key[0] = self.state[0]
        stream.key[1] = self.state[1]
        stream.words = NULL
        if recurrence is not None:
            table = self.jump_table(device)
            words = device.allocate(16 * blocks)
            p.out = <uint32_t*>words.ptr
            p.blocks = blocks
            p.position = 4 * position
            p.table = <const uint32_t*>table.data_ptr()
            launch(device, "random_recurrences", recurrence + "_words", blocks // RANDOM_PART + 1, &p, sizeof(p))
            stream.words = <const uint32_t*>words.ptr
        return words


cdef ndarray new_output(int code, object size, Device device):
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef int ndim = 0
    if size is not None:
        try:
            ndim = parse_shape(size, shape)
        except TypeError:
            raise TypeError(f"expected a sequence of integers or a single integer, got {size!r}") from None
    cdef ndarray made = new_array(code, ndim, shape, device)
    return as_scalar(made) if size is None else made


cdef int fill(BitStream bits, ndarray out, str unit, str name, int count, double low, double scale,
              uint64_t span, uint64_t threshold, uint64_t first) except -1:
    """Launch a fill kernel; ``count`` elements come from one block of 128 bits."""
    cdef RandomFillParams p
    cdef Device device = out.device_
    cdef Buffer _words
    cdef uint32_t i
    cdef int64_t blocks = (out.size_ + count - 1) // count
    check_status(device)
    if blocks == 0:
        return 0
    _words = bits.take(&p.stream, blocks, device)
    p.out = out.data_ptr()
    p.size = out.size_
    p.low = low
    p.scale = scale
    p.range = span
    p.threshold = threshold
    p.first = first
    for i in range(10):
        p.round_keys[2 * i] = p.stream.key[0] + i * <uint32_t>0x9E3779B9
        p.round_keys[2 * i + 1] = p.stream.key[1] + i * <uint32_t>0xBB67AE85
    return launch(device, unit, name, blocks, &p, sizeof(p))

"""The status words of each thread on CUDA devices: which call reported an error, and in which thread.

A launch that may find an error in its data gets a word of its own in mapped host memory, which the host reads
without a synchronisation. A thread has a ring of lines of 16 words. When a line is full, or the stream changes,
an event is recorded behind the launches that were given its words; a line is used again after its event. So no
kernel that still runs can write into a word that means another call by now.
"""
import _thread

from cpython.exc cimport PyErr_SetObject, PyErr_WriteUnraisable
from cpython.object cimport PyObject
cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset
from cuda.bindings.cydriver cimport (
    CUdeviceptr, CUevent, CUresult, cuCtxPopCurrent, cuCtxPushCurrent, CUcontext, cuEventCreate, cuEventQuery,
    cuEventRecord, cuEventSynchronize, cuMemHostAlloc, cuMemHostGetDevicePointer)

from gpunp.cuda.driver cimport MAX_DEVICES, check, is_exiting, primary_context, use_context
from gpunp.cuda.stream cimport Stream, current_stream
from gpunp.device cimport Device, report_error

cdef enum:
    WORDS = 16              # of a line: 64 bytes
    LINES = 16              # of a ring; so many times WORDS launches may be on their way before one waits
    SLAB = 64               # rings whose memory is asked for at a time
    # From so many threads that ended with work on its way, the next thread waits for the oldest's.
    MOST_ENDED = 64

cdef extern from *:
    """
    #include <stdint.h>
    // The lines of this thread on each device that may hold reports: `lines` of them from `oldest` on, in a ring.
    struct GpunpReportWindow {
        uint64_t* words;
        int oldest, lines;
        int pending;        // errors that were read and wait to be raised
        PyObject* ring;     // whose window it is; _ThreadRings owns the reference
    };
    static thread_local GpunpReportWindow* gpunp_report_windows[64];

    static inline int gpunp_any_report(int device) {
        const GpunpReportWindow* w = gpunp_report_windows[device];
        if (!w) return 0;
        uint64_t bits = (uint64_t)w->pending;
        for (int i = 0; i < w->lines; i++) {
            const volatile uint64_t* line = w->words + 8 * ((w->oldest + i) % 16);
            bits |= line[0] | line[1] | line[2] | line[3] | line[4] | line[5] | line[6] | line[7];
        }
        return bits != 0;
    }
    static inline uint32_t gpunp_exchange(uint32_t* word) {
        return __atomic_exchange_n(word, 0u, __ATOMIC_ACQ_REL);
    }
    """
    ctypedef struct GpunpReportWindow:
        uint64_t* words
        int oldest, lines, pending
        PyObject* ring
    GpunpReportWindow* gpunp_report_windows[MAX_DEVICES]
    int gpunp_any_report(int device) noexcept nogil
    uint32_t gpunp_exchange(uint32_t* word) noexcept nogil

# Python's own module for the two costs a millisecond to import.
cdef object _local = _thread._local()
# By device: rings that nobody uses, and those of ended threads whose work may still be on its way.
cdef list _free = [[] for _ in range(MAX_DEVICES)]
cdef list _ended = [[] for _ in range(MAX_DEVICES)]


@cython.final
@cython.no_gc_clear
cdef class _Ring:
    """The words of one thread on one device."""

    cdef GpunpReportWindow window
    cdef uint32_t* words
    cdef int head, used         # the line that is being dealt out, and how many words of it are
    cdef CUevent[LINES] events  # behind the launches of each line but that one
    cdef Stream stream          # of the launches of that line; it must live until the line is closed
    cdef int index              # of the device
    # The call that has each word; None once it was told on: what its other blocks say later is the same error.
    cdef list calls
    cdef list pending           # exceptions, the oldest first

    cdef uint32_t* take(self, Stream stream, str call) except NULL:
        cdef int slot
        if self.used == WORDS or (stream is not self.stream and self.used):
            self.next_line()
        self.stream = stream
        slot = self.head * WORDS + self.used
        self.calls[slot] = call
        self.used += 1
        return self.words + slot

    cdef int next_line(self) except -1:
        """Close the line that is being dealt out and go on to one that no kernel writes into."""
        cdef CUresult result
        cdef CUevent event
        self.close()
        while self.window.lines > 1 and self.drop_oldest(cuEventQuery(self.events[self.window.oldest])):
            pass
        if self.window.lines == LINES:
            event = self.events[self.window.oldest]
            with nogil:
                result = cuEventSynchronize(event)
            self.drop_oldest(result)
            check(result, "cuEventSynchronize")
        self.head = (self.head + 1) % LINES
        self.used = 0
        self.window.lines += 1
        return 0

    cdef int close(self) except -1:
        """Record the event behind the launches of the line."""
        use_context(primary_context(self.index))
        if self.events[self.head] == NULL:
            check(cuEventCreate(&self.events[self.head], 2), "cuEventCreate")
        return check(cuEventRecord(self.events[self.head], self.stream.handle), "cuEventRecord")

    cdef bint drop_oldest(self, CUresult result) except -1:
        """Take the oldest line out of the window if the result of asking for its event says that it is done."""
        if result == CUresult.CUDA_ERROR_NOT_READY:
            return False
        self.read(self.window.oldest)
        self.window.oldest = (self.window.oldest + 1) % LINES
        self.window.lines -= 1
        return True

    cdef int read(self, int line) except -1:
        """Move what the words of a line say to the pending errors."""
        cdef int slot
        cdef uint32_t bits
        for slot in range(line * WORDS, (line + 1) * WORDS):
            bits = gpunp_exchange(self.words + slot)
            if bits and self.calls[slot] is not None:
                self.pending.append(report_error(bits, <str>self.calls[slot], True))
                self.calls[slot] = None
        self.window.pending = <int>len(self.pending)
        return 0

    cdef object next_error(self):
        """The oldest error, with notes of all that are known beside it, or None."""
        cdef int i
        for i in range(self.window.lines):
            self.read((self.window.oldest + i) % LINES)
        if not self.pending:
            return None
        # Together: raised by later calls, they would be taken for errors of those.
        error = self.pending[0]
        for other in self.pending[1:]:
            error.add_note(f"Reported as well: {type(other).__name__}: {other}")
        self.pending.clear()
        self.window.pending = 0
        return error

    cdef int say_all(self) except -1:
        """Tell of every error through `sys.unraisablehook`: the thread that it belongs to has ended."""
        error = self.next_error()
        if error is not None:
            PyErr_SetObject(type(error), error)
            PyErr_WriteUnraisable("gpunp, for a thread that has ended")
        return 0

    cdef bint finished(self) except -1:
        """Whether no kernel writes into the ring any more; its last line is closed."""
        cdef int i
        use_context(primary_context(self.index))
        for i in range(self.window.lines):
            if cuEventQuery(self.events[(self.window.oldest + i) % LINES]) == CUresult.CUDA_ERROR_NOT_READY:
                return False
        return True

    cdef int wait(self) except -1:
        cdef CUevent event
        cdef int i
        use_context(primary_context(self.index))
        for i in range(self.window.lines):
            event = self.events[(self.window.oldest + i) % LINES]
            if event != NULL:
                with nogil:
                    cuEventSynchronize(event)
        return 0

    cdef int recycle(self) except -1:
        """Say what is left to say and give the ring to the next thread; its work has finished."""
        self.say_all()
        self.calls = [None] * (LINES * WORDS)
        self.stream = None
        self.used = self.head = self.window.oldest = 0
        self.window.lines = 1
        (<list>_free[self.index]).append(self)
        return 0


@cython.final
@cython.no_gc_clear
cdef class _ThreadRings:
    """The rings of a thread; dies with the thread, before its C thread-locals are used again."""

    cdef list rings

    def __cinit__(self):
        self.rings = []

    def __dealloc__(self):
        cdef _Ring ring
        cdef CUcontext context = NULL
        for ring in self.rings:
            # In the child of a fork, the threads that it does not have are cleared away by another thread.
            if gpunp_report_windows[ring.index] != &ring.window:
                continue
            gpunp_report_windows[ring.index] = NULL
            if is_exiting():
                continue
            # The thread, or what it runs next, keeps its context.
            cuCtxPushCurrent(primary_context(ring.index))
            try:
                # What is known already is said here, in the thread that it belongs to.
                ring.say_all()
                if ring.used:
                    ring.close()
                    (<list>_ended[ring.index]).append(ring)
                else:
                    ring.recycle()
            finally:
                cuCtxPopCurrent(&context)


cdef int _add_rings(int index) except -1:
    """Make a slab of rings for a device."""
    cdef void* memory = NULL
    cdef CUdeviceptr address = 0
    cdef _Ring ring
    cdef int i
    use_context(primary_context(index))
    # Portable and mapped: kernels write it, the host reads it without a synchronisation.
    check(cuMemHostAlloc(&memory, SLAB * LINES * WORDS * sizeof(uint32_t), 3), "cuMemHostAlloc")
    memset(memory, 0, SLAB * LINES * WORDS * sizeof(uint32_t))
    check(cuMemHostGetDevicePointer(&address, memory, 0), "cuMemHostGetDevicePointer")
    if <void*>address != memory:
        raise RuntimeError(f"cuda:{index} has no unified addressing, which gpunp needs")
    for i in range(SLAB):
        ring = _Ring.__new__(_Ring)
        ring.index = index
        ring.words = <uint32_t*>memory + i * LINES * WORDS
        ring.window.words = <uint64_t*>ring.words
        ring.window.lines = 1
        ring.window.ring = <PyObject*>ring
        ring.calls = [None] * (LINES * WORDS)
        ring.pending = []
        (<list>_free[index]).append(ring)
    return 0


cdef _Ring _open_ring(int index):
    """The ring of a thread that has none yet on the device."""
    cdef _ThreadRings mine = getattr(_local, "rings", None)
    cdef _Ring ring
    if mine is None:
        mine = _local.rings = _ThreadRings()
    _reclaim(index)
    while len(<list>_ended[index]) > MOST_ENDED:
        ring = (<list>_ended[index]).pop(0)
        ring.wait()
        ring.recycle()
    if not _free[index]:
        _add_rings(index)
    ring = (<list>_free[index]).pop()
    mine.rings.append(ring)
    gpunp_report_windows[index] = &ring.window
    return ring


cdef int _reclaim(int index) except -1:
    """Recycle the rings of ended threads whose work has finished."""
    cdef _Ring ring
    for ring in list(<list>_ended[index]):
        # Saying an error runs Python code, in which another thread may come by here.
        if ring.finished() and ring in <list>_ended[index]:
            (<list>_ended[index]).remove(ring)
            ring.recycle()
    return 0


cdef _Ring _ring_of(int index):
    """The ring of this thread, or None."""
    cdef GpunpReportWindow* window = gpunp_report_windows[index]
    return None if window == NULL else <_Ring>window.ring


cdef uint32_t* take_word(Device device, str call) except NULL:
    cdef _Ring ring = _ring_of(device.index)
    if ring is None:
        ring = _open_ring(device.index)
    return ring.take(current_stream(device.index), call)


cdef int raise_oldest(Device device) except -1:
    cdef _Ring ring
    if not gpunp_any_report(device.index):
        return 0
    ring = _ring_of(device.index)
    # What else went wrong until here is told with it, not by some later call; waiting costs nothing that matters now.
    if ring.used:
        ring.close()
    ring.wait()
    error = ring.next_error()
    if error is not None:
        raise error
    return 0


cdef int settle_ended(Device device) except -1:
    if _ended[device.index]:
        _reclaim(device.index)
    return 0

"""Status words per thread on CUDA devices: they tell which call reported an error, and in which thread.

A launch that may find an error in its data gets a word of its own in mapped host memory, which the host reads
without synchronization. Each thread has a ring of lines of 16 words. When a line is full, or the stream changes,
an event is recorded behind the launches that use its words; a line is reused only after its event. So no running
kernel can write into a word that belongs to another call by then.
"""
import _thread

from cpython.object cimport PyObject
cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset
from cuda.bindings.cydriver cimport (
    CUdeviceptr, CUevent, CUresult, cuCtxPopCurrent, cuCtxPushCurrent, CUcontext, cuEventCreate, cuEventQuery,
    cuEventRecord, cuEventSynchronize, cuMemFreeHost, cuMemHostAlloc, cuMemHostGetDevicePointer)

from gpunp.cuda.driver cimport MAX_DEVICES, check, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, stream_hooks
from gpunp.device cimport Device, report_error
from gpunp.pooling cimport print_error

cdef enum:
    WORDS = 16              # per line: 64 bytes
    LINES = 16              # per ring; LINES * WORDS launches may be in flight before the next one waits
    SLAB = 64               # rings allocated at a time
    # With more than this many rings of ended threads still in flight, a new thread waits for the oldest.
    MOST_ENDED = 64
    NO_TIMING = 2           # CU_EVENT_DISABLE_TIMING

cdef extern from *:
    """
    #include <stdint.h>
    // Per device, this thread's lines that may hold reports: `lines` of them from `oldest` on, cyclically.
    struct GpunpReportWindow {
        uint64_t* words;
        int oldest, lines;
        int pending;        // errors read but not yet raised
        PyObject* ring;     // the _Ring of this window; _ThreadRings owns the reference
    };
    static thread_local GpunpReportWindow* gpunp_report_windows[64];

    // Whether a word of the window is nonzero; a line of 16 words is 8 of 64 bits, and a ring has 16 lines.
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

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() nogil

# Of each device, how many graphs have words.
cdef int _graphs[MAX_DEVICES]
cdef int _i
for _i in range(MAX_DEVICES):
    _graphs[_i] = 0
# The addresses of those that were launched.
cdef set _words_of_graphs = set()

# Not from threading, which takes a millisecond to import.
cdef object _local = _thread._local()
# Per device: unused rings, and rings of ended threads whose kernels may still be running.
cdef list _free = [[] for _ in range(MAX_DEVICES)]
cdef list _ended = [[] for _ in range(MAX_DEVICES)]


@cython.final
@cython.no_gc_clear
cdef class _Ring:
    """The words of one thread on one device."""

    cdef GpunpReportWindow window
    cdef uint32_t* words
    cdef int head, used         # the line that words are taken from, and how many of them are taken
    cdef CUevent[LINES] events  # recorded behind the launches of each line but the head
    cdef Stream stream          # of the launches of the head line; it must live until the line is closed
    cdef int index              # of the device
    # The call of each word; None once its error was read, as later reports of other blocks repeat that error.
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
        """Close the head line and advance to a line that no kernel writes into."""
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
        """Record the event behind the launches of the head line."""
        use_context(primary_context(self.index))
        if self.events[self.head] == NULL:
            check(unlocked(host_calls.existing, cuEventCreate, &self.events[self.head], NO_TIMING), "cuEventCreate")
        return check(unlocked(host_calls.existing, cuEventRecord, self.events[self.head], self.stream.handle),
                     "cuEventRecord")

    cdef bint drop_oldest(self, CUresult result) except -1:
        """Remove the oldest line from the window unless ``result``, of its event's query, is NOT_READY."""
        if result == CUresult.CUDA_ERROR_NOT_READY:
            return False
        self.read(self.window.oldest)
        self.window.oldest = (self.window.oldest + 1) % LINES
        self.window.lines -= 1
        return True

    cdef int read(self, int line) except -1:
        """Move the reports in the words of a line to the pending errors."""
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
        """Return the oldest error, with all other known errors as notes, or None."""
        cdef int i
        for i in range(self.window.lines):
            self.read((self.window.oldest + i) % LINES)
        if not self.pending:
            return None
        # In one exception: raised by later calls, the other errors would be attributed to those calls.
        error = self.pending[0]
        for other in self.pending[1:]:
            error.add_note(f"Reported as well: {type(other).__name__}: {other}")
        self.pending.clear()
        self.window.pending = 0
        return error

    cdef int report_all(self) except -1:
        """Report every error through `sys.unraisablehook`, as the thread that caused it has ended."""
        error = self.next_error()
        if error is not None:
            print_error(error, "gpunp, for a thread that has ended")
        return 0

    cdef bint finished(self) except -1:
        """Whether no kernel can write into the ring any more; its last line must be closed."""
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
        """Report the remaining errors and free the ring for another thread; its kernels have finished."""
        self.report_all()
        self.calls = [None] * (LINES * WORDS)
        self.stream = None
        self.used = self.head = self.window.oldest = 0
        self.window.lines = 1
        (<list>_free[self.index]).append(self)
        return 0


@cython.final
@cython.no_gc_clear
cdef class _ThreadRings:
    """The rings of a thread; deallocated with the thread, before its C thread-locals are reused."""

    cdef list rings

    def __cinit__(self):
        self.rings = []

    def __dealloc__(self):
        cdef _Ring ring
        cdef CUcontext context = NULL
        for ring in self.rings:
            # In the child of a fork, another thread deallocates the rings of threads that no longer exist.
            if gpunp_report_windows[ring.index] != &ring.window:
                continue
            gpunp_report_windows[ring.index] = NULL
            if is_exiting():
                continue
            # Push and pop: the current context of the thread must not change.
            cuCtxPushCurrent(primary_context(ring.index))
            try:
                # Errors known by now are reported here, in the thread that caused them.
                ring.report_all()
                if ring.used:
                    ring.close()
                    (<list>_ended[ring.index]).append(ring)
                else:
                    ring.recycle()
            finally:
                cuCtxPopCurrent(&context)


cdef int _add_rings(int index) except -1:
    """Allocate a slab of rings for a device."""
    cdef void* memory = NULL
    cdef CUdeviceptr address = 0
    cdef _Ring ring
    cdef int i
    use_context(primary_context(index))
    # Portable and mapped: kernels write it, and the host reads it without synchronization.
    check(unlocked(host_calls.existing, cuMemHostAlloc, &memory, SLAB * LINES * WORDS * sizeof(uint32_t), 3),
          "cuMemHostAlloc")
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
    """Give the calling thread a ring on a device where it has none yet."""
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
        # Reporting an error runs Python code, during which another thread may recycle the ring.
        if ring.finished() and ring in <list>_ended[index]:
            (<list>_ended[index]).remove(ring)
            ring.recycle()
    return 0


cdef _Ring _ring_of(int index):
    """The ring of this thread, or None."""
    cdef GpunpReportWindow* window = gpunp_report_windows[index]
    return None if window == NULL else <_Ring>window.ring


cdef uint32_t* take_word(Device device, str call) except NULL:
    cdef _Ring ring
    cdef Stream stream = current_stream(device.index)
    if stream.capture is not None:
        return stream_hooks.word(stream, call)
    ring = _ring_of(device.index)
    if ring is None:
        ring = _open_ring(device.index)
    return ring.take(stream, call)


cdef int raise_oldest(Device device) except -1:
    cdef _Ring ring
    if _graphs[device.index]:
        _raise_of_graphs(device.index)
    if not gpunp_any_report(device.index):
        return 0
    ring = _ring_of(device.index)
    # Wait, so that all errors up to here are raised together; after an error the wait does not matter.
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


@cython.no_gc_clear
cdef class GraphWords:
    """The words of the launches in a graph. They are used again by every launch of the graph."""

    def __init__(self, int index):
        self.index = index
        self.slabs, self.calls = [], []

    def __dealloc__(self):
        cdef CUcontext context = NULL
        cdef size_t place
        if is_exiting():
            return
        if self.registered:
            _graphs[self.index] -= 1
            # Other threads, which run below, must not find this object any more.
            _words_of_graphs.discard(<size_t><void*>self)
        if self.slabs:
            cuCtxPushCurrent(primary_context(self.index))
            for address in self.slabs:
                # The driver waits for launches that are running, and they perhaps for the interpreter's lock.
                place = address
                with nogil:
                    cuMemFreeHost(<void*>place)
            cuCtxPopCurrent(&context)

    cdef uint32_t* take(self, str call) except NULL:
        cdef void* memory = NULL
        cdef Py_ssize_t place
        # Several threads may launch what one graph records.
        while len(self.calls) == len(self.slabs) * WORDS * LINES:
            use_context(primary_context(self.index))
            check(unlocked(host_calls.existing, cuMemHostAlloc, &memory, WORDS * LINES * sizeof(uint32_t), 3),
                  "cuMemHostAlloc")
            memset(memory, 0, WORDS * LINES * sizeof(uint32_t))
            self.slabs.append(<size_t>memory)
        place = len(self.calls)
        self.calls.append(call)
        return <uint32_t*><size_t>self.slabs[place // (WORDS * LINES)] + place % (WORDS * LINES)

    cdef int launched(self) except -1:
        if self.calls:
            self.thread = PyThread_get_thread_ident()
            if not self.registered:
                self.registered = True
                _graphs[self.index] += 1
                _words_of_graphs.add(<size_t><void*>self)
        return 0

    cdef object next_error(self):
        """The first error that the launches have reported, with others as notes; None if there is none."""
        cdef int i
        cdef uint32_t bits
        error = None
        for i in range(len(self.calls)):
            bits = gpunp_exchange(<uint32_t*><size_t>self.slabs[i // (WORDS * LINES)] + i % (WORDS * LINES))
            if bits == 0:
                continue
            found = report_error(bits, <str>self.calls[i], True)
            if error is None:
                error = found
            else:
                error.add_note(f"Reported as well: {type(found).__name__}: {found}")
        return error


cdef int _raise_of_graphs(int index) except -1:
    """Raise an error that launches of a graph by this thread have reported."""
    cdef GraphWords words
    for address in tuple(_words_of_graphs):
        # Making an error runs Python code, during which a graph may be dropped.
        if address not in _words_of_graphs:
            continue
        words = <GraphWords><PyObject*><size_t>address
        if words.index == index and words.thread == PyThread_get_thread_ident():
            error = words.next_error()
            if error is not None:
                raise error
    return 0

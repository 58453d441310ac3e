"""The trace of a device: elementwise operations that were called and have not run yet.

`record` is called by the ufunc engine once all errors of a call are raised. What is recorded runs at the latest when
somebody reads or writes memory by other means: the address of an array, a launch, a copy, a synchronization. Then
`flush` divides the trace into groups of operations that one kernel can compute and runs one group after the other.
"""
import _thread

from cpython.contextvars cimport get_value
from cpython.object cimport PyObject
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memmove, memset

from gpunp.array.strides cimport product
from gpunp.device cimport (
    BY_KERNEL, BY_LENGTH, BY_LOOP, BY_PAUSE, BY_READ, BY_STREAM, Buffer, Device, device_hooks, flush_because,
)
from gpunp.fusion.group_runs cimport run_group
from gpunp.fusion.habits cimport habit_of, is_futile, is_revisited, learn, rests
from gpunp.fusion.nodes cimport is_injective, is_recordable, set_place
from gpunp.fusion.observing cimport (
    NOT_APART, NOT_AXES, NOT_FEW_INPUTS, NOT_FULL, NOT_LARGE, NOT_NOW, NOT_ON, NOT_ONE_OUTPUT, NOT_OURS,
    NOT_QUEUE, NOT_SILENT, NOT_THREAD, NOT_WORTH, announce, attention, function_name, in_function, observed,
    tell_all, tell_refusal,
)
from gpunp.fusion.sites cimport begin_at_caller, caller_again
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, fusion_hooks
from gpunp.watching cimport watches, written

from gpunp.dispatch.policy import changed, chosen, overrides

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() nogil

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef class Trace:
    """The deferred operations of a device, in the order of their calls."""

    def __cinit__(self, Device device):
        self.device = device
        self.lock = _thread.allocate_lock()
        self.nodes = <Node*>calloc(TRACE_NODES, sizeof(Node))
        if self.nodes == NULL:
            raise MemoryError()

    def __dealloc__(self):
        # Devices live as long as the process, so the nodes hold no references when this runs.
        free(self.nodes)


cdef Trace trace_of(Device device):
    if device.trace is None:
        device.trace = Trace(device)
    return <Trace>device.trace


# Whether the thread of gpunp/fusion/watch.py waits to be woken, and what wakes it.
cdef bint watch_sleeps = True
cdef object _wake = None


cdef int _wake_watch() except -1:
    global watch_sleeps, _wake
    watch_sleeps = False
    if _wake is None:
        from gpunp.fusion import watch
        _wake = watch.wake
    _wake()
    return 0


def let_watch_sleep():
    """Have the next deferred operation wake the thread that watches; called by it."""
    global watch_sleeps
    watch_sleeps = True


def run_deferred(Device device not None):
    """Run what is deferred on a device; not if it is checked, as the program has to get the error."""
    if not trace_of(device).checked:
        flush_because(device, BY_PAUSE)


def counts_of(Device device not None):
    """What has happened on a device since the last reset; a dict of the fields of Counts."""
    return trace_of(device).counts


def reset_counts(Device device not None):
    """Count from zero again."""
    memset(&trace_of(device).counts, 0, sizeof(Counts))


def forget_habits(Device device not None):
    """Let what is deferred on a device not depend on which calls have gained nothing by it before."""
    cdef Trace trace = trace_of(device)
    memset(&trace.habits, 0, sizeof(trace.habits))
    memset(&trace.visited, 0, sizeof(trace.visited))
    trace.strange = trace.rest = trace.rested = 0


cdef bint _is_of_rows(Loop loop, Device device, const Operand* operands, int ndim,
                      const Py_ssize_t* shape) noexcept:
    """Whether an operation takes values that a deferred reduction will compute, and computes as many."""
    cdef Trace trace
    cdef Py_ssize_t size
    cdef int k
    if device.pending == 0:
        return False
    trace = <Trace>device.trace
    if trace.folds == 0 or trace.running:
        return False
    size = product(ndim, shape)
    for k in range(trace.first, trace.count):
        if trace.nodes[k].fold != NULL and trace.nodes[k].place[OUTPUT].size == size:
            break
    else:
        return False
    for k in range(loop.nin):
        if not operands[k].scalar and (<Buffer>operands[k].buffer).writes:
            return True
    return False


cdef bint _rests(Device device, Py_ssize_t size) noexcept:
    """Whether an operation is not deferred, as those before it only made new groups."""
    return (device.trace is not None and device.least_elements > 1 and rests(<Trace>device.trace, size)
            and not (attention and in_function()))


cdef int record(Loop loop, Device device, const ElementwiseParams* params, const Operand* operands,
                const Operand* mask, int ndim, const Py_ssize_t* shape) except -1:
    cdef Py_ssize_t size
    if attention:
        return _record_attended(loop, device, params, operands, mask, ndim, shape)
    size = product(ndim, shape)
    if _rests(device, size):
        (<Trace>device.trace).rest -= 1
        return 0
    if size < device.least_elements and not _is_of_rows(loop, device, operands, ndim, shape):
        return 0
    return _defer(loop, device, params, operands, mask, ndim, shape, -1) == 0


cdef int _record_attended(Loop loop, Device device, const ElementwiseParams* params, const Operand* operands,
                          const Operand* mask, int ndim, const Py_ssize_t* shape) except -1:
    """The same, for an observer or a decorated function: called for operations of any size."""
    cdef long long number = announce(loop, operands, mask, ndim, shape) if observed else -1
    cdef Py_ssize_t size = product(ndim, shape)
    cdef int reason
    if device.least_elements == PY_SSIZE_T_MAX:
        reason = NOT_ON
    elif (size < device.least_elements and not in_function()
            and not _is_of_rows(loop, device, operands, ndim, shape)):
        reason = NOT_LARGE
        if size == 1 and loop.copies and not operands[0].scalar and (<Buffer>operands[0].buffer).writes:
            # An element is read, for which deferred operations will run.
            device.flush_reason = BY_READ
    elif _rests(device, size):
        (<Trace>device.trace).rest -= 1
        reason = NOT_WORTH
    else:
        reason = _defer(loop, device, params, operands, mask, ndim, shape, number)
    if reason and number >= 0:
        tell_refusal(number, reason)
    return reason == 0


# As C variables, since they are needed for each call.
cdef dict _chosen = chosen
cdef object _overrides = overrides


cdef object _mode():
    """`config.fusion`; its own attribute takes longer than deferring a call."""
    cdef dict local = get_value(_overrides)
    mode = None if local is None else local.get("fusion")
    return _chosen["fusion"] if mode is None else mode


cdef int join(Trace trace, Device device, bint urgent) except -1:
    if "fusion" in changed:
        mode = _mode()
        if mode == "off":
            return NOT_ON
        trace.checked = mode == "check"
    queue = device.queue()
    if queue is None:
        return NOT_QUEUE
    if trace.count:
        # The operations of a second thread run at once: mixed chains would not come again.
        if trace.thread != PyThread_get_thread_ident():
            return NOT_THREAD
        if trace.count == TRACE_NODES:
            flush_because(device, BY_LENGTH)
        elif queue is not trace.queue:
            flush_because(device, BY_STREAM)
        elif caller_again(trace):
            flush_because(device, BY_LOOP)
    if trace.count == 0:
        if watch_sleeps:
            _wake_watch()
        begin_at_caller(trace)
        # Tests that defer operations of any size want all of them deferred.
        if device.least_elements > 1 and not urgent and is_futile(habit_of(trace), &trace.callers[0]):
            return NOT_WORTH
        name = function_name() if urgent else None
    # What is above may run Python code, and so other threads. From here on, nothing does.
    if trace.running:
        return NOT_NOW
    if trace.count == 0:
        trace.queue = queue
        trace.thread = PyThread_get_thread_ident()
        trace.useful = False
        trace.revisited = is_revisited(trace)
        trace.name = name
    elif trace.count == TRACE_NODES or queue is not trace.queue or trace.thread != PyThread_get_thread_ident():
        return NOT_FULL
    trace.urgent = urgent or trace.checked
    return 0


cdef int _defer(Loop loop, Device device, const ElementwiseParams* params, const Operand* operands,
                const Operand* mask, int ndim, const Py_ssize_t* shape, long long number) except -1:
    """Defer an operation and return 0, or return why it must run now."""
    cdef Trace trace = trace_of(device)
    cdef Node* node
    cdef int k
    cdef bint urgent = attention and in_function()
    if loop.nout != 1:
        return NOT_ONE_OUTPUT
    if loop.nin > OUTPUT:
        return NOT_FEW_INPUTS
    if loop.reports:
        return NOT_SILENT
    if ndim > TRACE_NDIM:
        return NOT_AXES
    if trace.running:
        return NOT_NOW
    for k in range(loop.nin + 1):
        if not operands[k].scalar and not is_recordable(&operands[k]):
            return NOT_OURS
    if mask != NULL and not is_recordable(mask):
        return NOT_OURS
    if not is_injective(&operands[loop.nin]):
        return NOT_APART
    k = join(trace, device, urgent)
    if k:
        return k
    node = &trace.nodes[trace.count]
    node.loop = <PyObject*>loop
    node.fold = NULL
    node.number = number
    node.ndim = ndim
    memcpy(node.shape, shape, ndim * sizeof(Py_ssize_t))
    for k in range(PLACES):
        node.place[k].buffer = NULL
    for k in range(loop.nin):
        if operands[k].scalar:
            node.place[k].code = loop.codes[k]
            memcpy(node.scalar[k], params.scalar[k], 16)
        else:
            set_place(&node.place[k], &operands[k], writes=False)
    set_place(&node.place[OUTPUT], &operands[loop.nin], writes=True)
    if mask != NULL:
        set_place(&node.place[CONDITION], mask, writes=False)
    trace.count += 1
    trace.counts.recorded += 1
    device.pending = trace.count
    if watches:
        # This may free memory, and so run Python code.
        written(<Buffer>operands[loop.nin].buffer)
    return 0


cdef size_t _pending_bytes(Device device) noexcept:
    cdef Trace trace = <Trace>device.trace
    cdef PyObject* pointer
    cdef size_t total = 0
    cdef int i, j
    if trace.running:
        # The nodes are on the move.
        return 0
    for i in range(trace.count):
        pointer = trace.nodes[i].place[OUTPUT].buffer
        for j in range(i):
            if trace.nodes[j].place[OUTPUT].buffer == pointer:
                break
        else:
            if (<Buffer>pointer).ptr == NULL:
                total += (<Buffer>pointer).nbytes
    return total


cdef int begin(Trace trace) except -1:
    trace.lock.acquire()
    trace.runner = PyThread_get_thread_ident()
    trace.running = True
    return 0


cdef int end(Trace trace) except -1:
    events = trace.events
    trace.events = None
    trace.running = False
    trace.lock.release()
    if events is not None:
        tell_all(events)
    return 0


cdef int flush(Device device) except -1:
    """Run what is deferred. If that fails, the rest stays deferred, and the next use of the device tries again.

    Returns 1 if this thread runs it already and calls this from within, as a memory hook may: that goes on later.
    """
    cdef Trace trace = trace_of(device)
    if trace.running and trace.runner == PyThread_get_thread_ident():
        return 1
    begin(trace)
    trace.reason = device.flush_reason
    device.flush_reason = BY_KERNEL
    try:
        return run_first(trace, trace.count)
    finally:
        end(trace)


cdef int run_first(Trace trace, int count) except -1:
    cdef Device device = trace.device
    cdef int ran
    if count == 0:
        return 0
    before = device.exchange_queue(trace.queue)
    try:
        while trace.first < count:
            run_group(trace)
    finally:
        device.exchange_queue(before)
        ran = trace.first
        trace.count -= ran
        if trace.count:
            memmove(trace.nodes, trace.nodes + trace.first, trace.count * sizeof(Node))
        else:
            trace.queue = None
            trace.runs += 1
            learn(habit_of(trace), trace)
        trace.first = 0
        if trace.folds:
            trace.folds = _folds_of(trace)
        trace.apart = max(0, trace.apart - ran)
        device.pending = trace.count
    return 0


cdef int _folds_of(Trace trace) noexcept:
    cdef int k, folds = 0
    for k in range(trace.count):
        folds += trace.nodes[k].fold != NULL
    return folds


fusion_hooks.record = record
fusion_hooks.rests = _rests
device_hooks.flush = flush
device_hooks.pending_bytes = _pending_bytes

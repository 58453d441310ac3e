"""Devices, the memory they own and the kernels they run.

Repeated calls of ``Device("cuda", 0)`` or ``Device("cpu")`` return the same object. The current device is
a property of the thread; a thread that never chose one uses the default of the process: ``GPUNP_DEVICE``,
else the first CUDA device, else the CPU.
"""
import _thread
import os
import warnings

from cpython.object cimport PyObject
from libc.stdint cimport uint32_t

from gpunp.device_type cimport gpunp_install_new

# Not from threading, which takes a millisecond to import.
cdef object _lock = _thread.RLock()
cdef dict _devices = {}
cdef Device _default = None
cdef object _local = _thread._local()

cdef extern from *:
    """
    // The device that this thread chose; _local holds the reference.
    static thread_local PyObject* gpunp_chosen_device = NULL;
    """
    PyObject* gpunp_chosen_device

cdef extern from "Python.h":
    ctypedef struct NamedType "PyTypeObject":
        const char* tp_name
    unsigned long Py_TPFLAGS_HEAPTYPE


cdef class Buffer:
    """Memory on a device, freed with the last array that uses it."""

    @property
    def address(self):
        """Address of the first byte, an integer."""
        return <size_t>self.ptr

    def __getattr__(self, name):
        # The names that memory has in `gpunp.cuda`; ``ptr`` is a field here.
        if name == "ptr":
            return <size_t>self.ptr
        if name == "size":
            return self.nbytes
        if name == "device_id":
            return self.device.index
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self):
        return f"<Buffer of {self.nbytes} bytes on {self.device}>"


cdef size_t _next_reserved = RESERVED
cdef long long _launches = 0
# Of every device; set by gpunp/deferring.py.
cdef Py_ssize_t _least_elements = 1 << 16
cdef Py_ssize_t _deferred_elements = 1 << 16


def set_limits(Py_ssize_t least, Py_ssize_t asked):
    """Set the fewest elements of deferred operations, and of those for which fusion is asked, on all devices."""
    global _least_elements, _deferred_elements
    cdef Device device
    _least_elements, _deferred_elements = least, asked
    for device in list(_devices.values()):
        device.least_elements, device.deferred_elements = least, asked


def living_devices():
    """A list of the devices that have been used."""
    return list(_devices.values())


def launch_count():
    """How many kernels `Device.launch` has started, on all devices. Ufuncs and vendor libraries do not use it."""
    return _launches


def flush_devices():
    """Run the deferred operations of all devices."""
    cdef Device device
    for device in list(_devices.values()):
        flush_because(device, BY_REQUEST)


cdef size_t pending_bytes_of(Device device) noexcept:
    return device_hooks.pending_bytes(device) if device.pending else 0


cdef int provide(Buffer buffer) except -1:
    cdef Buffer memory
    if buffer.ptr == NULL and buffer.reserved:
        memory = buffer.device.allocate(buffer.nbytes)
        # Another thread may have done the same meanwhile.
        if buffer.ptr == NULL:
            buffer.memory = memory
            buffer.ptr = memory.ptr
    return 0


cdef class Kernel:
    """A precompiled function: an entry point of a fatbin or of the host library."""

    def __repr__(self):
        return f"<Kernel {self.unit}/{self.name}>"


# Functions that make on a device, before a graph is captured, what a capture cannot make because it waits.
preparations = []

# Status bit (kernels/include/gpunp/status.h) to its exception and message, in ascending order of the bits.
cdef dict _reports = {}


def register_report(uint32_t bit, type exception, str message):
    """Register the error of a status bit; called on import of the module whose kernels report the bit.

    Parameters
    ----------
    bit : int
        One of `kernels/include/gpunp/status.h`.
    exception : type
        Type of the error that the call, or a later one, raises.
    message : str
        What went wrong and what to do; the name of the call is prepended.

    Raises
    ------
    ValueError
        For a bit that is registered with another meaning.
    """
    global _reports
    meaning = exception, message
    if _reports.setdefault(bit, meaning) != meaning:
        raise ValueError(f"status bit {bit:#x} is registered already: {_reports[bit]}")
    _reports = dict(sorted(_reports.items()))


cdef object report_error(uint32_t bits, str call, bint later):
    found = [meaning for bit, meaning in _reports.items() if bits & <uint32_t>bit]
    if not found:
        return RuntimeError(f"{call}: a kernel reported the unknown status {bits:#x}")
    exception, message = found[0]
    error = exception(f"{call}: {message}")
    for _, message in found[1:]:
        error.add_note(f"{call} also reported: {message}")
    if later:
        error.add_note(f"Raised by a later call: kernels run after the call that started them ({call}) returned.")
    return error


cdef class Device:
    """A place where arrays live and kernels run.

    Parameters
    ----------
    kind : {"cuda", "cpu"} or Device or str
        A string may carry the index: ``"cuda:1"``.
    index : int, optional
        Index of the CUDA device; the CPU has only index 0.

    Raises
    ------
    ValueError
        For an unknown kind or an index that the machine does not have.
    RuntimeError
        For a CUDA device if the driver cannot be loaded, or gpunp was built without CUDA.
    """

    def __cinit__(self, *ignored, **also_ignored):
        self.least_elements, self.deferred_elements = _least_elements, _deferred_elements

    cdef Buffer allocate(self, size_t nbytes):
        raise NotImplementedError

    cdef Kernel kernel(self, str unit, str name):
        raise NotImplementedError

    cdef size_t room(self) except? 0:
        return <size_t>-1

    cdef Buffer reserve(self, size_t nbytes):
        global _next_reserved
        cdef Buffer buffer = Buffer.__new__(Buffer)
        # The addresses of living buffers differ, as there is room for 2^61 bytes before they repeat.
        if _next_reserved - RESERVED > <size_t>RESERVED // 2:
            _next_reserved = RESERVED
        buffer.reserved = _next_reserved
        _next_reserved += (nbytes + 511) & ~<size_t>255
        buffer.nbytes = nbytes
        buffer.device = self
        return buffer

    cdef int launch(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                    unsigned int block, unsigned int shared_bytes,
                    const void* params, size_t params_nbytes) except -1:
        global _launches
        _launches += 1
        if self.pending:
            self.flush()
        return self.start(kernel, grid_x, grid_y, grid_z, block, shared_bytes, params, params_nbytes)

    cdef int start(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block, unsigned int shared_bytes,
                   const void* params, size_t params_nbytes) except -1:
        raise NotImplementedError

    cdef int flush(self) except -1:
        if self.pending:
            return device_hooks.flush(self)
        return 0

    cdef object queue(self):
        raise NotImplementedError

    cdef object exchange_queue(self, object queue):
        raise NotImplementedError

    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1:
        raise NotImplementedError

    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1:
        raise NotImplementedError

    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1:
        raise NotImplementedError

    cdef int copy_to_peer(self, Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1:
        raise NotImplementedError

    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1:
        raise NotImplementedError

    cdef int synchronize_stream(self) except -1:
        raise NotImplementedError

    cdef uint32_t* report_word(self, str call) except NULL:
        raise NotImplementedError

    cdef int raise_report(self) except -1:
        raise NotImplementedError

    cdef object host_empty(self, tuple shape, object dtype):
        """An uninitialized host array into which downloads from this device are fast."""
        import numpy
        return numpy.empty(shape, dtype)

    @property
    def pending_bytes(self):
        """Bytes of the results of deferred operations that have no memory yet, including those that will need none."""
        return pending_bytes_of(self)

    def lasting_memory(self, size_t nbytes):
        """A buffer for as long as the process lives, which comes from no allocator that the program chose."""
        return self.allocate(nbytes)

    @property
    def id(self):
        """The index of the device within its kind."""
        return self.index

    def synchronize(self):
        """Wait until everything queued on this device is done, on all streams."""
        self.synchronize_stream()

    def use(self):
        """Make this the current device of the calling thread."""
        _choose(self)

    def __enter__(self):
        stack = getattr(_local, "stack", None)
        if stack is None:
            stack = _local.stack = []
        stack.append(getattr(_local, "device", None))
        self.use()
        return self

    def __exit__(self, *exc):
        _choose(_local.stack.pop())

    def __reduce__(self):
        return Device, (self.kind, self.index)

    def __eq__(self, other):
        # There is one object per device, so compare identity; array API code also compares with names.
        if isinstance(other, Device):
            return self is other
        if isinstance(other, str):
            return other == str(self) or (self.is_cpu and other == "cpu")
        return NotImplemented

    def __hash__(self):
        return hash((self.kind, self.index))

    def __str__(self):
        return "cpu" if self.is_cpu else f"{self.kind}:{self.index}"

    def __repr__(self):
        return "Device('cpu')" if self.is_cpu else f"Device('{self.kind}', {self.index})"


cdef Device _find(object kind, object index):
    """Return the device of a kind and index, created at its first use."""
    if isinstance(kind, Device):
        return kind
    if isinstance(kind, str) and ":" in kind and index is None:
        kind, _, digits = kind.partition(":")
        if not digits.isdigit():
            raise ValueError(f"Device: {kind}:{digits} is not a device; write for example 'cuda:0'")
        index = int(digits)
    if kind not in ("cuda", "cpu"):
        raise ValueError(f"Device: unknown kind {kind!r}; use 'cuda' or 'cpu'")
    index = 0 if index is None else index
    key = (kind, index)
    found = _devices.get(key)
    if found is not None:
        return found
    with _lock:
        found = _devices.get(key)
        if found is None:
            if kind == "cpu":
                if index != 0:
                    raise ValueError(f"Device: the CPU is one device; index {index} does not exist, use 0")
                from gpunp.cpu.device import CpuDevice
                found = CpuDevice()
            else:
                try:
                    from gpunp.cuda.device import CudaDevice
                except ImportError as error:
                    raise RuntimeError("a CUDA device needs gpunp built with CUDA and the cuda-bindings package "
                                       f"({error})") from error
                found = CudaDevice(index)
            _devices[key] = found
    return found


cdef Device _choose_default():
    """Return GPUNP_DEVICE, else the first CUDA device, else the CPU, with one warning that says why."""
    wanted = os.environ.get("GPUNP_DEVICE", "").strip().lower()
    if wanted:
        return _find(wanted, None)
    try:
        return _find("cuda", 0)
    except Exception as error:
        warnings.warn(f"gpunp: no CUDA device ({error}); arrays live on the CPU device. "
                      "Set GPUNP_DEVICE=cpu to choose it without this warning.", RuntimeWarning, stacklevel=2)
        return _find("cpu", 0)


cdef int _choose(object device) except -1:
    """Make a device the current one of the thread; None restores the default of the process."""
    global gpunp_chosen_device
    _local.device = device
    gpunp_chosen_device = <PyObject*>NULL if device is None else <PyObject*>device
    return 0


cdef Device current_device():
    """Return the device on which this thread creates arrays."""
    global _default
    if gpunp_chosen_device != NULL:
        return <Device>gpunp_chosen_device
    if _default is None:
        with _lock:
            if _default is None:
                _default = _choose_default()
    return _default


cdef Device as_device(object value):
    """Return the device of a ``device=`` argument; None is the current device."""
    if value is None:
        return current_device()
    if isinstance(value, Device):
        return <Device>value
    if isinstance(value, str):
        return _find(value, None)
    raise TypeError(f"device must be a gpunp.Device or a string such as 'cuda:0', not {type(value).__name__}")


def get_device(value=None):
    """Return the device that ``value`` names, by default the current device of this thread.

    Parameters
    ----------
    value : Device, str or None, optional
        A device, or its name such as ``'cuda:1'`` or ``'cpu'``; None is the current one.

    Returns
    -------
    Device

    Raises
    ------
    RuntimeError
        If there is no such device; the message says why.
    """
    return as_device(value)


cdef list _names = []


def set_public_name(type cls, str name):
    """Give a class the dotted name that users import it by."""
    cdef bytes text
    if cls.__flags__ & Py_TPFLAGS_HEAPTYPE:
        cls.__module__, _, cls.__name__ = name.rpartition(".")
        cls.__qualname__ = cls.__name__
    else:
        # A static type: the text must stay alive for the life of the process.
        text = name.encode()
        _names.append(text)
        (<NamedType*>cls).tp_name = <const char*>text


def _requested(kind=None, index=None):
    if kind is None and index is None:
        return current_device()
    return _find(kind, index)


gpunp_install_new(Device, _requested)

"""Checked calls of the CUDA driver, and the primary contexts."""
import atexit

from cpython.object cimport PyObject
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUcontext, CUdevice, CUdeviceptr, CUpointer_attribute, CUresult, cuCtxPopCurrent, cuCtxPushCurrent,
    cuDeviceGet, cuDeviceGetCount, cuDevicePrimaryCtxRetain, cuDriverGetVersion, cuGetErrorName,
    cuGetErrorString, cuInit, cuPointerGetAttribute)

from gpunp.device cimport Device, current_device

cdef enum:
    # The CUDA version that the kernels and the driver bindings are built for.
    OLDEST_DRIVER = 13000

cdef bint _ready = False
cdef bint _exiting = False
cdef CUcontext _contexts[MAX_DEVICES]
cdef int _i
for _i in range(MAX_DEVICES):
    _contexts[_i] = NULL


class CUDADriverError(RuntimeError):
    """Error of a failed call of the CUDA driver.

    Attributes
    ----------
    call : str
        The driver function.
    name : str
        The driver's name for the error, such as ``"CUDA_ERROR_INVALID_VALUE"``.
    code : int
        Its number.
    """

    def __init__(self, message, call="", name="", code=0):
        super().__init__(message)
        self.call = call
        self.name = name
        self.code = code

    def __reduce__(self):
        return type(self), (self.args[0], self.call, self.name, self.code)


@atexit.register
def _leave():
    global _exiting
    _exiting = True


cdef bint is_exiting() noexcept nogil:
    return _exiting


# Errors after which every call of the process fails, to what a kernel did.
cdef dict _STICKY = {
    700: "a kernel accessed memory it should not have",
    702: "a kernel ran longer than the display driver allows",
    710: "an assertion in a kernel failed",
    714: "a kernel overflowed its stack",
    715: "a kernel ran an illegal instruction",
    716: "a kernel accessed memory at an address that is not a multiple of the element's size",
    717: "a kernel used an address of another memory space",
    718: "a kernel jumped to an invalid address",
    719: "a kernel trapped or accessed memory it should not have",
}

cdef enum:
    RECENT = 4

# The names of the users' kernels that were launched last, the latest first. The names live for ever in _names.
cdef PyObject* _recent[RECENT]
cdef dict _names = {}
for _i in range(RECENT):
    _recent[_i] = NULL


cdef PyObject* permanent_name(str name):
    cdef object kept = _names.setdefault(name, name)
    return <PyObject*>kept


cdef void note_launch(PyObject* name) noexcept:
    cdef int i
    if _recent[0] == name:
        return
    for i in range(1, RECENT - 1):
        if _recent[i] == name:
            break
    else:
        i = RECENT - 1
    while i:
        _recent[i] = _recent[i - 1]
        i -= 1
    _recent[0] = name


def recent_launches():
    """The names of the users' kernels that were launched last, the latest first; at most four.

    Returns
    -------
    list of str
    """
    return [<object>_recent[i] for i in range(RECENT) if _recent[i] != NULL]


cdef int fail(CUresult result, const char* call) except -1:
    cdef const char* name = NULL
    cdef const char* description = NULL
    cdef str what = call.decode()
    cuGetErrorName(result, &name)
    cuGetErrorString(result, &description)
    label = name.decode() if name != NULL else f"error {<int>result}"
    reason = description.decode() if description != NULL else "unknown error"
    message = f"{what} failed: {label} ({reason})"
    if result in _STICKY:
        launched = recent_launches()
        suspects = f" (your own kernels launched last, latest first: {', '.join(launched)})" if launched else ""
        message = (f"{what} failed: {label} ({reason}); {_STICKY[result]}{suspects}, and every later CUDA call of this "
                   "process fails: restart it. compute-sanitizer shows the place")
    raise CUDADriverError(message, what, label, <int>result)


cdef int initialize() except -1:
    global _ready
    cdef int version = 0
    cdef CUresult result
    if _ready:
        return 0
    try:
        check(cuDriverGetVersion(&version), "cuDriverGetVersion")
    except CUDADriverError:
        raise
    except RuntimeError as error:
        raise CUDADriverError(
            f"the NVIDIA driver library libcuda.so.1 cannot be used ({error}): install the NVIDIA driver, or "
            "choose the CPU device with GPUNP_DEVICE=cpu", "dlopen", "LIBCUDA_NOT_FOUND", -1) from None
    if version < OLDEST_DRIVER:
        raise CUDADriverError(
            f"the NVIDIA driver is for CUDA {version // 1000}.{version % 1000 // 10}, gpunp needs "
            f"{OLDEST_DRIVER // 1000}.0 or newer: update the driver, or choose the CPU device with "
            "GPUNP_DEVICE=cpu", "cuDriverGetVersion", "DRIVER_TOO_OLD", version)
    with nogil:
        result = cuInit(0)
    if result == 100:
        raise CUDADriverError(
            "no CUDA device is visible (CUDA_ERROR_NO_DEVICE): check nvidia-smi and CUDA_VISIBLE_DEVICES, or "
            "choose the CPU device with GPUNP_DEVICE=cpu", "cuInit", "CUDA_ERROR_NO_DEVICE", 100)
    check(result, "cuInit")
    _ready = True
    return 0


cdef CUcontext primary_context(int index) except NULL:
    cdef CUdevice device = 0
    cdef CUcontext context = NULL
    cdef CUresult result
    if 0 <= index < MAX_DEVICES and _contexts[index] != NULL:
        return _contexts[index]
    initialize()
    count = device_count()
    if not 0 <= index < min(count, MAX_DEVICES):
        raise ValueError(f"Device: there is no CUDA device {index}; this process sees {count}: "
                         f"0 to {count - 1}")
    check(cuDeviceGet(&device, index), "cuDeviceGet")
    from gpunp.early_imports import EarlyImports
    with EarlyImports():
        with nogil:
            result = cuDevicePrimaryCtxRetain(&context, device)
    check(result, "cuDevicePrimaryCtxRetain")
    _contexts[index] = context
    return context


cdef int index_of(object device) except -1:
    cdef Device current
    if device is None:
        current = current_device()
        return 0 if current.is_cpu else current.index
    if isinstance(device, Device):
        if (<Device>device).is_cpu:
            raise ValueError("a CUDA device is needed here, not the CPU device")
        return (<Device>device).index
    number = int(device)
    # Validates the index, which callers use in tables of MAX_DEVICES entries.
    primary_context(number)
    return number


cdef class ForeignCalls:
    """Context manager that makes a device current for calls of other libraries, then restores the previous context.

    Parameters
    ----------
    index : int
        Index of the CUDA device.
    """

    cdef CUcontext context

    def __init__(self, index):
        self.context = primary_context(index)

    def __enter__(self):
        check(cuCtxPushCurrent(self.context), "cuCtxPushCurrent")
        return self

    def __exit__(self, *exc):
        cdef CUcontext context = NULL
        check(cuCtxPopCurrent(&context), "cuCtxPopCurrent")


def device_of_pointer(uintptr_t pointer):
    """Index of the device that CUDA memory is on; None for other memory and for a null pointer."""
    cdef int index = 0
    initialize()
    if pointer == 0 or cuPointerGetAttribute(
            &index, CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, <CUdeviceptr>pointer) != 0:
        return None
    return index if 0 <= index < MAX_DEVICES else None


def device_count():
    """The number of CUDA devices this process sees.

    Returns
    -------
    int

    Raises
    ------
    CUDADriverError
        If the driver is missing or sees no device.
    """
    cdef int count = 0
    initialize()
    check(cuDeviceGetCount(&count), "cuDeviceGetCount")
    return count


def driver_version():
    """The CUDA version that the driver supports, as ``(major, minor)``."""
    cdef int version = 0
    initialize()
    check(cuDriverGetVersion(&version), "cuDriverGetVersion")
    return version // 1000, version % 1000 // 10


def is_available():
    """Whether a usable CUDA device is present; never raises."""
    try:
        return device_count() > 0
    except Exception:
        return False


def make_current(device=None):
    """Make the context of a CUDA device, by default of the current one, the driver's current one in this thread."""
    use_context(primary_context(index_of(device)))


def raise_for(int result, str call not None):
    """Raise CUDADriverError for a result of the driver other than 0."""
    if result:
        fail(<CUresult>result, call.encode())


def is_leaving():
    """Whether the interpreter is exiting, when nothing is freed any more."""
    return bool(_exiting)


waits_forbidden = 0


cdef object _refuse = None


def forbid_waits(int count, refuse):
    """Set how many threads must not wait for a device, and what raises in them; called by `gpunp.allow_synchronize`."""
    global waits_forbidden, _refuse
    waits_forbidden, _refuse = count, refuse


cdef int refuse_wait(str call) except -1:
    _refuse(call)
    return 0

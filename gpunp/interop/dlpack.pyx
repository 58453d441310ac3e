"""DLPack 1.x capsules: export of arrays to capsules, and import of capsules as arrays.

`gpunp.interop.exchange` chooses the device, version and stream of a capsule.
"""
from cpython.exc cimport PyErr_SetObject
from cpython.pycapsule cimport (
    PyCapsule_CheckExact,
    PyCapsule_GetPointer,
    PyCapsule_IsValid,
    PyCapsule_New,
    PyCapsule_SetName,
)
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc

from gpunp.array.dtype import DTYPES
from gpunp.array.layout import empty
from gpunp.array.ndarray cimport MAX_NDIM, ndarray, unmarked_copy
from gpunp.device cimport BY_EXPORT, flush_because
from gpunp.dtype_codes cimport NUM_DTYPES
from gpunp.array.transfer import wrap_pointer
from gpunp.device import get_device
from gpunp.watching cimport shared_of

cdef extern from "Python.h":
    int Py_IsInitialized() nogil

# The struct layouts that the DLPack specification defines.
cdef struct DLPackVersion:
    uint32_t major
    uint32_t minor

cdef struct DLDevice:
    int32_t device_type
    int32_t device_id

cdef struct DLDataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct DLTensor:
    void* data
    DLDevice device
    int32_t ndim
    DLDataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

cdef struct DLManagedTensor:
    DLTensor dl_tensor
    void* manager_ctx
    void (*deleter)(DLManagedTensor*) noexcept nogil

cdef struct DLManagedTensorVersioned:
    DLPackVersion version
    void* manager_ctx
    void (*deleter)(DLManagedTensorVersioned*) noexcept nogil
    uint64_t flags
    DLTensor dl_tensor

cdef enum:
    READ_ONLY = 1
    IS_COPIED = 2

# The allocation behind a capsule of gpunp; the arrays of shape and strides follow it in memory.
cdef struct Export:
    DLManagedTensor plain
    DLManagedTensorVersioned versioned
    PyObject* array

cdef const char* PLAIN = b"dltensor"
cdef const char* VERSIONED = b"dltensor_versioned"

# DLPack's device types of host memory (kDLCPU, kDLCUDAHost) and of CUDA memory (kDLCUDA, kDLCUDAManaged).
HOST_KINDS = (1, 3)
CUDA_KINDS = (2, 13)

cdef dict _TYPE_CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}
cdef dict _DTYPES = {(_TYPE_CODES[dtype.kind], 8 * dtype.itemsize): dtype for dtype in DTYPES}
cdef DLDataType[NUM_DTYPES] _types
for _i, _dtype in enumerate(DTYPES):
    _types[_i].code = _TYPE_CODES[_dtype.kind]
    _types[_i].bits = 8 * _dtype.itemsize
    _types[_i].lanes = 1


cdef void _release_reference(Export* exported) noexcept with gil:
    Py_DECREF(<object>exported.array)


cdef void _release(Export* exported) noexcept nogil:
    # A consumer may outlive the interpreter; the reference to the array is then gone.
    if Py_IsInitialized():
        _release_reference(exported)
    free(exported)


cdef void _delete_plain(DLManagedTensor* tensor) noexcept nogil:
    _release(<Export*>tensor.manager_ctx)


cdef void _delete_versioned(DLManagedTensorVersioned* tensor) noexcept nogil:
    _release(<Export*>tensor.manager_ctx)


cdef void _destroy_plain(object capsule) noexcept:
    # A consumer renames the capsule, so one with its original name was never consumed.
    cdef DLManagedTensor* tensor
    if PyCapsule_IsValid(capsule, PLAIN):
        tensor = <DLManagedTensor*>PyCapsule_GetPointer(capsule, PLAIN)
        tensor.deleter(tensor)


cdef void _destroy_versioned(object capsule) noexcept:
    cdef DLManagedTensorVersioned* tensor
    if PyCapsule_IsValid(capsule, VERSIONED):
        tensor = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, VERSIONED)
        tensor.deleter(tensor)


def make_capsule(ndarray array not None, int kind, int index, bint versioned, bint copied):
    """Create a capsule that keeps the array alive until its consumer releases it.

    Parameters
    ----------
    array : ndarray
    kind, index : int
        The device type and index in DLPack's numbering.
    versioned : bool
        Whether the consumer supports DLPack 1.x; only then may the array be read-only.
    copied : bool
        Whether the array was copied for this capsule.
    """
    cdef int d, ndim = array.ndim_
    cdef Export* exported
    cdef DLTensor* tensor
    if not versioned and not array.writeable:
        raise BufferError("__dlpack__: the array is read-only, which a consumer without DLPack 1.0 cannot "
                          "know; export a copy()")
    if shared_of(array.buffer) is not None:
        raise BufferError("__dlpack__: the host shares the memory of the array, so that what a consumer writes would "
                          "be lost; export a copy()")
    exported = <Export*>malloc(sizeof(Export) + 2 * ndim * sizeof(int64_t))
    if exported == NULL:
        raise MemoryError()
    tensor = &exported.versioned.dl_tensor if versioned else &exported.plain.dl_tensor
    if array.buffer.uses:
        flush_because(array.device_, BY_EXPORT)
    tensor.data = array.data_ptr() if array.size_ else NULL
    array.buffer.exposed = True
    tensor.device.device_type = kind
    tensor.device.device_id = index
    tensor.ndim = ndim
    tensor.dtype = _types[array.code]
    tensor.shape = <int64_t*>(exported + 1)
    tensor.strides = tensor.shape + ndim
    tensor.byte_offset = 0
    # Strides are multiples of the itemsize, except along axes of length one, where they are never used.
    for d in range(ndim):
        tensor.shape[d] = array.shape_[d]
        tensor.strides[d] = array.strides_[d] // array.itemsize_
    exported.array = <PyObject*>array
    Py_INCREF(array)
    try:
        if not versioned:
            exported.plain.manager_ctx = exported
            exported.plain.deleter = _delete_plain
            return PyCapsule_New(&exported.plain, PLAIN, <void (*)(object) noexcept>_destroy_plain)
        exported.versioned.version.major = 1
        exported.versioned.version.minor = 0
        exported.versioned.manager_ctx = exported
        exported.versioned.deleter = _delete_versioned
        exported.versioned.flags = (IS_COPIED if copied else 0) | (0 if array.writeable else READ_ONLY)
        return PyCapsule_New(&exported.versioned, VERSIONED, <void (*)(object) noexcept>_destroy_versioned)
    except BaseException:
        _release(exported)
        raise


cdef class Import:
    """Owns the managed tensor of a consumed capsule."""

    cdef DLManagedTensor* plain
    cdef DLManagedTensorVersioned* versioned

    def __dealloc__(self):
        if self.plain != NULL and self.plain.deleter != NULL:
            self.plain.deleter(self.plain)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


def is_capsule(value):
    """Whether ``value`` is a capsule; `read_capsule` refuses those that are not DLPack's or have been consumed."""
    return bool(PyCapsule_CheckExact(value))


def read_capsule(capsule):
    """Consume a capsule.

    Returns
    -------
    array : ndarray
        An array over the producer's memory.
    copied : bool
        Whether the producer copied for this capsule.
    """
    cdef Import owner = Import.__new__(Import)
    cdef DLManagedTensor* plain = NULL
    cdef DLManagedTensorVersioned* versioned = NULL
    cdef uint64_t flags = 0
    if PyCapsule_IsValid(capsule, VERSIONED):
        versioned = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, VERSIONED)
        if versioned.version.major != 1:
            raise BufferError(f"from_dlpack: the capsule has version {versioned.version.major}."
                              f"{versioned.version.minor} of DLPack; gpunp supports 1.x")
        flags = versioned.flags
        array = _wrap(&versioned.dl_tensor, not flags & READ_ONLY, owner)
        # From here on the array owns the tensor, and the capsule no longer does.
        PyCapsule_SetName(capsule, b"used_dltensor_versioned")
        owner.versioned = versioned
    elif PyCapsule_IsValid(capsule, PLAIN):
        plain = <DLManagedTensor*>PyCapsule_GetPointer(capsule, PLAIN)
        array = _wrap(&plain.dl_tensor, True, owner)
        PyCapsule_SetName(capsule, b"used_dltensor")
        owner.plain = plain
    else:
        raise BufferError(f"from_dlpack: {capsule!r} is not a DLPack capsule, or was consumed before")
    return array, bool(flags & IS_COPIED)


cdef _wrap(DLTensor* tensor, bint writeable, Import owner):
    cdef int d
    cdef int64_t size = 1
    cdef uint64_t itemsize
    cdef uintptr_t pointer = <uintptr_t>tensor.data + tensor.byte_offset
    dtype = _DTYPES.get((tensor.dtype.code, tensor.dtype.bits)) if tensor.dtype.lanes == 1 else None
    if dtype is None:
        raise BufferError(f"from_dlpack: gpunp has no dtype for DLPack's type code {tensor.dtype.code} with "
                          f"{tensor.dtype.bits} bits and {tensor.dtype.lanes} lanes")
    if tensor.ndim > MAX_NDIM:
        raise BufferError(f"from_dlpack: {tensor.ndim} dimensions; gpunp has at most {MAX_NDIM}")
    if tensor.device.device_type in HOST_KINDS:
        device = get_device("cpu")
    elif tensor.device.device_type in CUDA_KINDS:
        device = get_device(f"cuda:{tensor.device.device_id}")
    else:
        raise BufferError(f"from_dlpack: gpunp has no memory of DLPack's device type "
                          f"{tensor.device.device_type}")
    for d in range(tensor.ndim):
        size *= tensor.shape[d]
    # Kernels read whole elements, complex numbers too, so these must be aligned to their size.
    alignment = dtype.itemsize
    if size and pointer % alignment:
        raise BufferError(f"from_dlpack: the memory at {pointer:#x} is not aligned to the {alignment} bytes "
                          f"that {dtype} needs; copy it in its own library")
    shape = tuple([tensor.shape[d] for d in range(tensor.ndim)])
    strides = None
    if tensor.strides != NULL and size:
        # Multiply modulo 2^64: some producers divide negative byte strides as unsigned numbers.
        itemsize = dtype.itemsize
        strides = tuple([<int64_t>(<uint64_t>tensor.strides[d] * itemsize) for d in range(tensor.ndim)])
    return wrap_pointer(pointer, shape, strides, dtype, device, owner, writeable)


# The C functions of DLPack 1.3, with which compiled code exchanges arrays without calling Python methods.
ctypedef void (*SetError)(void* context, const char* kind, const char* message) noexcept

cdef struct ExchangeHeader:
    DLPackVersion version
    void* older

cdef struct ExchangeTable:
    ExchangeHeader header
    int (*allocate)(DLTensor*, DLManagedTensorVersioned**, void*, SetError) noexcept nogil
    int (*from_object)(PyObject*, DLManagedTensorVersioned**) noexcept nogil
    int (*to_object)(DLManagedTensorVersioned*, PyObject**) noexcept nogil
    # Null, as the specification allows: a view has strides in elements, but arrays store them in bytes.
    void* view_object
    int (*current_stream)(int32_t, int32_t, void**) noexcept nogil


cdef DLManagedTensorVersioned* _owned(ndarray array, bint copied) except NULL:
    # The managed tensor of a new capsule of the array, detached from the capsule.
    kind, index = (1, 0) if array.device.is_cpu else (2, array.device.index)
    capsule = make_capsule(array, kind, index, True, copied)
    cdef void* tensor = PyCapsule_GetPointer(capsule, VERSIONED)
    PyCapsule_SetName(capsule, b"used_dltensor_versioned")
    return <DLManagedTensorVersioned*>tensor


cdef _allocated(DLTensor* prototype):
    dtype = _DTYPES.get((prototype.dtype.code, prototype.dtype.bits)) if prototype.dtype.lanes == 1 else None
    if dtype is None or prototype.device.device_type not in HOST_KINDS + CUDA_KINDS:
        raise BufferError("DLPack's allocator: gpunp has no such dtype or device")
    on_host = prototype.device.device_type in HOST_KINDS
    device = get_device("cpu" if on_host else f"cuda:{prototype.device.device_id}")
    return empty(tuple([prototype.shape[d] for d in range(prototype.ndim)]), dtype, "C", device)


cdef int _allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                   SetError set_error) noexcept with gil:
    try:
        out[0] = _owned(_allocated(prototype), False)
        return 0
    except BaseException as error:
        kind, message = type(error).__name__.encode(), str(error).encode()
        set_error(context, kind, message)
        return -1


cdef int _raise(error) noexcept:
    PyErr_SetObject(type(error), error)
    return -1


cdef int _from_object(PyObject* value, DLManagedTensorVersioned** out) noexcept with gil:
    cdef ndarray array
    try:
        array = <ndarray?><object>value
        # A consumer may write to its array, but a scalar must never change.
        out[0] = _owned(unmarked_copy(array) if array.scalar else array, array.scalar)
        return 0
    except BaseException as error:
        return _raise(error)


cdef int _to_object(DLManagedTensorVersioned* tensor, PyObject** out) noexcept with gil:
    cdef Import owner
    try:
        owner = Import.__new__(Import)
        array = _wrap(&tensor.dl_tensor, not tensor.flags & READ_ONLY, owner)
        owner.versioned = tensor
        Py_INCREF(array)
        out[0] = <PyObject*>array
        return 0
    except BaseException as error:
        return _raise(error)


cdef int _current_stream(int32_t kind, int32_t index, void** out) noexcept with gil:
    try:
        out[0] = NULL
        if kind in CUDA_KINDS:
            from gpunp.cuda import get_current_stream
            out[0] = <void*><uintptr_t>get_current_stream(index).ptr
        return 0
    except BaseException as error:
        return _raise(error)


cdef ExchangeTable _table
_table.header.version.major = 1
_table.header.version.minor = 3
_table.header.older = NULL
_table.allocate = _allocate
_table.from_object = _from_object
_table.to_object = _to_object
_table.view_object = NULL
_table.current_stream = _current_stream
# Available as `type(array).__dlpack_c_exchange_api__`, where consumers look it up.
exchange_table = PyCapsule_New(&_table, b"dlpack_exchange_api", NULL)

"""DLPack's table of C functions, called as compiled code calls it."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import gpunp


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class ManagedTensor(ctypes.Structure):
    pass


ManagedTensor._fields_ = [
    ("version", Version),
    ("manager_ctx", ctypes.c_void_p),
    ("deleter", ctypes.PYFUNCTYPE(None, ctypes.POINTER(ManagedTensor))),
    ("flags", ctypes.c_uint64),
    ("tensor", Tensor),
]
Managed = ctypes.POINTER(ManagedTensor)
SetError = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class Table(ctypes.Structure):
    _fields_ = [
        ("version", Version),
        ("older", ctypes.c_void_p),
        (
            "allocate",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.POINTER(Tensor), ctypes.POINTER(Managed), ctypes.c_void_p, SetError
            ),
        ),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Managed))),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, Managed, ctypes.POINTER(ctypes.py_object))),
        ("view_object", ctypes.c_void_p),
        (
            "current_stream",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)),
        ),
    ]


@pytest.fixture
def table():
    """Return the table of functions that compiled code reads from the array type."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = gpunp.ndarray.__dlpack_c_exchange_api__
    return Table.from_address(pointer_of(capsule, b"dlpack_exchange_api"))


def test_the_table_of_c_functions_round_trips_an_array(table, device):
    assert (table.version.major, table.older) == (1, None)
    array = gpunp.arange(12.0).reshape(3, 4)[:, ::2]
    gone = weakref.ref(array)
    tensor = Managed()
    assert table.from_object(array, tensor) == 0
    seen = tensor.contents.tensor
    assert (seen.device_type, seen.device_id) == tuple(array.__dlpack_device__())
    assert (seen.shape[:2], seen.strides[:2], seen.bits) == ([3, 2], [4, 2], 64)
    back = ctypes.py_object()
    assert table.to_object(tensor, ctypes.byref(back)) == 0
    back, held = back.value, back
    ctypes.pythonapi.Py_DecRef(held)  # the reference that the function returned
    del array, held
    gc.collect()
    assert gone() is not None
    assert np.array_equal(back.get(), np.arange(12.0).reshape(3, 4)[:, ::2])
    del back
    gc.collect()
    assert gone() is None


def test_the_table_of_c_functions_allocates_and_names_the_stream(table, device):
    kind, index = gpunp.empty(1).__dlpack_device__()
    shape = (ctypes.c_int64 * 2)(3, 5)
    prototype = Tensor(None, kind, index, 2, 2, 32, 1, shape, None, 0)
    tensor = Managed()
    errors = []
    refuse = SetError(lambda context, kind, message: errors.append((kind, message)))
    assert table.allocate(prototype, tensor, None, refuse) == 0
    assert tensor.contents.tensor.shape[:2] == [3, 5]
    tensor.contents.deleter(tensor)
    prototype.bits = 4
    assert table.allocate(prototype, tensor, None, refuse) == -1
    assert errors[0][0] == b"BufferError"
    stream = ctypes.c_void_p()
    assert table.current_stream(kind, index, stream) == 0
    expected = None if device.is_cpu else gpunp.cuda.get_current_stream().ptr
    assert (stream.value or 0) == (expected or 0)


def test_the_table_of_c_functions_raises_in_python(table):
    with pytest.raises(TypeError):
        table.from_object([1.0], Managed())

"""`gpunp.ndarray(...)` over the memory of another array, and the address of an array's memory."""

import gc
import weakref

import numpy as np
import pytest
from calls import call_test
from gpunp.array.transfer import wrap_pointer

import gpunp

test_calls = call_test(
    """
    xp.ndarray((2, 3)).shape
    xp.ndarray(3, "i4").dtype
    xp.ndarray((2, 2), buffer=A([1.0, 2, 3, 4]), dtype=float)
    xp.ndarray((2, 2), "i4", A([1.0, 2]))
    xp.ndarray((2,), float, A([1.0, 2, 3, 4]), 8, (16,))
    xp.ndarray((2,), float, A([1.0, 2, 3, 4]), 24, (-16,))
    xp.ndarray((2, 2), float, A([1.0, 2, 3, 4]), 0, None, "F")
    xp.ndarray((2, 3), float, A([[1.0, 2, 3, 4]]), 0, (0, 8))
    xp.ndarray((), float, A([1.0, 2, 3, 4]), 16)
    xp.ndarray((0, 3), float, A([1.0, 2, 3, 4]), 16).shape
    xp.ndarray((2, 2), float, order="F").flags.f_contiguous
    xp.ndarray((2, 2), float, order="A").strides
    xp.ndarray((2, 2), float, strides=(8, 16)).strides
    xp.ndarray((2, 2), float, strides=[0, 0]).strides
    xp.ndarray(2, float, A([1.0, 2, 3, 4]), 0, 16)
    xp.ndarray((2**61,), float, A([1.0]), 0, (0,))
    xp.ndarray((5,), float, A([1.0, 2, 3, 4]))
    xp.ndarray((2,), float, A([1.0, 2, 3, 4]), 32)
    xp.ndarray((2,), float, A([1.0, 2, 3, 4]), 8, (32,))
    xp.ndarray((2,), float, A([1.0, 2, 3, 4]), 8, (-16,))
    xp.ndarray((2,), float, strides=(16,))
    xp.ndarray((2,), float, strides=(8, 8))
    xp.ndarray((2,), float, A([[1.0, 2], [3, 4]]).T)
    xp.ndarray((2,), float, order="X")
    xp.ndarray((-1,), float)
    xp.ndarray("x")
""",
    own=True,
)


def test_the_memory_is_shared():
    a = gpunp.arange(4.0)
    view = gpunp.ndarray((2,), buffer=a, offset=16)
    view[0] = 7
    assert a.tolist() == [0, 1, 7, 3]
    assert view.base is a
    a.flags.writeable = False
    assert not gpunp.ndarray((2,), buffer=a).flags.writeable


def test_what_a_device_cannot_read():
    with pytest.raises(TypeError, match="frombuffer"):
        gpunp.ndarray((2,), np.uint8, b"abcd")
    with pytest.raises(ValueError, match="multiples"):
        gpunp.ndarray((2,), float, gpunp.zeros(8), 0, (12,))
    octets = gpunp.zeros(64, dtype=np.uint8)
    for unaligned in (octets[4:12], octets[8:24]):
        with pytest.raises(ValueError, match="aligned"):
            unaligned.view(np.float64 if unaligned.size == 8 else np.complex128)
    assert octets[8:24].view(np.float64).shape == (2,)
    with pytest.raises(ValueError, match="multiples"):
        gpunp.lib.stride_tricks.as_strided(gpunp.zeros(4), (2, 2), (1, 8))


def test_pointer():
    a = gpunp.arange(5)
    assert a.data.ptr == int(a.data) == a.data_address
    assert a[1:].data.ptr == a.data.ptr + a.itemsize
    assert a.data.device is a.device
    assert a.data.device_id == a.device.id
    assert hex(a.data.ptr) in repr(a.data)


test_extents = call_test(
    """
    xp.zeros(True)
    xp.zeros((True, 2))
    xp.zeros(2.0)
    xp.zeros((2.0,))
    xp.zeros("a")
    xp.zeros((2**62,))
    xp.zeros((2**40, 2**40))
    xp.zeros((2**62, 4, 0))
    xp.zeros(2**63)
    xp.zeros(2**100)
    xp.zeros((np.True_,))
    xp.zeros(np.array([2, 3]))
    xp.zeros((2,) * 70)
    A([1, 2, 3, 4]).reshape((True, -1))
    A([1, 2, 3, 4]).reshape(True, -1)
    A([1]).reshape(True)
    A([1, 2, 3, 4]).reshape((1.0, -1))
    A([0.0] * 20)[::2].reshape((2, 13, 419, 691, 823, 2977518503))
    A([0.0]).reshape((2**40, 2**40))
    xp.broadcast_to(A([[0.0]]), (2**40, 1)) + xp.broadcast_to(A([[0.0]]), (1, 2**40))
""",
    own=True,
)


def test_memory_of_an_owner_in_a_cycle_stays_the_owners(device):
    if not device.is_cpu:
        pytest.skip("only arrays of the CPU device share memory with NumPy")

    class Owner(np.ndarray):
        """NumPy memory that knows the array over it, so that only the garbage collector ends both."""

    for _ in range(10):
        owner = np.arange(1000.0).view(Owner)
        address = owner.__array_interface__["data"][0]
        owner.array = wrap_pointer(address, owner.shape, None, owner.dtype, device, owner)
        ended = weakref.ref(owner)
        del owner
        gc.collect()
        assert ended() is None

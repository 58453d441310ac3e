"""Arguments of raw kernels on the stand-in driver: the bytes that a kernel gets, and what is refused."""

import ctypes
import struct

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()

ALIGNED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "i1")], align=True)
PACKED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "i1")])


class WithPointer:
    ptr = 0x1234


class WithIndex:
    def __index__(self):
        return 77


class CUtensorMap:
    """Named as the class of cuda.bindings, whose struct is passed by value."""

    def __init__(self):
        self.struct = ctypes.create_string_buffer(bytes(range(128)), 128)

    def getPtr(self):
        return ctypes.addressof(self.struct)


# Sizes of parameters, arguments for them, and the value and format of `struct` by which they are passed.
SCALARS = [
    (1, True, True, "?"),
    (4, True, 1, "i"),
    (1, -128, -128, "b"),
    (1, 255, 255, "B"),
    (2, 65535, 65535, "H"),
    (4, 7, 7, "i"),
    (4, -(2**31), -(2**31), "i"),
    (4, 2**32 - 1, 2**32 - 1, "I"),
    (8, -1, -1, "q"),
    (8, 2**63 - 1, 2**63 - 1, "q"),
    (8, 2**64 - 1, 2**64 - 1, "Q"),
    (8, 2.5, 2.5, "d"),
    (4, 2.5, 2.5, "f"),
    (4, float("inf"), float("inf"), "f"),
    (8, np.float64(0.1), 0.1, "d"),
    (4, np.float32(0.1), np.float32(0.1), "f"),
    (2, np.float16(0.5), 0.5, "e"),
    (1, np.bool_(True), True, "?"),
    (1, np.int8(-3), -3, "b"),
    (2, np.uint16(40000), 40000, "H"),
    (4, np.int32(-5), -5, "i"),
    (8, np.longlong(-6), -6, "q"),
    (8, np.int64(-6), -6, "q"),
    (8, np.array([[3]]), 3, "q"),
    (4, np.array(1.5, np.float32), 1.5, "f"),
    (8, None, 0, "q"),
    (8, WithPointer(), 0x1234, "q"),
    (8, WithIndex(), 77, "q"),
]


def test_scalars(module, packed):
    for size, argument, value, format in SCALARS:
        module.get_function(f"p{size}")((1,), (1,), (argument,))
        assert packed() == struct.pack("<" + format, value), (size, argument)


def test_complex(module, packed):
    for value in (1 + 2j, np.complex128(1 + 2j)):
        module.get_function("p16")((1,), (1,), (value,))
        assert packed() == struct.pack("<dd", 1, 2)
    for value in (1 + 2j, np.complex64(1 + 2j)):
        module.get_function("p8")((1,), (1,), (value,))
        assert packed() == struct.pack("<ff", 1, 2)


def test_structures(module, packed):
    value = np.zeros((), ALIGNED)
    value[()] = (1, 2.5, 3)
    for argument in (value, value[()], value.reshape(1)):
        module.get_function("p24")((1,), (1,), (argument,))
        assert packed() == struct.pack("<i4xdb7x", 1, 2.5, 3) == value.tobytes()


def test_tensor_maps(module, packed):
    module.get_function("p128")((1,), (1,), (CUtensorMap(),))
    assert packed() == bytes(range(128))


def test_pointers(module, packed):
    import gpunp

    a = gpunp.empty(8, np.float32)
    pointer = module.get_function("p8")
    for argument in (a, a.data, gpunp.cuda.get_default_memory_pool().malloc(8)):
        pointer((1,), (1,), (argument,))
        address = argument.address if hasattr(argument, "address") else a.data_address
        assert packed() == struct.pack("<Q", address)
    pointer((1,), (1,), (a[3:],))
    assert packed() == struct.pack("<Q", a.data_address + 12)
    module.get_function("axpy")((1,), (1,), [a, a[1:], 2.0, 8])
    assert packed() == struct.pack("<QQfi", a.data_address, a.data_address + 4, 2, 8)


def test_more_parameters_than_the_stack_has_room_for(cuda_device, packed):
    import gpunp

    cuda_device.use()
    count = 700
    # The mark of a fatbin, then a kernel with parameters of 8 bytes.
    image = b"\x50\xed\x55\xba" + b"k(%s)" % b",".join([b"8"] * count)
    kernel = gpunp.RawModule(image).get_function("k")
    kernel((1,), (1,), tuple(range(count)))
    assert packed() == struct.pack(f"<{count}q", *range(count))


class Foreign:
    """Memory with the CUDA Array Interface."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}


def test_arrays_of_other_libraries(module, packed, fake):
    import gpunp

    a = gpunp.empty(8, np.float32)
    kernel = module.get_function("p8")
    kernel((1,), (1,), (Foreign(a),))
    assert packed() == struct.pack("<Q", a.data_address)
    waits = fake.fake_calls(b"cuStreamWaitEvent")
    side = gpunp.cuda.Stream()
    kernel((1,), (1,), (Foreign(a, side.ptr),))
    assert fake.fake_calls(b"cuStreamWaitEvent") == waits + 1


WRONG = [
    ("axpy", (), TypeError, r"axpy takes 4 arguments, 0 were given"),
    ("p8", (1, 2), TypeError, r"p8 takes 1 argument, 2 were given"),
    ("none", (1,), TypeError, r"none takes no arguments, 1 was given"),
    (
        "p4",
        (np.int64(8),),
        TypeError,
        r"p4: args\[0\] is of 8 bytes \(int64\).*has 4; pass numpy\.int32\(x\)",
    ),
    ("p8", (np.float32(8),), TypeError, r"is of 4 bytes \(float32\).*has 8; pass numpy\.float64\(x\)"),
    ("p8", (np.bool_(1),), TypeError, r"is of 1 byte \(bool\).*has 8$"),
    ("p4", (np.zeros(1),), TypeError, r"is of 8 bytes \(float64\)"),
    ("p24", (np.zeros((), PACKED),), TypeError, "align=True"),
    ("p24", (np.zeros((), [("a", "O"), ("b", "V16")]),), TypeError, "Python objects"),
    ("p8", (np.array(None),), TypeError, "Python objects"),
    ("p4", (2**32,), OverflowError, r"args\[0\] = 4294967296 does not fit .* of 4 bytes"),
    ("p1", (-129,), OverflowError, "of 1 byte$"),
    ("p8", (2**64,), OverflowError, "of 8 bytes"),
    ("p8", (-(2**63) - 1,), OverflowError, "of 8 bytes"),
    ("p16", (1,), TypeError, r"args\[0\] is an int, and the kernel's parameter has 16 bytes"),
    ("p4", (1e300,), OverflowError, "does not fit into a float"),
    ("p2", (1.0,), TypeError, r"pass numpy\.float16\(x\)"),
    ("p4", (1j,), TypeError, "a complex is passed as"),
    ("p8", (1e300j,), OverflowError, "does not fit into a float"),
    ("p4", (None,), TypeError, "None.*passed as a pointer"),
    ("p8", (np.zeros(8),), TypeError, r"a NumPy array of shape \(8,\) in host memory.*gpunp\.asarray"),
    ("p8", ([1, 2],), TypeError, r"args\[0\] is a list"),
    ("p8", ("text",), TypeError, r"args\[0\] is a str"),
    ("p8", (np.str_("text"),), TypeError, "str_, which has no counterpart"),
    ("p16", (np.longdouble(1),), TypeError, "longdouble, which has no counterpart"),
    ("p8", (np.datetime64("2020-01-01"),), TypeError, "datetime64, which has no counterpart"),
    ("p8", np.zeros(1), TypeError, r"args must be a tuple .*, not ndarray; write \(x,\)"),
    ("p8", None, TypeError, "args must be a tuple"),
]


def test_wrong_arguments(module, fake):
    for name, args, exception, match in WRONG:
        with pytest.raises(exception, match=match):
            module.get_function(name)((1,), (1,), args)
    assert fake.fake_calls(b"cuLaunchKernel") == 0


def test_arrays_of_other_devices(module):
    import gpunp

    for size in (4, 8):
        with pytest.raises(
            TypeError, match=r"args\[0\] is an array on the CPU device .*to_device\('cuda:0'\)"
        ):
            module.get_function(f"p{size}")((1,), (1,), (gpunp.zeros(3, device="cpu"),))
    a, b = gpunp.empty(3, device="cuda:0"), gpunp.empty(3, device="cuda:1")
    with pytest.raises(ValueError, match=r"args\[1\] is on cuda:1 and the kernel runs on cuda:0"):
        module.get_function("axpy")((1,), (1,), (a, b, 1.0, 3))
    with pytest.raises(TypeError, match=r"passed as a pointer of 8 bytes.*has 4; .*numpy\.float32\(x\)"):
        module.get_function("p4")((1,), (1,), (gpunp.empty((), np.float32),))

"""Textures and surfaces on the stand-in driver: memory, copies, errors, and as arguments of raw kernels."""

import struct

import numpy as np
import pytest

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


@pytest.fixture
def floats(cuda_device):
    if cuda_device is None:
        return None
    from gpunp.cuda.texture import ChannelFormatDescriptor

    return ChannelFormatDescriptor(32, 0, 0, 0, 2)


@pytest.mark.parametrize("shape", [(5,), (4, 5), (3, 4, 5)])
@pytest.mark.parametrize("bits", [(32, 0, 0, 0), (32, 32, 0, 0), (32, 32, 32, 32)])
def test_arrays_are_copied(cuda_device, shape, bits):
    import gpunp
    from gpunp import cuda
    from gpunp.cuda.texture import ChannelFormatDescriptor, CUDAarray

    desc = ChannelFormatDescriptor(*bits, 2)
    channels = sum(b > 0 for b in bits)
    array = CUDAarray(desc, *shape[::-1])
    assert (array.ndim, array.shape, array.desc) == (len(shape), shape, desc)
    host = np.arange(np.prod(shape) * channels, dtype=np.float32).reshape(*shape[:-1], shape[-1] * channels)
    array.copy_from(host)
    result = np.zeros_like(host)
    array.copy_to(result)
    assert result.tolist() == host.tolist()
    array.copy_from(gpunp.asarray(host + 1).reshape(*shape, channels))
    other = gpunp.asarray(np.zeros_like(host))
    array.copy_to(other, cuda.Stream.null)
    assert other.tolist() == (host + 1).tolist()


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        ([1.0], TypeError, "a NumPy or gpunp array is needed"),
        (np.zeros((5, 4), np.float32), ValueError, r"an array of shape \(4, 5\)"),
        (np.zeros((4, 5)), ValueError, "elements of 4 bytes"),
        (np.zeros((5, 4), np.float32).T, ValueError, "C-contiguous"),
    ],
)
def test_wrong_arrays(floats, array, error, message):
    from gpunp.cuda.texture import CUDAarray

    with pytest.raises(error, match=message):
        CUDAarray(floats, 5, 4).copy_from(array)


@pytest.mark.parametrize(
    "channels", [(32, 32, 32, 0, 2), (8, 16, 0, 0, 0), (8, 0, 0, 0, 2), (64, 0, 0, 0, 2), (32, 0, 0, 0, 3)]
)
def test_wrong_channels(channels):
    from gpunp.cuda.texture import ChannelFormatDescriptor

    with pytest.raises(ValueError, match="is not one of a texture"):
        ChannelFormatDescriptor(*channels)


def test_descriptions(floats):
    import gpunp
    from gpunp.cuda import runtime
    from gpunp.cuda.texture import CUDAarray, ResourceDescriptor, TextureDescriptor

    assert floats.get_channel_format() == {"x": 32, "y": 0, "z": 0, "w": 0, "f": 2}
    assert floats.ptr
    memory = gpunp.asarray(np.zeros((4, 8), np.float32))
    linear = ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=memory, chDesc=floats, sizeInBytes=128)
    assert linear.get_resource_desc() == {"resType": 2, "chDesc": floats, "arr": memory}
    assert linear.ptr
    array = CUDAarray(floats, 5, 4)
    assert ResourceDescriptor(0, cuArr=array).get_resource_desc()["cuArr"] is array
    texture = TextureDescriptor((1, 1), 1, 0, borderColors=(1.0,), normalizedCoords=True)
    assert texture.ptr
    assert texture.get_texture_desc()["addressModes"] == [1, 1, 0]
    wrong = [
        ({"restype": 0}, "needs a CUDAarray"),
        ({"restype": 1}, "restype must be"),
        ({"restype": 2, "arr": memory}, "needs arr= and chDesc="),
        ({"restype": 2, "arr": memory, "chDesc": floats, "sizeInBytes": 129}, "129 bytes are described"),
        ({"restype": 3, "arr": memory, "chDesc": floats}, "there are none"),
        ({"restype": 2, "arr": memory[:, :2], "chDesc": floats}, "C-contiguous"),
        ({"restype": 2, "arr": gpunp.zeros(3, device="cpu"), "chDesc": floats}, "on a CUDA device"),
        (
            {"restype": 3, "arr": memory, "chDesc": floats, "width": 8, "height": 5, "pitchInBytes": 32},
            "160 bytes",
        ),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=message):
            ResourceDescriptor(**arguments)
    for arguments in ({"addressModes": (0,) * 4}, {"borderColors": (0,) * 5}, {"readMode": 3}):
        with pytest.raises(ValueError, match="TextureDescriptor"):
            TextureDescriptor(**arguments)


def test_objects_are_arguments_of_kernels(floats, fake, module, packed):
    from gpunp.cuda import runtime
    from gpunp.cuda.texture import (
        CUDAarray,
        ResourceDescriptor,
        SurfaceObject,
        TextureDescriptor,
        TextureObject,
        TextureReference,
    )

    before = fake.fake_living_objects()
    array = CUDAarray(floats, 5, 4, flags=runtime.cudaArraySurfaceLoadStore)
    resource = ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    texture, surface = TextureObject(resource, TextureDescriptor()), SurfaceObject(resource)
    assert fake.fake_living_objects() == before + 3
    kernel = module.get_function("p8")
    for thing in (texture, surface):
        kernel((1,), (1,), (thing,))
        assert packed() == struct.pack("Q", thing.ptr)
    assert texture.ResDesc is resource
    del thing, texture, surface, resource, array
    assert fake.fake_living_objects() == before
    plain = ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=CUDAarray(floats, 5, 4))
    with pytest.raises(ValueError, match="cudaArraySurfaceLoadStore"):
        SurfaceObject(plain)
    for arguments in ((plain, 3), (3, TextureDescriptor())):
        with pytest.raises(TypeError, match="must be a"):
            TextureObject(*arguments)
    with pytest.raises(RuntimeError, match="pass a TextureObject"):
        TextureReference(0, plain, TextureDescriptor())

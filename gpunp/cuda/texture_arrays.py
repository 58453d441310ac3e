"""Arrays in the order that textures are read fastest, and the channels of their elements."""

import ctypes

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.array.transfer import data_pointer, expose
from gpunp.cuda import driver, pool
from gpunp.cuda.runtime_arrays import ChannelDescriptor, channels_of, freeArray, malloc3DArray
from gpunp.cuda.runtime_calls import bindings, call, handle
from gpunp.cuda.stream import as_stream
from gpunp.device import get_device


def let_go(device, function, *args):
    """Call a function that frees what kernels may be using: after they have run, and not at exit.

    While a graph is being captured, nobody can wait for kernels; then it is never freed.
    """
    if not driver.is_leaving() and not pool.capturing():
        call("cuCtxSynchronize", flush=True, device=device.id)
        with device:
            function(*args)


def _current():
    """The current CUDA device."""
    device = get_device()
    return get_device("cuda:0") if device.is_cpu else device


class ChannelFormatDescriptor:
    """The channels of an element of a texture.

    Parameters
    ----------
    x, y, z, w : int
        The bits of each channel: 8, 16 or 32 for the first one, two or four, and 0 for the others.
    f : int
        The kind: ``runtime.cudaChannelFormatKindSigned``, ``...Unsigned`` or ``...Float``.

    Raises
    ------
    ValueError
        If textures have no such elements.
    """

    def __init__(self, x, y, z, w, f):
        self._fields = ChannelDescriptor(x, y, z, w, f)
        self._format, self._channels = channels_of(self._fields)

    @property
    def ptr(self):
        """The address of a ``cudaChannelFormatDesc``."""
        return ctypes.addressof(self._fields)

    @property
    def itemsize(self):
        """The bytes of an element."""
        return self._channels * self._fields.x // 8

    def get_channel_format(self):
        """The bits of the channels and their kind.

        Returns
        -------
        dict
            With the keys ``x``, ``y``, ``z``, ``w`` and ``f``.
        """
        return {name: getattr(self._fields, name) for name in "xyzwf"}

    def __repr__(self):
        return f"ChannelFormatDescriptor({', '.join(map(str, self.get_channel_format().values()))})"


class CUDAarray:
    """Memory of a device in the order that textures are read fastest, with one to three dimensions.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
    width : int
        Elements of a row.
    height : int, optional
        Rows; 0 for one dimension.
    depth : int, optional
        Planes; 0 for two dimensions.
    flags : int, optional
        ``runtime.cudaArraySurfaceLoadStore`` for surfaces, ``runtime.cudaArrayTextureGather`` for gathers.
    """

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        self.device = _current()
        if not isinstance(desc, ChannelFormatDescriptor):
            raise TypeError(f"CUDAarray: desc must be a ChannelFormatDescriptor, not {type(desc).__name__}")
        if depth and not height:
            raise ValueError("CUDAarray: an array with a depth needs a height, too")
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ptr = 0
        with self.device:
            self.ptr = malloc3DArray(desc, width, height, depth, flags)

    @property
    def ndim(self):
        """The number of dimensions."""
        return 3 if self.depth else 2 if self.height else 1

    @property
    def shape(self):
        """Planes, rows and elements, without the dimensions that the array has not."""
        return tuple(n for n in (self.depth, self.height, self.width) if n)

    def __del__(self):
        if getattr(self, "ptr", 0):
            let_go(self.device, freeArray, self.ptr)

    def _copy(self, array, stream, *, to_array):
        """Copy all elements from or to a NumPy array or a device array."""
        name = "copy_from" if to_array else "copy_to"
        channels = self.desc._channels
        shapes = [(*self.shape[:-1], self.width * channels), (*self.shape, channels)]
        if not isinstance(array, ndarray | numpy.ndarray):
            raise TypeError(f"CUDAarray.{name}: a NumPy or gpunp array is needed, not {type(array).__name__}")
        if array.shape not in shapes or array.itemsize * channels != self.desc.itemsize:
            raise ValueError(
                f"CUDAarray.{name}: an array of shape {shapes[0]} of elements of "
                f"{self.desc.itemsize // channels} bytes is needed, not of {array.shape} and {array.dtype}"
            )
        if not array.flags.c_contiguous:
            raise ValueError(
                f"CUDAarray.{name}: the array must be C-contiguous; pass numpy.ascontiguousarray"
            )
        if not to_array and not array.flags.writeable:
            raise ValueError(f"CUDAarray.{name}: the array is read-only")
        module, side, other = bindings(), "src" if to_array else "dst", "dst" if to_array else "src"
        copy = module.CUDA_MEMCPY3D()
        if isinstance(array, ndarray):
            if array.device is not self.device:
                raise ValueError(
                    f"CUDAarray.{name}: the array is on {array.device} and the CUDAarray on {self.device}; "
                    "move it with to_device"
                )
            expose(array)
            setattr(copy, f"{side}MemoryType", module.CUmemorytype.CU_MEMORYTYPE_DEVICE)
            setattr(copy, f"{side}Device", data_pointer(array))
        else:
            setattr(copy, f"{side}MemoryType", module.CUmemorytype.CU_MEMORYTYPE_HOST)
            setattr(copy, f"{side}Host", array.ctypes.data)
        setattr(copy, f"{side}Pitch", self.width * self.desc.itemsize)
        setattr(copy, f"{side}Height", max(self.height, 1))
        setattr(copy, f"{other}MemoryType", module.CUmemorytype.CU_MEMORYTYPE_ARRAY)
        setattr(copy, f"{other}Array", handle("CUarray", self.ptr))
        copy.WidthInBytes = self.width * self.desc.itemsize
        copy.Height, copy.Depth = max(self.height, 1), max(self.depth, 1)
        queue = as_stream(stream, self.device)
        call("cuMemcpy3DAsync", copy, handle("CUstream", queue), flush=True, device=self.device.id)
        if stream is None and not isinstance(array, ndarray):
            queue.synchronize()

    def copy_from(self, in_arr, stream=None):
        """Copy the elements of an array.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray
            C-contiguous, of shape ``(depth, height, width * channels)`` without missing dimensions.
        stream : Stream, optional
            The current one by default; with it, host memory must not change before the copy has run.
        """
        self._copy(in_arr, stream, to_array=True)

    def copy_to(self, out_arr, stream=None):
        """Copy the elements to an array.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray
            C-contiguous, of shape ``(depth, height, width * channels)`` without missing dimensions.
        stream : Stream, optional
            The current one by default; with it, host memory is filled once the copy has run.
        """
        self._copy(out_arr, stream, to_array=False)

    def __repr__(self):
        return f"<CUDAarray of {'x'.join(map(str, self.shape))} elements, {self.desc}, on {self.device}>"

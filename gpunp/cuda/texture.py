"""Textures and surfaces: memory that kernels read with interpolation and write by coordinates.

A `TextureObject` or a `SurfaceObject` is an argument of a raw kernel of the type ``cudaTextureObject_t`` or
``cudaSurfaceObject_t``.

Examples
--------
>>> from gpunp.cuda import runtime
>>> from gpunp.cuda.texture import ChannelFormatDescriptor
>>> ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
ChannelFormatDescriptor(32, 0, 0, 0, 2)
"""

from gpunp.array.ndarray import ndarray
from gpunp.array.transfer import data_pointer, expose
from gpunp.cuda import runtime_constants as constants
from gpunp.cuda.runtime_calls import bindings, call, handle
from gpunp.cuda.texture_arrays import ChannelFormatDescriptor, CUDAarray, let_go

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
    "TextureReference",
]


class ResourceDescriptor:
    """The memory behind a texture or a surface.

    Parameters
    ----------
    restype : int
        ``runtime.cudaResourceTypeArray``, ``...Linear`` or ``...Pitch2D``.
    cuArr : CUDAarray, optional
        For ``cudaResourceTypeArray``.
    arr : ndarray, optional
        For the others: the array whose memory is read.
    chDesc : ChannelFormatDescriptor, optional
        Of ``arr``.
    sizeInBytes : int, optional
        For ``cudaResourceTypeLinear``; all of ``arr`` by default.
    width, height : int, optional
        Elements and rows, for ``cudaResourceTypePitch2D``.
    pitchInBytes : int, optional
        Bytes from a row to the next one, for ``cudaResourceTypePitch2D``.

    Raises
    ------
    ValueError
        If what the type needs is missing or does not fit.
    """

    def __init__(
        self,
        restype,
        cuArr=None,
        arr=None,
        chDesc=None,
        sizeInBytes=0,
        width=0,
        height=0,
        pitchInBytes=0,
    ):
        self.restype, self.cuArr, self.arr, self.chDesc = restype, cuArr, arr, chDesc
        module = bindings()
        self._desc = desc = module.CUDA_RESOURCE_DESC()
        if restype == constants.cudaResourceTypeArray:
            if not isinstance(cuArr, CUDAarray):
                raise ValueError("ResourceDescriptor: cudaResourceTypeArray needs a CUDAarray, cuArr=")
            self.device, self.chDesc = cuArr.device, cuArr.desc
            desc.resType = module.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
            desc.res.array.hArray = handle("CUarray", cuArr.ptr)
            return
        if restype not in (constants.cudaResourceTypeLinear, constants.cudaResourceTypePitch2D):
            raise ValueError(
                "ResourceDescriptor: restype must be runtime.cudaResourceTypeArray (0), Linear (2) or "
                f"Pitch2D (3), not {restype}"
            )
        if not isinstance(arr, ndarray) or not isinstance(chDesc, ChannelFormatDescriptor):
            raise ValueError("ResourceDescriptor: linear memory needs arr= and chDesc=")
        self.device = arr.device
        if self.device.is_cpu or not arr.flags.c_contiguous:
            raise ValueError(
                "ResourceDescriptor: arr must be a C-contiguous array on a CUDA device, not one on "
                f"{self.device} with strides {arr.strides}"
            )
        # From now on others read the memory.
        expose(arr)
        if restype == constants.cudaResourceTypeLinear:
            part, desc.resType = desc.res.linear, module.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
            needed = part.sizeInBytes = sizeInBytes or arr.nbytes
        else:
            part, desc.resType = desc.res.pitch2D, module.CUresourcetype.CU_RESOURCE_TYPE_PITCH2D
            part.width, part.height, part.pitchInBytes = width, height, pitchInBytes
            needed = pitchInBytes * (height - 1) + width * chDesc.itemsize
            if width < 1 or height < 1 or pitchInBytes < width * chDesc.itemsize:
                raise ValueError(
                    f"ResourceDescriptor: rows of {width} elements of {chDesc.itemsize} bytes do not fit "
                    f"into pitchInBytes={pitchInBytes}, or there are none ({height})"
                )
        if needed > arr.nbytes:
            raise ValueError(f"ResourceDescriptor: {needed} bytes are described and arr has {arr.nbytes}")
        part.devPtr = data_pointer(arr)
        part.format = module.CUarray_format(chDesc._format)
        part.numChannels = chDesc._channels

    @property
    def ptr(self):
        """The address of the driver's ``CUDA_RESOURCE_DESC``."""
        return self._desc.getPtr()

    def get_resource_desc(self):
        """What is described.

        Returns
        -------
        dict
            With the keys ``resType``, ``chDesc`` and ``arr`` or ``cuArr``.
        """
        memory = {"arr": self.arr} if self.cuArr is None else {"cuArr": self.cuArr}
        return {"resType": self.restype, "chDesc": self.chDesc, **memory}


def _three(values, default):
    """Up to three numbers, and a default for those that are missing."""
    values = list(values or ())
    return (values + [default] * 3)[:3]


class TextureDescriptor:
    """How a texture is read.

    Parameters
    ----------
    addressModes : sequence of int, optional
        For up to three dimensions one of ``runtime.cudaAddressMode...``: what is outside; wrapped by default.
    filterMode : int, optional
        ``runtime.cudaFilterModePoint`` or ``...Linear``.
    readMode : int, optional
        ``runtime.cudaReadModeElementType``, or ``...NormalizedFloat`` to read integers as numbers up to 1.
    sRGB : bool, optional
        Whether 8-bit colors are converted from sRGB.
    borderColors : sequence of float, optional
        The four channels outside, for ``cudaAddressModeBorder``.
    normalizedCoords : bool, optional
        Whether coordinates go from 0 to 1.
    maxAnisotropy : int, optional
    """

    def __init__(
        self,
        addressModes=None,
        filterMode=0,
        readMode=0,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        module = bindings()
        colors = list(borderColors or ())
        if len(colors) > 4 or len(addressModes or ()) > 3:
            raise ValueError("TextureDescriptor: there are at most three addressModes and four borderColors")
        self._what = {
            "addressModes": _three(addressModes, 0),
            "filterMode": filterMode,
            "readMode": readMode,
            "sRGB": bool(sRGB),
            "borderColors": (colors + [0.0] * 4)[:4],
            "normalizedCoords": bool(normalizedCoords),
            "maxAnisotropy": maxAnisotropy or 0,
        }
        self._desc = desc = module.CUDA_TEXTURE_DESC()
        desc.addressMode = [module.CUaddress_mode(mode) for mode in self._what["addressModes"]]
        desc.filterMode = module.CUfilter_mode(filterMode)
        if readMode not in (0, 1):
            raise ValueError(f"TextureDescriptor: readMode must be 0 or 1, not {readMode}")
        # Read as integers, normalized coordinates, sRGB.
        desc.flags = (0 if readMode else 1) | (2 if normalizedCoords else 0) | (16 if sRGB else 0)
        desc.maxAnisotropy = maxAnisotropy or 0
        desc.borderColor = [float(color) for color in self._what["borderColors"]]

    @property
    def ptr(self):
        """The address of the driver's ``CUDA_TEXTURE_DESC``."""
        return self._desc.getPtr()

    def get_texture_desc(self):
        """What is described.

        Returns
        -------
        dict
            With the arguments of the class.
        """
        return dict(self._what)


class _Object:
    """What textures and surfaces have in common: a handle on a device, which is the argument of kernels."""

    _destroy = None

    def _create(self, function, ResDesc, *descriptions):
        if not isinstance(ResDesc, ResourceDescriptor):
            raise TypeError(
                f"{type(self).__name__}: ResDesc must be a ResourceDescriptor, not {type(ResDesc).__name__}"
            )
        self.ResDesc, self.device = ResDesc, ResDesc.device
        self.ptr = int(call(function, ResDesc._desc, *descriptions, device=self.device.id))

    def __del__(self):
        if getattr(self, "ptr", 0):
            let_go(self.device, call, self._destroy, self.ptr)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr:#x} on {self.device}>"


class TextureObject(_Object):
    """A texture, which raw kernels take as ``cudaTextureObject_t``; it keeps its memory alive.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
    TexDesc : TextureDescriptor
    """

    _destroy = "cuTexObjectDestroy"

    def __init__(self, ResDesc, TexDesc):
        if not isinstance(TexDesc, TextureDescriptor):
            raise TypeError(
                f"TextureObject: TexDesc must be a TextureDescriptor, not {type(TexDesc).__name__}"
            )
        self.TexDesc = TexDesc
        self._create("cuTexObjectCreate", ResDesc, TexDesc._desc, None)


class SurfaceObject(_Object):
    """A surface, which raw kernels take as ``cudaSurfaceObject_t``; it keeps its memory alive.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        Of a CUDAarray with the flag ``runtime.cudaArraySurfaceLoadStore``.
    """

    _destroy = "cuSurfObjectDestroy"

    def __init__(self, ResDesc):
        array = getattr(ResDesc, "cuArr", None)
        if array is None or not array.flags & constants.cudaArraySurfaceLoadStore:
            raise ValueError(
                "SurfaceObject: a CUDAarray made with flags=runtime.cudaArraySurfaceLoadStore is needed"
            )
        self._create("cuSurfObjectCreate", ResDesc)


class TextureReference:
    """Retired: CUDA 12 removed texture references from the language; use `TextureObject`.

    Parameters
    ----------
    texref, ResDesc, TexDesc : object
        Ignored.

    Raises
    ------
    RuntimeError
        Always.
    """

    def __init__(self, texref, ResDesc, TexDesc):
        raise RuntimeError(
            "TextureReference: CUDA 12 removed texture references, so that no kernel can declare one; pass a "
            "TextureObject(ResDesc, TexDesc) to the kernel as a cudaTextureObject_t argument"
        )

"""The class of distributed arrays."""

import math

import numpy

import gpunp
from gpunp.distributed.array.chunks import Chunk, Copies, device_of
from gpunp.distributed.array.index_maps import is_covered, meet, parse_map, slices_of
from gpunp.distributed.array.merging import from_replicas, overlap, to_replicas
from gpunp.distributed.array.modes import REPLICA, as_mode, combine, identity

# Names of ndarray that a program may look for here.
_ABSENT = (
    *("T", "argmax", "argmin", "argsort", "base", "conj", "conjugate", "cumprod", "cumsum", "data"),
    *("diagonal", "dot", "fill", "flat", "flatten", "flags", "imag", "item", "nonzero", "partition"),
    *("ravel", "real", "repeat", "reshape", "round", "searchsorted", "set", "sort", "squeeze", "std"),
    *("strides", "swapaxes", "take", "tobytes", "tolist", "trace", "transpose", "var", "view"),
)


class DistributedArray(numpy.lib.mixins.NDArrayOperatorsMixin):
    """An array whose elements are in chunks on several GPUs of this host; made by `distributed_array`.

    Operations run on all devices at the same time; they are queued on the current stream of each device, and
    return before they have run. NumPy's elementwise ufuncs, ``np.sum``, ``prod``, ``max``, ``min``, ``mean``,
    ``any``, ``all``, ``np.matmul`` and the functions of ``np.fft`` take distributed arrays.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype_like
    chunks_map : dict
        For each device a list of chunks.
    mode : str, default "replica"
        See `mode`.
    comms : optional
        Not used: chunks are exchanged by copies between devices.
    on_cpu : bool, optional
        Whether the numbers are those of parts on the CPU device; by default where the chunks are, or the
        current device if there are none.
    """

    def __init__(self, shape, dtype, chunks_map, mode=REPLICA, comms=None, *, on_cpu=None):
        chunks_map = {number: list(chunks) for number, chunks in sorted(chunks_map.items())}
        if on_cpu is None:
            first = next((each for chunks in chunks_map.values() for each in chunks), None)
            on_cpu = (gpunp.get_device() if first is None else first.array.device).is_cpu
        self._set(tuple(shape), numpy.dtype(dtype), chunks_map, as_mode("DistributedArray", mode), on_cpu)

    def _set(self, shape, dtype, chunks_map, mode, on_cpu):
        self._shape, self._dtype, self._chunks = shape, dtype, chunks_map
        self._mode, self._on_cpu = mode, on_cpu
        # Found when they are needed; chunks are never replaced.
        self._overlap = self._all = self._indices = None

    def _flat(self):
        if self._all is None:
            self._all = [each for chunks in self._chunks.values() for each in chunks]
        return self._all

    def _overlaps(self):
        """Whether two chunks have an element in common."""
        if self._overlap is None:
            self._overlap = overlap(self._flat())
        return self._overlap

    def _with(self, chunks, *, shape=None, dtype=None, mode=None):
        """A distributed array of other chunks on the same devices."""
        chunks_map = {number: [] for number in self._chunks}
        for each in chunks:
            chunks_map[each.number].append(each)
        made = object.__new__(DistributedArray)
        made._set(
            self._shape if shape is None else shape,
            self._dtype if dtype is None else dtype,
            chunks_map,
            self._mode if mode is None else mode,
            self._on_cpu,
        )
        return made

    @property
    def shape(self):
        """The shape of the whole array."""
        return self._shape

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def ndim(self):
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def itemsize(self):
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of the elements, each counted once."""
        return self.size * self.itemsize

    @property
    def mode(self):
        """How overlaps of chunks are interpreted.

        In mode ``"replica"`` they are equal. In the modes ``"sum"``, ``"prod"``, ``"max"`` and ``"min"`` an
        element is the sum, ... of its values in all chunks that have it. Modes are changed where an
        operation needs it.
        """
        return self._mode

    @property
    def devices(self):
        """The numbers of the devices that have a part of the array."""
        return self._chunks.keys()

    @property
    def index_map(self):
        """For each device the indices of its chunks, a list of tuples of slices."""
        return {number: [slices_of(each.index) for each in chunks] for number, chunks in self._chunks.items()}

    def all_chunks(self):
        """The arrays of all chunks, which are not copied.

        Returns
        -------
        dict of int to list of ndarray
        """
        return {number: [each.array for each in chunks] for number, chunks in self._chunks.items()}

    def _ranges(self):
        if self._indices is None:
            self._indices = {
                number: [each.index for each in chunks] for number, chunks in self._chunks.items()
            }
        return self._indices

    def change_mode(self, mode):
        """The same array in another mode; chunks that need no change are shared.

        Parameters
        ----------
        mode : {"replica", "sum", "prod", "max", "min"}

        Returns
        -------
        DistributedArray

        Raises
        ------
        TypeError
            For the modes "max" and "min" of complex numbers.
        """
        mode = as_mode("DistributedArray.change_mode", mode)
        if mode is self._mode:
            return self
        chunks = self._flat()
        if mode is not REPLICA:
            # Raises if the dtype has none.
            identity("DistributedArray.change_mode", mode, self._dtype)
        if self._overlaps():
            if self._mode is not REPLICA:
                chunks = to_replicas(chunks, self._mode, self._on_cpu)
            if mode is not REPLICA:
                chunks = from_replicas(chunks, mode, self._dtype, self._on_cpu)
        made = self._with(chunks, mode=mode)
        made._overlap = self._overlap
        return made

    def reshard(self, index_map):
        """The same array with other chunks, in replica mode; parts that stay on a device may be shared.

        Parameters
        ----------
        index_map : dict
            As for `distributed_array`.

        Returns
        -------
        DistributedArray
        """
        call = "DistributedArray.reshard"
        parsed = parse_map(call, self._shape, index_map)
        if parsed == self._ranges():
            return self.change_mode(REPLICA)
        return self.change_mode(REPLICA)._resharded(call, parsed)

    def _resharded(self, call, parsed):
        chunks = self._flat()
        made = {number: [] for number in parsed}
        with Copies([*self._chunks, *parsed], self._on_cpu) as copies:
            for number, indices in parsed.items():
                for index in indices:
                    array = copies.fetch(call, chunks, index, number, self._dtype)
                    if not array.flags.c_contiguous:
                        with copies.receiving(number):
                            array = array.copy()
                    made[number].append(Chunk(array, number, index))
        return DistributedArray(self._shape, self._dtype, made, on_cpu=self._on_cpu)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Copy the elements to the host.

        Parameters
        ----------
        stream : None
            The copies run on the current streams of the devices.
        order : {"C", "F"}, default "C"
            Memory order of the result.
        out : numpy.ndarray, optional
        blocking : bool, default True
            The copy is complete when the call returns, whatever this says.

        Returns
        -------
        numpy.ndarray

        Raises
        ------
        ValueError
            If no chunk holds some element, or ``out`` has another shape or dtype.
        """
        if stream is not None:
            raise ValueError("DistributedArray.get: stream must be None, as several devices take part")
        if out is None:
            out = numpy.empty(self._shape, self._dtype, order)
        elif out.shape != self._shape or out.dtype != self._dtype:
            raise ValueError(
                f"DistributedArray.get: out has shape {out.shape} and dtype {out.dtype}, {self._shape} and "
                f"{self._dtype} are needed"
            )
        chunks = self._flat()
        whole = tuple(map(range, self._shape))
        if self.size and not is_covered(whole, [each.index for each in chunks]):
            raise ValueError(
                "DistributedArray.get: no chunk holds some of the elements; give an index map that covers "
                "them"
            )
        if self._mode is REPLICA or not self._overlaps():
            for each in _needed(chunks):
                out[slices_of(each.index)] = gpunp.asnumpy(each.array)
        else:
            out[...] = identity("DistributedArray.get", self._mode, self._dtype)
            for each in chunks:
                # The ellipsis makes it a view even without dimensions.
                part = out[(*slices_of(each.index), ...)]
                combine(self._mode)(part, gpunp.asnumpy(each.array), out=part)
        return out

    def astype(self, dtype, copy=True):
        """The array with elements of another dtype, in replica mode.

        Parameters
        ----------
        dtype : dtype_like
        copy : bool, default True

        Returns
        -------
        DistributedArray
        """
        dtype = numpy.dtype(dtype)
        if dtype == self._dtype and not copy:
            return self
        chunks = []
        for each in self.change_mode(REPLICA)._flat():
            with device_of(each.number, self._on_cpu):
                chunks.append(each._replace(array=each.array.astype(dtype)))
        return self._with(chunks, dtype=dtype, mode=REPLICA)

    def copy(self, order="C"):
        """A copy on the same devices, in the same mode.

        Parameters
        ----------
        order : {"C"}

        Returns
        -------
        DistributedArray
        """
        if order not in ("C", "K", "A"):
            raise ValueError(f"DistributedArray.copy: chunks are in order 'C', not {order!r}")
        chunks = []
        for each in self._flat():
            with device_of(each.number, self._on_cpu):
                chunks.append(each._replace(array=each.array.copy()))
        return self._with(chunks)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def synchronize(self):
        """Wait until the operations on the devices of the array have run."""
        for number in self._chunks:
            device_of(number, self._on_cpu).synchronize()

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from gpunp.distributed.array.elementwise import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        from gpunp.distributed.array.functions import call_function

        return call_function(function, args, kwargs)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a DistributedArray is not copied to the host implicitly; use its method get()")

    def __getitem__(self, index):
        raise TypeError(
            "a DistributedArray cannot be indexed; use reshard(), the arrays of all_chunks(), or get() and "
            "index that"
        )

    def __setitem__(self, index, value):
        raise TypeError("a DistributedArray cannot be assigned to; write into the arrays of all_chunks()")

    __iter__ = None
    __hash__ = None

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self.get().reshape(())[()])

    def __getattr__(self, name):
        if name in _ABSENT:
            raise AttributeError(
                f"a DistributedArray has no {name!r}; use it on the arrays of all_chunks(), or on the "
                "result of get()"
            )
        raise AttributeError(f"'DistributedArray' object has no attribute {name!r}")

    def __repr__(self):
        devices = ", ".join(map(str, self._chunks))
        kind = f"shape {self._shape}, {self._dtype}, mode {self._mode}"
        return f"<DistributedArray of {kind}, on devices {devices}>"


def _needed(chunks):
    """Chunks without those whose elements are all in an earlier one."""
    found = []
    for each in chunks:
        if not any(meet(each.index, other.index) == each.index for other in found):
            found.append(each)
    return found


def _reduction(name):
    def method(self, axis=None, dtype=None, out=None, keepdims=False):
        from gpunp.distributed.array.reductions import reduce_array

        return reduce_array(self, name, axis=axis, dtype=dtype, out=out, keepdims=keepdims)

    def ordered(self, axis=None, out=None, keepdims=False):
        from gpunp.distributed.array.reductions import reduce_array

        return reduce_array(self, name, axis=axis, dtype=None, out=out, keepdims=keepdims)

    made = method if name in ("sum", "prod", "mean") else ordered
    made.__name__ = name
    made.__qualname__ = f"DistributedArray.{name}"
    made.__doc__ = f"""Apply `numpy.{name}` along axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            By default all axes.
        {"dtype : dtype_like, optional" + chr(10) + "        " if made is method else ""}out : None
        keepdims : bool, default False

        Returns
        -------
        DistributedArray
            Without an axis, an array without dimensions on the current device.
        """
    return made


for _name in ("sum", "prod", "max", "min", "mean", "any", "all"):
    setattr(DistributedArray, _name, _reduction(_name))

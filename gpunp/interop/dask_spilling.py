"""Results of a worker of dask that move from a GPU to the host, and from there to disk."""

import collections.abc
import copy
import os

import dask
import zict
from dask.sizeof import sizeof
from dask.utils import parse_bytes
from distributed.protocol import deserialize, serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize
from distributed.spill import SpillBuffer

from gpunp.array.ndarray import ndarray
from gpunp.device import get_device
from gpunp.interop.dask_objects import size_of

# Levels of nested containers that are searched for arrays.
_DEPTH = 3


def _on_gpu(array):
    return not array.device.is_cpu


def bytes_on_device(value, counts=_on_gpu, depth=_DEPTH):
    """The bytes of the device arrays in a value, also in containers.

    Parameters
    ----------
    value : object
    counts : callable, optional
        Whether an array counts; by default, those on GPUs.
    depth : int, optional
        Levels of containers.

    Returns
    -------
    int
    """
    if isinstance(value, ndarray):
        return size_of(value) if counts(value) else 0
    if depth and isinstance(value, list | tuple | set | frozenset):
        return sum(bytes_on_device(each, counts, depth - 1) for each in value)
    if depth and isinstance(value, dict):
        return sum(bytes_on_device(each, counts, depth - 1) for each in value.values())
    return 0


class OnHost:
    """A value whose device arrays were copied to the host.

    Parameters
    ----------
    header : dict
    frames : list
        What `distributed.protocol.serialize` made of the value.
    """

    def __init__(self, header, frames):
        self.header, self.frames = header, frames

    @classmethod
    def of(cls, value):
        """Copy a value to the host."""
        header, frames = serialize(value, serializers=("dask", "pickle"), on_error="raise")
        # Frames of the CPU device are views of the arrays, whose memory is to be freed.
        frames = [bytes(frame) if memoryview(frame).readonly else bytearray(frame) for frame in frames]
        return cls(header, frames)

    def value(self):
        """The value, with its arrays on the device again."""
        # distributed takes the header apart.
        found = deserialize(copy.deepcopy(self.header), self.frames)
        # Answers to other workers copy on a stream of their own, which does not wait for the upload.
        get_device().synchronize()
        return found


@sizeof.register(OnHost)
def _size(held):
    return sum(memoryview(frame).nbytes for frame in held.frames)


@dask_serialize.register(OnHost)
def _serialize(held):
    # The outer header describes the frames as they are written; lengths of parts are in the inner one.
    return {"header": held.header, "count": len(held.frames)}, list(held.frames)


@dask_deserialize.register(OnHost)
def _deserialize(header, frames):
    return OnHost(header["header"], list(frames))


class _Spilled(collections.abc.MutableMapping):
    """The results from the device among those on the host, under keys that no others have."""

    def __init__(self, host):
        self.host, self.keys_on_host = host, {}

    def __getitem__(self, key):
        return self.host[self.keys_on_host[key]].value()

    def __setitem__(self, key, value):
        self.host["from a device", key] = OnHost.of(value)
        self.keys_on_host[key] = "from a device", key

    def __delitem__(self, key):
        del self.host[self.keys_on_host.pop(key)]

    def __contains__(self, key):
        return key in self.keys_on_host

    def __iter__(self):
        return iter(list(self.keys_on_host))

    def __len__(self):
        return len(self.keys_on_host)


class DeviceData(collections.abc.MutableMapping):
    """The results of a worker: on the device, on the host or on disk.

    Where the device has more than its limit, results that were not used for the longest time move to the
    host. There they are in dask's own buffer, which moves them to disk. Using a result brings it back.

    Parameters
    ----------
    worker_local_directory : str
        Where dask keeps files of the worker.
    device_memory_limit : int, str or float
        The most bytes of results on the device, or a fraction of the memory of the current GPU.
    host_target : int or str, optional
        The most bytes of results on the host; none by default.
    counts : callable, optional
        Which arrays are on the device; by default, those on GPUs.
    """

    def __init__(self, worker_local_directory, device_memory_limit, host_target=None, counts=_on_gpu):
        self.counts = counts
        if isinstance(device_memory_limit, float):
            device_memory_limit = int(device_memory_limit * get_device().memory_info[1])
        self.limit = parse_bytes(device_memory_limit)
        host = parse_bytes(host_target) if host_target else None
        most = dask.config.get("distributed.worker.memory.max-spill")
        self.host = (
            {}
            if host is None
            else SpillBuffer(
                os.path.join(worker_local_directory, "storage"),
                target=host,
                max_spill=most if most is False else parse_bytes(most),
            )
        )
        self.device = zict.Buffer(
            fast={},
            slow=_Spilled(self.host),
            n=self.limit,
            weight=lambda key, value: bytes_on_device(value, self.counts),
        )
        # Keys of results without device arrays, which are in `host` as they are.
        self.plain = set()

    def __getitem__(self, key):
        return self.host[key] if key in self.plain else self.device[key]

    def __setitem__(self, key, value):
        if key in self:
            del self[key]
        if bytes_on_device(value, self.counts):
            self.device[key] = value
        else:
            self.host[key] = value
            self.plain.add(key)

    def __delitem__(self, key):
        if key in self.plain:
            del self.host[key]
            self.plain.discard(key)
        else:
            del self.device[key]

    def __contains__(self, key):
        return key in self.plain or key in self.device

    def __iter__(self):
        yield from list(self.plain)
        yield from self.device

    def __len__(self):
        return len(self.plain) + len(self.device)

    @property
    def bytes_on_device(self):
        """The bytes of the results that are on the device."""
        return self.device.fast.total_weight

    # What dask asks of data that it may move to disk where the process has too much memory.

    @property
    def fast(self):
        """The results in the memory of the host."""
        return self.host.fast if isinstance(self.host, SpillBuffer) else {}

    @property
    def spilled_total(self):
        """The bytes of the results on disk, in memory and in files."""
        return self.host.spilled_total if isinstance(self.host, SpillBuffer) else (0, 0)

    def evict(self):
        """Move the oldest result on the host to disk; return its bytes, or -1 if that failed."""
        return self.host.evict() if isinstance(self.host, SpillBuffer) and self.host.fast else -1

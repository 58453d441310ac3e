"""Chunks, and copies between them: on their own streams where there are GPUs, both ways at once."""

import collections
import contextlib
import functools
import threading
import types
from typing import NamedTuple

import numpy

import gpunp
from gpunp.array.ndarray import ndarray
from gpunp.device import get_device
from gpunp.distributed.array.index_maps import inside, is_covered, meet, shape_of, slices_of


class Chunk(NamedTuple):
    """An array, the number of its device, and the ranges of the whole array that it holds."""

    array: ndarray
    number: int
    index: tuple


def device_of(number, on_cpu):
    """The device of a number in an index map; all numbers are the CPU device there."""
    return get_device("cpu" if on_cpu else f"cuda:{number}")


# Pairs of streams by device. Memory that is freed on one is used again only after a wait for the current
# stream of the same thread, so each thread has its own.
_of_thread = threading.local()


# Arrays that another GPU is reading, with the event after that.
_read = collections.deque()
_one_at_a_time = threading.Lock()


def combined_results(arrays, device, ufunc):
    """Combine results of few bytes, which are not written any more, on one GPU.

    Its kernels read the memory of the other GPUs, in the order of its stream: a kernel takes less time than a
    copy and a kernel. `ndarray.to_device` would also have the others wait for all that the GPU has queued, as
    they may write the arrays next; here the arrays are kept until they were read.
    """
    get_current_stream = _cuda().get_current_stream
    receiver = get_current_stream(device)
    captured = receiver.is_capturing()
    values, foreign = [], []
    for array in arrays:
        home = array.device
        if home is device:
            values.append(array)
            continue
        seen = None if captured else _seen_from(device, array)
        if seen is None:
            values.append(array.to_device(device))
            continue
        receiver.wait_event(get_current_stream(home).record())
        values.append(seen)
        foreign.append(array)
    with device:
        total = values[0] if len(values) > 1 or not foreign else values[0].copy()
        for value in values[1:]:
            total = ufunc(total, value)
        if foreign:
            # Starts what is deferred, so that the event is after it.
            _ = total.data.ptr
            with _one_at_a_time:
                _read.append((foreign, receiver.record()))
                while _read and _read[0][1].done:
                    _read.popleft()
    return total


@functools.cache
def _cuda():
    """What only GPUs need. It is imported once: statements in the functions would take time in each call."""
    from gpunp.cuda.memory_blocks import UnownedMemory
    from gpunp.cuda.pointers import MemoryPointer
    from gpunp.cuda.stream import get_current_stream
    from gpunp.cuda.transfer import reaches

    return types.SimpleNamespace(
        UnownedMemory=UnownedMemory,
        MemoryPointer=MemoryPointer,
        get_current_stream=get_current_stream,
        reaches=reaches,
    )


def _seen_from(device, array):
    """An array of another GPU as one of this GPU, with the same memory; None if it cannot reach it."""
    cuda, pointer = _cuda(), array.data
    if not array.flags.c_contiguous or not cuda.reaches(device, pointer.mem):
        return None
    memory = cuda.UnownedMemory(pointer.ptr, max(array.nbytes, 1), array, device.index)
    return ndarray(array.shape, array.dtype, memptr=cuda.MemoryPointer(memory))


class Copies:
    """Context manager in which chunks are copied between devices.

    Each GPU sends and receives on two streams of its own. Before the first copy they wait for the current
    streams, which wait for them at the end. Use results of `fetch` after it, or after an `event`.

    Parameters
    ----------
    numbers : iterable of int
        The devices.
    on_cpu : bool
        Whether these are names of parts on the CPU device.
    """

    def __init__(self, numbers, on_cpu):
        self.numbers = sorted(set(numbers))
        self.on_cpu = on_cpu
        # The current streams, once something is copied.
        self.current = None

    def __enter__(self):
        return self

    def _begin(self):
        from gpunp.cuda.stream import get_current_stream

        self.current = {number: get_current_stream(number) for number in self.numbers}
        for number in self.numbers:
            for stream in self._pair(number):
                stream.wait_stream(self.current[number])

    def _pair(self, number):
        """The streams on which a device sends and receives."""
        if self.current is None:
            self._begin()
        streams = vars(_of_thread)
        found = streams.get(str(number))
        if found is None:
            from gpunp.cuda.stream import Stream

            found = tuple(Stream(non_blocking=True, device=number) for _ in range(2))
            streams[str(number)] = found
        return found

    def __exit__(self, *exc):
        if self.current is not None:
            for number in self.numbers:
                for stream in self._pair(number):
                    self.current[number].wait_stream(stream)

    def turn(self):
        """Let later copies wait for the earlier ones, and what they wrote."""
        if self.current is not None:
            for number in self.numbers:
                send, receive = self._pair(number)
                send.wait_stream(receive)
                receive.wait_stream(send)

    @contextlib.contextmanager
    def receiving(self, number):
        """Make a device current, and the stream on which it receives."""
        with device_of(number, self.on_cpu):
            if self.on_cpu:
                yield
            else:
                with self._pair(number)[1]:
                    yield

    def event(self, number):
        """An event after what has been queued for a device to receive; None on the CPU device."""
        return None if self.on_cpu else self._pair(number)[1].record()

    def move(self, array, source, number):
        """An array of the device ``source`` on another one: a copy, or itself if it is there already."""
        if self.on_cpu or source == number:
            return array
        with self._pair(source)[0], self.receiving(number):
            return array.to_device(device_of(number, on_cpu=False))

    def put(self, target, number, array, source, ufunc=None):
        """Copy an array of another device into one of the device ``number``, or combine it with that one."""
        moved = self.move(array, source, number)
        with self.receiving(number):
            if ufunc is None:
                target[...] = moved
            else:
                ufunc(target, moved, out=target)

    def fetch(self, call, chunks, index, number, dtype):
        """The elements of an index on a device: of a chunk that is there if possible, else copied.

        Parameters
        ----------
        call : str
            Named in errors.
        chunks : list of Chunk
            In replica mode.
        index : tuple of range
        number : int
        dtype : numpy.dtype

        Returns
        -------
        ndarray
            It may be a view of a chunk.
        """
        pieces = [(each, meet(each.index, index)) for each in chunks]
        pieces = [(each, common) for each, common in pieces if common is not None]
        # Own chunks come first.
        pieces.sort(key=lambda piece: piece[0].number != number)
        for each, common in pieces:
            if common == index:
                return self.move(each.array[inside(index, each.index)], each.number, number)
        if not is_covered(index, [common for _, common in pieces]):
            raise ValueError(
                f"{call}: no chunk holds some of the elements {index}; give an index map that covers them"
            )
        with self.receiving(number):
            target = gpunp.empty(shape_of(index), dtype)
        done = []
        for each, common in pieces:
            if not any(meet(common, other) == common for other in done):
                done.append(common)
                piece = each.array[inside(common, each.index)]
                self.put(target[inside(common, index)], number, piece, each.number)
        return target


def upload(array, index, device):
    """The elements of an index of a host array, on a device."""
    with device:
        return gpunp.asarray(numpy.ascontiguousarray(array[slices_of(index)]))

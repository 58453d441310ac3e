"""Collective operations between arrays of the CPU device, over sockets."""

import contextlib
import os
import selectors
import socket
import struct
import time

import numpy

from gpunp.array.transfer import host_view
from gpunp.distributed.backend import Backend
from gpunp.distributed.store import receive_exactly

_LENGTH = struct.Struct("!Q")
_RANK = struct.Struct("!I")
_COMBINE = {"sum": numpy.add, "prod": numpy.multiply, "max": numpy.maximum, "min": numpy.minimum}


class HostBackend(Backend):
    """A communicator of processes on the CPU device; made by `init_process_group`.

    It has the methods of `NCCLBackend` and its checks, so that programs are tested without GPUs. Reductions
    add in the order of the ranks, and give the same bits in all processes.

    Parameters
    ----------
    n_devices, rank, host, port, timeout
        Those of `init_process_group`.
    """

    def __init__(self, n_devices, rank, host=None, port=None, timeout=300.0):
        from gpunp.distributed.group import StoreMeeting

        self._join(StoreMeeting(n_devices, rank, host, port, timeout))

    @classmethod
    def of(cls, meeting):
        """The communicator of processes that have met.

        Parameters
        ----------
        meeting : StoreMeeting

        Returns
        -------
        HostBackend
        """
        self = cls.__new__(cls)
        self._join(meeting)
        return self

    def _begin(self, meeting):
        super().__init__(meeting.size, meeting.rank)
        if not self.device.is_cpu:
            raise ValueError(
                f"HostBackend: the current device must be the CPU device, it is {self.device}; use "
                "backend='nccl'"
            )
        self._meeting = meeting
        self._peers = Peers(meeting)

    @contextlib.contextmanager
    def _within(self, stream):
        if stream is not None:
            raise ValueError(
                f"HostBackend: the CPU device has no streams; stream must be None, not {stream!r}"
            )
        self._meeting.require()
        yield

    @contextlib.contextmanager
    def _transport(self, stream):
        with self._within(stream):
            yield self._peers

    def barrier(self):
        """Wait until all processes have called this."""
        self._meeting.barrier()

    def stop(self):
        """Leave the group, when all have come here."""
        self._meeting.stop()
        self._peers.close()

    def _leave(self):
        self._meeting.stop(orderly=False)
        self._peers.close()


def _memory(values):
    """The memory of a contiguous NumPy array."""
    return memoryview(values.reshape(-1).view(numpy.uint8))


class Peers:
    """Connections with all other processes, and what is done with them.

    Parameters
    ----------
    meeting : StoreMeeting
    """

    def __init__(self, meeting):
        self.size, self.rank, self.timeout = meeting.size, meeting.rank, meeting.timeout
        self.sockets = {}
        try:
            self._connect(meeting)
        except BaseException:
            self.close()
            raise

    def _connect(self, meeting):
        token = meeting.share("token", os.urandom(16))
        # The others reach this process by the address by which it reaches rank 0.
        here = meeting.store.local_address()
        family = socket.AF_INET6 if ":" in here else socket.AF_INET
        with socket.create_server((here, 0), family=family, backlog=self.size) as listener:
            meeting.store.set(f"peer/{self.rank}", f"{here} {listener.getsockname()[1]}".encode())
            for peer in range(self.rank + 1, self.size):
                self._call(peer, meeting.store.get(f"peer/{peer}"), token)
            listener.settimeout(self.timeout)
            while len(self.sockets) < self.size - 1:
                self._accept(listener, token)
        for connection in self.sockets.values():
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(0)

    def _call(self, peer, address, token):
        host, port = address.decode().split()
        try:
            self.sockets[peer] = socket.create_connection((host, int(port)), timeout=self.timeout)
            self.sockets[peer].sendall(token + _RANK.pack(self.rank))
        except OSError as error:
            raise ConnectionError(
                f"HostBackend: rank {peer} does not answer at {host}:{port} ({error}): does its process "
                "still run, and do hosts let connections between their ports through?"
            ) from error

    def _accept(self, listener, token):
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            missing = [peer for peer in range(self.rank) if peer not in self.sockets]
            raise TimeoutError(
                f"HostBackend: within {self.timeout:g} s rank {', '.join(map(str, missing))} did not connect "
                f"to rank {self.rank}; do their processes still run?"
            ) from None
        connection.settimeout(self.timeout)
        # What does not know the token is not of this group.
        try:
            if receive_exactly(connection, len(token)) == token:
                self.sockets[_RANK.unpack(receive_exactly(connection, _RANK.size))[0]] = connection
                return
        except OSError:
            pass
        connection.close()

    def exchange(self, sends, receives):
        """Send and receive flat arrays, all at the same time.

        Parameters
        ----------
        sends, receives : list of (ndarray, int)
            At most one of each for a process.
        """
        self.move(
            {peer: _memory(host_view(a)) for a, peer in sends},
            {peer: _memory(host_view(a)) for a, peer in receives},
        )

    def move(self, sends, receives):
        """The same for bytes by process."""
        waiting = {}
        for peer, data in sends.items():
            waiting.setdefault(peer, []).append(_Sending(peer, data))
        for peer, data in receives.items():
            waiting.setdefault(peer, []).append(_Receiving(peer, data))
        end = time.monotonic() + self.timeout
        with selectors.DefaultSelector() as selector:
            for peer, works in waiting.items():
                selector.register(self.sockets[peer], _events(works), (peer, works))
            while selector.get_map():
                ready = selector.select(max(end - time.monotonic(), 0))
                if not ready:
                    late = sorted(key.data[0] for key in selector.get_map().values())
                    raise TimeoutError(
                        f"HostBackend: within {self.timeout:g} s nothing came from, or went to, rank "
                        f"{', '.join(map(str, late))}; did all processes make the same calls?"
                    )
                end = time.monotonic() + self.timeout
                for key, events in ready:
                    _progress(selector, key, events)

    def reduce_scatter(self, source, target, op):
        """Reduce equal parts, one for each process, whose order is that of the ranks."""
        count = target.size
        mine = host_view(source).reshape(self.size, count)
        target = host_view(target)
        found = numpy.empty_like(mine)
        others = [peer for peer in range(self.size) if peer != self.rank]
        self.move(
            {peer: _memory(mine[peer]) for peer in others},
            {peer: _memory(found[peer]) for peer in others},
        )
        found[self.rank] = mine[self.rank]
        target[...] = _folded(found, op)

    def all_gather(self, source, target):
        """Join the elements of all."""
        rows = host_view(target).reshape(self.size, source.size)
        mine = host_view(source)
        if mine.ctypes.data != rows[self.rank].ctypes.data:
            mine = mine.copy()
            rows[self.rank] = mine
        others = [peer for peer in range(self.size) if peer != self.rank]
        self.move(
            {peer: _memory(rows[self.rank]) for peer in others},
            {peer: _memory(rows[peer]) for peer in others},
        )

    def all_reduce(self, source, target, op):
        """Each process reduces one part, and sends the result to all."""
        values = host_view(source)
        parts = numpy.array_split(values, self.size)
        mine = parts[self.rank]
        found = numpy.empty((self.size, mine.size), values.dtype)
        others = [peer for peer in range(self.size) if peer != self.rank]
        self.move(
            {peer: _memory(parts[peer]) for peer in others},
            {peer: _memory(found[peer]) for peer in others},
        )
        found[self.rank] = mine
        results = numpy.array_split(host_view(target), self.size)
        results[self.rank][...] = _folded(found, op)
        self.move(
            {peer: _memory(results[self.rank]) for peer in others},
            {peer: _memory(results[peer]) for peer in others},
        )

    def reduce(self, source, target, root, op):
        """One process reduces all."""
        values = host_view(source)
        if self.rank != root:
            self.move({root: _memory(values)}, {})
            return
        found = numpy.empty((self.size, values.size), values.dtype)
        self.move({}, {peer: _memory(found[peer]) for peer in range(self.size) if peer != root})
        found[root] = values
        host_view(target)[...] = _folded(found, op)

    def broadcast(self, array, root):
        """One process sends to all."""
        data = _memory(host_view(array))
        if self.rank == root:
            self.move({peer: data for peer in range(self.size) if peer != root}, {})
        else:
            self.move({}, {root: data})

    def close(self):
        """End the connections."""
        for connection in self.sockets.values():
            connection.close()


def _folded(rows, op):
    with numpy.errstate(all="ignore"):
        result = rows[0]
        for row in rows[1:]:
            _COMBINE[op](result, row, out=result)
    return result


def _events(works):
    return sum(work.event for work in works)


def _progress(selector, key, events):
    """Go on with the work on a connection that is ready, and forget what is done."""
    peer, works = key.data
    for work in list(works):
        if work.event & events and work.step(key.fileobj):
            works.remove(work)
    if works:
        selector.modify(key.fileobj, _events(works), (peer, works))
    else:
        selector.unregister(key.fileobj)


def _ended(peer, error=None):
    """The error for a process that does not answer any more."""
    reason = "" if error is None else f" ({error})"
    return ConnectionError(f"HostBackend: the process of rank {peer} has ended{reason}")


class _Sending:
    """A message that goes to a process: its length and its bytes."""

    event = selectors.EVENT_WRITE

    def __init__(self, peer, data):
        self.peer = peer
        self.rest = [memoryview(_LENGTH.pack(data.nbytes)), data]

    def step(self, connection):
        """Send what the connection takes; return whether that was all."""
        try:
            sent = connection.sendmsg(self.rest)
        except BlockingIOError:
            return False
        except OSError as error:
            raise _ended(self.peer, error) from error
        while self.rest and sent >= self.rest[0].nbytes:
            sent -= self.rest.pop(0).nbytes
        if self.rest:
            self.rest[0] = self.rest[0][sent:]
        return not self.rest


class _Receiving:
    """A message that comes from a process."""

    event = selectors.EVENT_READ

    def __init__(self, peer, data):
        self.peer, self.data = peer, data
        self.head = bytearray(_LENGTH.size)
        self.rest = memoryview(self.head)
        self.in_head = True

    def step(self, connection):
        """Receive what is there; return whether that was all."""
        while True:
            if not self.rest.nbytes:
                if not self.in_head:
                    return True
                self._begin_data()
                continue
            try:
                got = connection.recv_into(self.rest)
            except BlockingIOError:
                return False
            except OSError as error:
                raise _ended(self.peer, error) from error
            if not got:
                raise _ended(self.peer)
            self.rest = self.rest[got:]

    def _begin_data(self):
        sent = _LENGTH.unpack(self.head)[0]
        if sent != self.data.nbytes:
            raise ValueError(
                f"HostBackend: rank {self.peer} sent {sent} bytes where {self.data.nbytes} are expected; "
                "sizes and dtypes must agree in all processes"
            )
        self.in_head = False
        self.rest = self.data

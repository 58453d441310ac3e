"""What communicators have in common: arguments are checked here, and transports move flat arrays."""

from gpunp.device import get_device
from gpunp.distributed import sparse
from gpunp.distributed.checks import (
    checked_array,
    checked_count,
    checked_operation,
    checked_pair,
    checked_rank,
    checked_rows,
    checked_size,
    flat,
)


def left_group():
    """The error of a call in a process that has left its group."""
    return RuntimeError("this process has left its group; join another by init_process_group for more calls")


class Backend:
    """A communicator of a group of processes.

    Derived classes define `_transport`, which gives the calls' flat arrays to the library within a stream,
    and the operations of a transport: ``exchange``, ``all_reduce``, ``reduce``, ``broadcast``,
    ``reduce_scatter`` and ``all_gather``.

    Parameters
    ----------
    size, rank : int

    Attributes
    ----------
    rank : int
        The number of this process.
    size : int
        The number of processes.
    device : Device
        On which the arrays of this process must be.
    """

    def __init__(self, size, rank):
        self.size = size
        self.rank = rank
        self.device = get_device()

    def _join(self, meeting):
        """Begin with processes that have met; leave them if that fails."""
        try:
            self._begin(meeting)
        except BaseException:
            meeting.stop(orderly=False)
            raise

    def _begin(self, meeting):
        raise NotImplementedError

    def _transport(self, stream):
        raise NotImplementedError

    def _name(self, call):
        return f"{type(self).__name__}.{call}"

    def all_reduce(self, in_array, out_array, op="sum", stream=None):
        """Combine the arrays of all processes, element by element; all get the result.

        Parameters
        ----------
        in_array, out_array : ndarray or sparse array
            C-contiguous, of one dtype and size; they may be the same array.
        op : {"sum", "prod", "max", "min"}, default "sum"
        stream : gpunp.cuda.Stream, optional
            On which the operation is queued, after what the current stream has; by default the current one.
        """
        call = self._name("all_reduce")
        if sparse.is_sparse(in_array):
            return sparse.all_reduce(self, call, in_array, out_array, op, stream)
        checked_pair(call, in_array, out_array, self.device)
        checked_operation(call, op, in_array.dtype)
        checked_size(call, "out_array", out_array, in_array.size, exact=True)
        with self._transport(stream) as transport:
            transport.all_reduce(flat(in_array), flat(out_array), op)

    def reduce(self, in_array, out_array, root=0, op="sum", stream=None):
        """Combine the arrays of all processes, element by element; one process gets the result.

        Parameters
        ----------
        in_array : ndarray or sparse array
        out_array : ndarray, sparse array or None
            Used in the process ``root`` only.
        root : int, default 0
        op : {"sum", "prod", "max", "min"}, default "sum"
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("reduce")
        root = checked_rank(call, "root", root, self.size)
        if sparse.is_sparse(in_array):
            return sparse.reduce(self, call, in_array, out_array, root, op, stream)
        checked_array(call, "in_array", in_array, self.device)
        checked_operation(call, op, in_array.dtype)
        target = None
        if self.rank == root:
            checked_pair(call, in_array, out_array, self.device)
            checked_size(call, "out_array", out_array, in_array.size, exact=True)
            target = flat(out_array)
        with self._transport(stream) as transport:
            transport.reduce(flat(in_array), target, root, op)

    def broadcast(self, in_out_array, root=0, stream=None):
        """Copy the array of one process into those of the others.

        Parameters
        ----------
        in_out_array : ndarray or sparse array
            Sent by ``root``, written by the others; of equal size in all.
        root : int, default 0
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("broadcast")
        root = checked_rank(call, "root", root, self.size)
        if sparse.is_sparse(in_out_array):
            return sparse.broadcast(self, call, in_out_array, root, stream)
        checked_array(call, "in_out_array", in_out_array, self.device, written=self.rank != root)
        with self._transport(stream) as transport:
            transport.broadcast(flat(in_out_array), root)

    def reduce_scatter(self, in_array, out_array, count, op="sum", stream=None):
        """Combine the arrays of all processes, and give each process a part of the result.

        Parameters
        ----------
        in_array : ndarray or list of sparse arrays
            ``count`` elements for each process, or a sparse array for each.
        out_array : ndarray or sparse array
        count : int
            The number of elements that each process gets; ignored for sparse arrays.
        op : {"sum", "prod", "max", "min"}, default "sum"
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("reduce_scatter")
        if sparse.is_sparse(in_array):
            return sparse.reduce_scatter(self, call, in_array, out_array, op, stream)
        count = checked_count(call, count)
        checked_pair(call, in_array, out_array, self.device)
        checked_operation(call, op, in_array.dtype)
        checked_size(call, "in_array", in_array, count * self.size)
        checked_size(call, "out_array", out_array, count)
        source, target = in_array.reshape(-1)[: count * self.size], out_array.reshape(-1)[:count]
        with self._transport(stream) as transport:
            transport.reduce_scatter(flat(source), flat(target), op)

    def all_gather(self, in_array, out_array, count, stream=None):
        """Join elements of all processes, in the order of their ranks; all get the result.

        Parameters
        ----------
        in_array : ndarray or sparse array
        out_array : ndarray, or list for sparse arrays
            ``count`` elements of each process.
        count : int
            The number of elements that each process sends; ignored for sparse arrays.
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("all_gather")
        if sparse.is_sparse(in_array):
            return sparse.all_gather(self, call, in_array, out_array, stream)
        count = checked_count(call, count)
        checked_pair(call, in_array, out_array, self.device)
        checked_size(call, "in_array", in_array, count)
        checked_size(call, "out_array", out_array, count * self.size)
        source, target = in_array.reshape(-1)[:count], out_array.reshape(-1)[: count * self.size]
        with self._transport(stream) as transport:
            transport.all_gather(flat(source), flat(target))

    def send(self, array, peer, stream=None):
        """Send an array to another process, which must call `recv`.

        Parameters
        ----------
        array : ndarray or sparse array
        peer : int
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("send")
        self._other(call, peer)
        if sparse.is_sparse(array):
            return sparse.exchange(self, call, [(array, peer)], [], stream)
        checked_array(call, "array", array, self.device)
        with self._transport(stream) as transport:
            transport.exchange([(flat(array), peer)], [])

    def recv(self, out_array, peer, stream=None):
        """Receive an array that another process sends.

        Parameters
        ----------
        out_array : ndarray or sparse array
            Of the size and dtype of what is sent; a sparse array of its format.
        peer : int
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("recv")
        self._other(call, peer)
        if sparse.is_sparse(out_array):
            return sparse.exchange(self, call, [], [(out_array, peer)], stream)
        checked_array(call, "out_array", out_array, self.device, written=True)
        with self._transport(stream) as transport:
            transport.exchange([], [(flat(out_array), peer)])

    def send_recv(self, in_array, out_array, peer, stream=None):
        """Send an array to another process and receive one from it, at the same time.

        Parameters
        ----------
        in_array, out_array : ndarray or sparse array
        peer : int
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("send_recv")
        self._other(call, peer)
        if sparse.is_sparse(in_array):
            return sparse.exchange(self, call, [(in_array, peer)], [(out_array, peer)], stream)
        checked_array(call, "in_array", in_array, self.device)
        checked_array(call, "out_array", out_array, self.device, written=True)
        with self._transport(stream) as transport:
            transport.exchange([(flat(in_array), peer)], [(flat(out_array), peer)])

    def _other(self, call, peer):
        if checked_rank(call, "peer", peer, self.size) == self.rank:
            raise ValueError(f"{call}: peer must be another process, {peer} is the rank of this one")

    def scatter(self, in_array, out_array, root=0, stream=None):
        """Send each process its row of the array of one process.

        Parameters
        ----------
        in_array : ndarray, list of sparse arrays or None
            Of shape ``(size, ...)``; used in the process ``root`` only.
        out_array : ndarray or sparse array
        root : int, default 0
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("scatter")
        root = checked_rank(call, "root", root, self.size)
        if sparse.is_sparse(out_array):
            return sparse.scatter(self, call, in_array, out_array, root, stream)
        checked_array(call, "out_array", out_array, self.device, written=True)
        sends = []
        if self.rank == root:
            checked_pair(call, in_array, out_array, self.device)
            checked_rows(call, "in_array", in_array, self.size)
            checked_size(call, "out_array", out_array, in_array.size // self.size, exact=True)
            sends = [(flat(in_array[peer]), peer) for peer in range(self.size)]
        self._exchange(sends, [(flat(out_array), root)], stream)

    def gather(self, in_array, out_array, root=0, stream=None):
        """Collect the arrays of all processes as the rows of an array of one process.

        Parameters
        ----------
        in_array : ndarray or sparse array
        out_array : ndarray, list (for sparse arrays) or None
            Of shape ``(size, ...)``; used in the process ``root`` only.
        root : int, default 0
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("gather")
        root = checked_rank(call, "root", root, self.size)
        if sparse.is_sparse(in_array):
            return sparse.gather(self, call, in_array, out_array, root, stream)
        checked_array(call, "in_array", in_array, self.device)
        receives = []
        if self.rank == root:
            checked_pair(call, in_array, out_array, self.device)
            checked_rows(call, "out_array", out_array, self.size)
            checked_size(call, "in_array", in_array, out_array.size // self.size, exact=True)
            receives = [(flat(out_array[peer]), peer) for peer in range(self.size)]
        self._exchange([(flat(in_array), root)], receives, stream)

    def all_to_all(self, in_array, out_array, stream=None):
        """Send row i to process i, and receive the rows for this process, in the order of the ranks.

        Parameters
        ----------
        in_array, out_array : ndarray or list of sparse arrays
            Of shape ``(size, ...)``, or lists with one for each process.
        stream : gpunp.cuda.Stream, optional
        """
        call = self._name("all_to_all")
        if sparse.is_sparse(in_array):
            return sparse.all_to_all(self, call, in_array, out_array, stream)
        checked_pair(call, in_array, out_array, self.device)
        checked_rows(call, "in_array", in_array, self.size)
        checked_rows(call, "out_array", out_array, self.size)
        checked_size(call, "out_array", out_array, in_array.size, exact=True)
        if in_array.size and in_array.data_address == out_array.data_address:
            in_array = in_array.copy()
        ranks = range(self.size)
        sends = [(flat(in_array[peer]), peer) for peer in ranks]
        self._exchange(sends, [(flat(out_array[peer]), peer) for peer in ranks], stream)

    def _exchange(self, sends, receives, stream):
        """Send and receive flat arrays; what this process sends to itself is copied."""
        own = [array for array, peer in sends if peer == self.rank]
        kept = [array for array, peer in receives if peer == self.rank]
        with self._transport(stream) as transport:
            for source, target in zip(own, kept, strict=True):
                target[...] = source
            transport.exchange(
                [each for each in sends if each[1] != self.rank],
                [each for each in receives if each[1] != self.rank],
            )

    def barrier(self):
        """Wait on the host until all processes have called this."""
        raise NotImplementedError

    def stop(self):
        """Leave the group; all processes should call this at the end."""
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        # After an error the others may never come.
        if kind is None:
            self.stop()
        else:
            self._leave()

    def _leave(self):
        """Leave the group without the others."""
        raise NotImplementedError

    def __repr__(self):
        return f"<{type(self).__name__} rank {self.rank} of {self.size} on {self.device}>"

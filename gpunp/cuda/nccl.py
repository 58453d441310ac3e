"""Collective operations of several GPUs through NCCL and the package nccl4py.

The functions and methods take addresses, numbers of elements and numbers of data types: for a gpunp array
``a.data.ptr``, ``a.size`` and for example ``NCCL_DOUBLE``.
"""

import os

import numpy

from gpunp.device import flush_devices

NCCL_INT8, NCCL_CHAR, NCCL_UINT8, NCCL_INT32, NCCL_INT = 0, 0, 1, 2, 2
NCCL_UINT32, NCCL_INT64, NCCL_UINT64, NCCL_FLOAT16, NCCL_HALF = 3, 4, 5, 6, 6
NCCL_FLOAT32, NCCL_FLOAT, NCCL_FLOAT64, NCCL_DOUBLE = 7, 7, 8, 8
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN = range(4)

DTYPES = [numpy.dtype(name) for name in ("i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8")]


def _package():
    # Multicast over NVLink needs a set-up that not every host has; what the user set stands.
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    try:
        import nccl.core
    except ImportError as error:
        raise ImportError("gpunp.cuda.nccl needs the package nccl4py: pip install gpunp[nccl]") from error
    return nccl.core


def _require_datatype(number, name):
    if not 0 <= number < len(DTYPES):
        raise ValueError(
            f"NcclCommunicator.{name}: datatype must be NCCL_INT8 (0) to NCCL_FLOAT64 (8), not {number}"
        )


def _require_operation(number, name):
    if not NCCL_SUM <= number <= NCCL_MIN:
        raise ValueError(f"NcclCommunicator.{name}: op must be NCCL_SUM (0) to NCCL_MIN (3), not {number}")


def get_version():
    """The version of the NCCL library, 22803 for 2.28.3.

    Returns
    -------
    int
    """
    found = _package().get_version().libnccl
    if found is None:
        raise RuntimeError("nccl.get_version: libnccl.so was not found: pip install gpunp[nccl]")
    return _number(found.version)


def get_build_version():
    """The version of NCCL whose headers nccl4py was built with, 22803 for 2.28.3.

    Returns
    -------
    int
    """
    return _number(_package().get_version().nccl_bindings)


def _number(version):
    major, minor, micro = version.release[:3]
    return 10000 * major + 100 * minor + micro


def get_unique_id():
    """A number that identifies a new communicator; one process makes it and sends it to the others.

    Returns
    -------
    tuple of int
        128 bytes.
    """
    return tuple(bytes(_package().get_unique_id()))


def groupStart():
    """Begin a group of operations, which run together; needed where one thread has several communicators."""
    _package().group_start()


def groupEnd():
    """End the group that `groupStart` began."""
    _package().group_end()


class NcclCommunicator:
    """A communicator: this process is one of several ranks, each with a device.

    Parameters
    ----------
    ndev : int
        The number of ranks.
    commId : tuple of int
        Of `get_unique_id`, the same in all ranks.
    rank : int
        From 0. The current device is that of the rank.

    Raises
    ------
    ImportError
        If nccl4py is not installed.
    """

    def __init__(self, ndev, commId, rank):
        package = _package()
        from gpunp.cuda import driver, runtime_devices

        driver.make_current()
        self._device = runtime_devices.getDevice()
        identifier = package.UniqueId.from_bytes(bytes(commId))
        self._comm = package.Communicator.init(ndev, rank, identifier)

    @staticmethod
    def initAll(devices):
        """Make a communicator for each of several devices of this process.

        Parameters
        ----------
        devices : int or sequence of int
            The numbers of the devices, or how many.

        Returns
        -------
        list of NcclCommunicator
        """
        found = []
        places = range(devices) if isinstance(devices, int) else devices
        for comm, device in zip(_package().Communicator.init_all(devices), places, strict=True):
            communicator = NcclCommunicator.__new__(NcclCommunicator)
            communicator._comm, communicator._device = comm, device
            found.append(communicator)
        return found

    def _call(self, name, function, stream, datatype, *args):
        """Call a function of the library, after deferred calls of gpunp."""
        _require_datatype(datatype, name)
        from nccl.bindings import nccl as library

        from gpunp.cuda import driver

        flush_devices()
        driver.make_current(self._device)
        # The methods of nccl4py's class ask each address for its device, which gpunp knows.
        getattr(library, function)(*args, self._comm._comm, int(stream))

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        """Reduce the elements of all ranks, for all ranks.

        Parameters
        ----------
        sendbuf, recvbuf, count, datatype, op, stream : int
            Addresses, the number of elements, numbers ``NCCL_...`` and the handle of a stream.
        """
        _require_operation(op, "allReduce")
        self._call("allReduce", "all_reduce", stream, datatype, sendbuf, recvbuf, count, datatype, op)

    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        """Reduce the elements of all ranks, for one rank.

        Parameters
        ----------
        sendbuf, recvbuf, count, datatype, op, root, stream : int
            Addresses, the number of elements, numbers ``NCCL_...``, a rank and the handle of a stream.
        """
        _require_operation(op, "reduce")
        self._call("reduce", "reduce", stream, datatype, sendbuf, recvbuf, count, datatype, op, root)

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        """Copy the elements of one rank to all.

        Parameters
        ----------
        sendbuff, recvbuff, count, datatype, root, stream : int
            Addresses, the number of elements, a number ``NCCL_...``, a rank and the handle of a stream.
        """
        self._call("broadcast", "broadcast", stream, datatype, sendbuff, recvbuff, count, datatype, root)

    def bcast(self, buff, count, datatype, root, stream):
        """Copy the elements of one rank to all, in place.

        Parameters
        ----------
        buff, count, datatype, root, stream : int
            An address, the number of elements, a number ``NCCL_...``, a rank and the handle of a stream.
        """
        self.broadcast(buff, buff, count, datatype, root, stream)

    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):
        """Reduce the elements of all ranks, a part for each rank.

        Parameters
        ----------
        sendbuf, recvbuf, recvcount, datatype, op, stream : int
            Addresses, the number of elements of a part, numbers ``NCCL_...`` and the handle of a stream.
        """
        _require_operation(op, "reduceScatter")
        self._call(
            "reduceScatter", "reduce_scatter", stream, datatype, sendbuf, recvbuf, recvcount, datatype, op
        )

    def allGather(self, sendbuf, recvbuf, count, datatype, stream):
        """Join the elements of all ranks, for all ranks.

        Parameters
        ----------
        sendbuf, recvbuf, count, datatype, stream : int
            Addresses, the number of elements of one rank, a number ``NCCL_...`` and the handle of a stream.
        """
        self._call("allGather", "all_gather", stream, datatype, sendbuf, recvbuf, count, datatype)

    def send(self, sendbuf, count, datatype, peer, stream):
        """Send elements to another rank.

        Parameters
        ----------
        sendbuf, count, datatype, peer, stream : int
            An address, the number of elements, a number ``NCCL_...``, a rank and the handle of a stream.
        """
        self._call("send", "send", stream, datatype, sendbuf, count, datatype, peer)

    def recv(self, recvbuf, count, datatype, peer, stream):
        """Receive elements of another rank.

        Parameters
        ----------
        recvbuf, count, datatype, peer, stream : int
            An address, the number of elements, a number ``NCCL_...``, a rank and the handle of a stream.
        """
        self._call("recv", "recv", stream, datatype, recvbuf, count, datatype, peer)

    def size(self):
        """The number of ranks.

        Returns
        -------
        int
        """
        return self._comm.nranks

    def rank_id(self):
        """The rank.

        Returns
        -------
        int
        """
        return self._comm.rank

    def device_id(self):
        """The number of the device of the rank.

        Returns
        -------
        int
        """
        return self._device

    def check_async_error(self):
        """Raise the error of an operation that has failed meanwhile.

        Raises
        ------
        RuntimeError
            If there is one.
        """
        result = int(self._comm.get_async_error())
        # "In progress" is not an error.
        if result not in (0, 7):
            raise RuntimeError(f"NCCL: {_package().get_error_string(result)}")

    def abort(self):
        """End the communicator, and operations that are running."""
        self._comm.abort()

    def destroy(self):
        """Free the communicator, once its operations have run."""
        self._comm.destroy()

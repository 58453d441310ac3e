"""mpi4py accepts arrays as communication buffers, without copies."""

import subprocess
import sys

import numpy as np
import pytest

import gpunp

CHARS = "bBhHiIqQfdFD"
# Run in a separate process, because an MPI library without CUDA support ends it by a signal.
PROBE = """
import numpy, gpunp
from mpi4py import MPI
a, b = gpunp.arange(6.0), gpunp.zeros(6)
gpunp.get_device().synchronize()
MPI.COMM_SELF.{call}
assert b.tolist() == a.tolist(), b
"""


@pytest.fixture(scope="module")
def mpi():
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        # RuntimeError: mpi4py is installed, but finds no MPI library.
        pytest.skip(f"mpi4py cannot be used: {error}")
    return MPI


def need_memory_of(device, call):
    """Skip the test if the call of the MPI library does not support device memory."""
    if not device.is_cpu:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROBE.format(call=call)], capture_output=True, text=True, timeout=120
        )
        if done.returncode < 0 or "signal" in done.stderr.lower():
            pytest.skip(f"this MPI library does not support CUDA in {call.partition('(')[0]}")
        assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def sends(mpi, device):
    need_memory_of(device, "Sendrecv(a, dest=0, recvbuf=b, source=0)")


@pytest.fixture(scope="module")
def reduces(mpi, device):
    need_memory_of(device, "Allreduce(a, b)")


def test_buffers_are_the_memory_of_arrays(mpi, device):
    array = gpunp.arange(6.0)
    memory = mpi.memory.frombuffer(array)
    assert (memory.address, memory.nbytes) == (array.data_address, array.nbytes)
    part = mpi.memory.frombuffer(array[2:4])
    assert (part.address, part.nbytes) == (array.data_address + 16, 16)


@pytest.mark.parametrize("char", CHARS)
def test_sending_to_oneself(mpi, sends, char, device):
    sent = gpunp.asarray(np.arange(6).reshape(2, 3).astype(char))
    received = gpunp.zeros_like(sent)
    # MPI ignores streams: the kernels that fill the buffers must have finished.
    device.synchronize()
    mpi.COMM_SELF.Sendrecv(sent, dest=0, recvbuf=received, source=0)
    assert received.tolist() == sent.tolist()
    received[...] = 0
    device.synchronize()
    requests = [mpi.COMM_SELF.Irecv(received, source=0, tag=5), mpi.COMM_SELF.Isend(sent, dest=0, tag=5)]
    mpi.Request.Waitall(requests)
    assert received.tolist() == sent.tolist()


def test_parts_and_hosts(mpi, sends, device):
    rows = gpunp.arange(12.0).reshape(4, 3)
    device.synchronize()
    mpi.COMM_SELF.Sendrecv(rows[3], dest=0, recvbuf=rows[0], source=0)
    assert rows[0].tolist() == [9, 10, 11]
    host = np.zeros(3)
    mpi.COMM_SELF.Sendrecv(rows[3], dest=0, recvbuf=host, source=0)
    assert host.tolist() == [9, 10, 11]
    mpi.COMM_SELF.Sendrecv(host + 1, dest=0, recvbuf=rows[1], source=0)
    assert rows[1].tolist() == [10, 11, 12]
    with pytest.raises((ValueError, BufferError), match="contiguous"):
        mpi.COMM_SELF.Sendrecv(rows[:, 0], dest=0, recvbuf=rows[0], source=0)


@pytest.mark.parametrize("nbytes", [1 << 12, 1 << 20, 1 << 26])
def test_large_messages(mpi, sends, nbytes, device):
    sent = gpunp.arange(nbytes // 8)
    received = gpunp.zeros_like(sent)
    device.synchronize()
    mpi.COMM_SELF.Sendrecv(sent, dest=0, recvbuf=received, source=0)
    assert bool((received == sent).all())


@pytest.mark.parametrize("char", CHARS)
def test_reducing(mpi, reduces, char, device):
    sent = gpunp.asarray(np.arange(6).reshape(2, 3).astype(char))
    summed = gpunp.zeros_like(sent)
    device.synchronize()
    mpi.COMM_SELF.Allreduce(sent, summed)
    assert summed.tolist() == sent.tolist()


def test_memory_of_mpi_becomes_an_array(mpi):
    memory = mpi.Alloc_mem(4 * 8)
    try:
        array = gpunp.asarray(np.frombuffer(memory, np.float64), device="cpu", copy=False)
        array[...] = 7
        assert np.frombuffer(memory, np.float64).tolist() == [7] * 4
        del array
    finally:
        mpi.Free_mem(memory)

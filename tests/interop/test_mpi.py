"""mpi4py takes arrays as communication buffers, over their own memory."""

import numpy as np
import pytest

import gpunp


@pytest.fixture(scope="module")
def mpi():
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        # A RuntimeError: mpi4py is there, and no MPI library.
        pytest.skip(f"mpi4py cannot be used: {error}")
    return MPI


def test_buffers_are_the_memory_of_arrays(mpi):
    array = gpunp.arange(6.0)
    memory = mpi.memory.frombuffer(array)
    assert (memory.address, memory.nbytes) == (array.data_address, array.nbytes)


@pytest.mark.parametrize("char", "bBhHiIqQfdFD")
def test_sending_to_oneself(mpi, char, device):
    if not device.is_cpu:
        pytest.skip("needs an MPI library that knows CUDA")
    sent = gpunp.asarray(np.arange(6).reshape(2, 3).astype(char))
    received = gpunp.zeros_like(sent)
    mpi.COMM_SELF.Sendrecv(sent, dest=0, recvbuf=received, source=0)
    assert received.tolist() == sent.tolist()
    summed = gpunp.zeros_like(sent)
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

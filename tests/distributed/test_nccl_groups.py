"""Collective operations by NCCL: as many processes as there are GPUs, at most four."""

import sys

import pytest
from rank_programs import COLLECTIVES, SPARSE, run

import gpunp
import gpunp.distributed

ON_ITS_GPU = 'gpunp.Device("cuda", rank).use()\n'


@pytest.fixture
def size(device):
    """The number of processes."""
    if device.is_cpu:
        pytest.skip("needs a CUDA device")
    pytest.importorskip("nccl.core", reason="nccl4py is not installed")
    return min(gpunp.cuda.device_count(), 4)


@pytest.mark.parametrize("options", ["{}", "{'backend': 'nccl'}"])
def test_collectives_by_nccl(size, options):
    program = f"{ON_ITS_GPU}OPTIONS = {options}\n{COLLECTIVES}"
    assert run(program, size, timeout=240, GPUNP_DEVICE="cuda") == ["done\n"] * size


def test_sparse_arrays_by_nccl(size):
    run(ON_ITS_GPU + SPARSE, size, timeout=240, GPUNP_DEVICE="cuda")


def test_streams_of_collectives(size):
    program = """
    comm = distributed.init_process_group(timeout=60)
    side = gpunp.cuda.Stream(non_blocking=True)
    here = gpunp.cuda.get_current_stream()
    for turn in range(20):
        x = gpunp.full(1 << 22, rank + 1.0)
        y = gpunp.empty_like(x)
        comm.all_reduce(x, y, stream=side)
        here.wait_stream(side)
        assert float(y.min()) == float(y.max()) == size * (size + 1) / 2
        with side:
            z = y * 2
            comm.broadcast(z, 0)
            assert float(z[-1]) == size * (size + 1)
        comm.check_async_error()
    other = gpunp.ones(3, device="cpu")
    try:
        comm.all_reduce(other, other)
    except ValueError as error:
        assert "in_array is on cpu" in str(error), error
    else:
        raise AssertionError
    comm.stop()
    """
    run(ON_ITS_GPU + program.replace("\n    ", "\n"), size, timeout=240, GPUNP_DEVICE="cuda")


def test_without_nccl4py(monkeypatch, device):
    if device.is_cpu:
        pytest.skip("needs a CUDA device")
    monkeypatch.setitem(sys.modules, "nccl", None)
    monkeypatch.setitem(sys.modules, "nccl.core", None)
    with pytest.raises(ImportError, match=r"pip install gpunp\[nccl\]"):
        gpunp.distributed.init_process_group(1, 0, port=0)

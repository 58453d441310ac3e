"""Groups by MPI: two processes that mpirun starts; skipped where there is no MPI."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest
from rank_programs import COLLECTIVES, HEAD, SPARSE, free_port

import gpunp


@pytest.fixture(scope="module")
def mpirun():
    """Run a program as two processes of MPI."""
    try:
        from mpi4py import MPI  # noqa: F401
    except (ImportError, RuntimeError) as error:
        # RuntimeError: mpi4py is installed, but finds no MPI library.
        pytest.skip(f"mpi4py cannot be used: {error}")
    launcher = shutil.which("mpirun") or shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("there is no mpirun")

    def run(program, *options, **environment):
        # By torchrun's names, as other tests start processes.
        head = HEAD.replace('"RANK"', '"OMPI_COMM_WORLD_RANK"').replace(
            '"WORLD_SIZE"', '"OMPI_COMM_WORLD_SIZE"'
        )
        variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **environment}
        done = subprocess.run(
            [launcher, *options, "-n", "2", sys.executable, "-P", "-c", head + textwrap.dedent(program)],
            env={**os.environ, "GPUNP_DEVICE": "cpu", "OPENBLAS_NUM_THREADS": "1", **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    first = "print(distributed.local_rank() == rank, size)"
    try:
        output = run(first, "--oversubscribe")
    except (AssertionError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"mpirun cannot start two processes here: {error}")
    if output.split() != ["True", "2"] * 2:
        pytest.skip(f"this MPI is not Open MPI, whose variables the programs read: {output}")
    return lambda program, **environment: run(program, "--oversubscribe", **environment)


@pytest.mark.parametrize("options", ["{'backend': 'mpi'}", "{'use_mpi': True}", "{}"])
def test_collectives_by_mpi(mpirun, options):
    output = mpirun(f"OPTIONS = {options}\n" + COLLECTIVES, MASTER_PORT=str(free_port()))
    # Lines of the two processes may be joined.
    assert output.replace("\n", "") == "donedone"


def test_collectives_of_gpus_by_mpi(mpirun, device):
    if device.is_cpu:
        pytest.skip("needs a CUDA device")
    # Both processes have the same GPU; without support of device memory the elements go through the host.
    program = "OPTIONS = {'backend': 'mpi'}\n" + COLLECTIVES
    assert mpirun(program, GPUNP_DEVICE="cuda").replace("\n", "") == "donedone"


def test_sparse_arrays_by_mpi(mpirun):
    mpirun(SPARSE.replace("timeout=60", "backend='mpi'"))


def test_half_precision_is_reduced_in_single(mpirun):
    program = """
    comm = distributed.init_process_group(backend="mpi")
    x = gpunp.asarray([1, 2, 3], "f2") * (rank + 1)
    comm.all_reduce(x, x)
    assert x.dtype == "f2" and x.tolist() == [3, 6, 9], x
    y = gpunp.zeros(3, "f2")
    comm.reduce_scatter(gpunp.arange(6).astype("f2"), y, 3)
    assert y.tolist() == ([0, 2, 4] if rank == 0 else [6, 8, 10]), y
    comm.all_gather(y, x := gpunp.zeros(6, "f2"), 3)
    assert x.tolist() == [0, 2, 4, 6, 8, 10]
    comm.stop()
    """
    mpirun(program)


def test_what_mpi_says_counts(mpirun):
    program = """
    try:
        distributed.init_process_group(3, backend="mpi")
    except ValueError as error:
        assert "n_devices is 3, but MPI says 2" in str(error)
    else:
        raise AssertionError
    """
    mpirun(program)


def test_without_mpi4py(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with gpunp.Device("cpu"), pytest.raises(ImportError, match="needs the package mpi4py and an MPI library"):
        gpunp.distributed.init_process_group(backend="mpi")

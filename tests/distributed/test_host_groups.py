"""Collective operations of processes on the CPU device, against NumPy on all of their arrays."""

import pytest
from rank_programs import COLLECTIVES, SPARSE, finish, free_port, run, start


@pytest.mark.parametrize("size", [1, 2, 3])
def test_collectives(size):
    assert run("OPTIONS = {}\n" + COLLECTIVES, size) == ["done\n"] * size


@pytest.mark.parametrize("options", ["{'backend': 'mpi'}", "{'use_mpi': True}"])
def test_collectives_by_mpi_of_one_process(options):
    pytest.importorskip("mpi4py")
    assert run(f"OPTIONS = {options}\n" + COLLECTIVES, 1) == ["done\n"]


@pytest.mark.parametrize("size", [1, 2])
def test_sparse_arrays(size):
    run(SPARSE, size)


# A call of a group of one, the exception and a part of the message.
ERRORS = [
    ("all_reduce(np.ones(3), f)", TypeError, r"all_reduce: in_array must be a gpunp array.*not ndarray"),
    ("all_reduce(f, gpunp.ones(3, 'f'))", TypeError, "float64, out_array float32"),
    ("all_reduce(f, gpunp.ones(4))", ValueError, "out_array has 4 elements, 3 are needed"),
    ("all_reduce(m[:, 0], m[:, 0])", ValueError, r"C-contiguous.*ascontiguousarray\(in_array\)"),
    ("all_reduce(f, f, 'mean')", ValueError, "op must be one of sum, prod, max, min, not 'mean'"),
    ("all_reduce(c, c, 'prod')", TypeError, "complex elements can be summed only"),
    ("all_reduce(b, b)", TypeError, "elements of dtype bool cannot be reduced"),
    ("all_reduce(f, f, stream=1)", ValueError, "no streams"),
    ("reduce(f, None)", TypeError, "out_array must be a gpunp array"),
    ("reduce(f, f, 1)", ValueError, "root must be a rank, 0 to 0, not 1"),
    ("reduce(f, f, 0.5)", TypeError, "root must be an integer"),
    ("broadcast(f, -1)", ValueError, "root must be a rank"),
    ("reduce_scatter(f, f, 4)", ValueError, "in_array has 3 elements, at least 4"),
    ("reduce_scatter(f, f, 1.0)", TypeError, "count must be an integer"),
    ("all_gather(f, f, -1)", ValueError, "count must not be negative"),
    ("send(f, 0)", ValueError, "peer must be another process"),
    ("recv(f, 3)", ValueError, "peer must be a rank"),
    ("scatter(f, f)", ValueError, r"a row for each of the 1 ranks; its shape is \(3,\)"),
    ("gather(f, gpunp.ones((1, 4)))", ValueError, "in_array has 3 elements, 4 are needed"),
    ("all_to_all(f, f)", ValueError, "a row for each"),
]


@pytest.fixture(scope="module")
def alone():
    import gpunp.distributed

    with gpunp.Device("cpu"), gpunp.distributed.init_process_group(1, 0, port=0) as comm:
        yield comm


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[call for call, _, _ in ERRORS])
def test_arguments(alone, call, error, message):
    import numpy as np

    import gpunp

    with gpunp.Device("cpu"):
        names = {
            "f": gpunp.ones(3),
            "m": gpunp.ones((3, 3)),
            "c": gpunp.ones(3, "F"),
            "b": gpunp.ones(3, "?"),
        }
        with pytest.raises(error, match=message):
            eval(f"comm.{call}", {"comm": alone, "np": np, "gpunp": gpunp, **names})


def test_different_calls_are_noticed():
    program = """
    comm = distributed.init_process_group(timeout=60)
    try:
        comm.broadcast(gpunp.ones(3 + rank), 0)
    except ValueError as error:
        assert rank == 1 and "rank 0 sent 24 bytes where 32 are expected" in str(error), error
    else:
        assert rank == 0
    """
    run(program, 2)


def test_missing_calls_end():
    program = """
    comm = distributed.init_process_group(timeout=60)
    if rank == 0:
        comm._peers.timeout = 0.1
        try:
            comm.recv(gpunp.ones(3), 1)
        except TimeoutError as error:
            assert "rank 1" in str(error), error
        else:
            raise AssertionError
        comm._peers.timeout = 60
        comm.send(gpunp.ones(1), 1)
    else:
        comm.recv(gpunp.ones(1), 0)
    """
    run(program, 2)


def test_a_process_that_dies_is_named():
    program = """
    comm = distributed.init_process_group(timeout=60)
    if rank == 1:
        os._exit(3)
    x = gpunp.ones(1 << 22)
    try:
        comm.all_reduce(x, x)
    except ConnectionError as error:
        assert "rank 1 has ended" in str(error), error
        os._exit(0)
    """
    port = free_port()
    done = finish([start(program, rank, 2, port) for rank in range(2)])
    assert [status for _, _, status in done] == [0, 3], done


def test_nccl_needs_a_gpu():
    import gpunp
    from gpunp.distributed import NCCLBackend

    with gpunp.Device("cpu"), pytest.raises(ValueError, match="use init_process_group, which returns a Host"):
        NCCLBackend(1, 0, port=0)

"""Collective operations of processes on the CPU device, against NumPy on all of their arrays."""

import pytest
from rank_programs import finish, free_port, run, start

DTYPES = "bBiIlLefdFD"

# Every process makes the arrays of all, so that it knows the result.
COLLECTIVES = """
def arrays(char, shape=(size, 3)):
    rng = np.random.default_rng(5)
    return [rng.integers(0, 7, shape).astype(char) for _ in range(size)]

def on_device(a):
    return gpunp.asarray(a)

FOLDS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
comm = distributed.init_process_group(timeout=60, **OPTIONS)
assert (comm.rank, comm.size) == (rank, size)
for char in "CHARS":
    for op, fold in FOLDS.items():
        if char in "FD" and op != "sum":
            continue
        hosts = arrays(char)
        expected = hosts[0]
        for each in hosts[1:]:
            expected = fold(expected, each)
        mine = on_device(hosts[rank])
        out = gpunp.zeros_like(mine)
        comm.all_reduce(mine, out, op)
        np.testing.assert_array_equal(gpunp.asnumpy(out), expected)
        np.testing.assert_array_equal(gpunp.asnumpy(mine), hosts[rank])
        for root in range(size):
            out = gpunp.zeros_like(mine)
            comm.reduce(mine, out if rank == root else None, root, op)
            if rank == root:
                np.testing.assert_array_equal(gpunp.asnumpy(out), expected)
        part = gpunp.zeros(3, char)
        comm.reduce_scatter(mine, part, 3, op)
        np.testing.assert_array_equal(gpunp.asnumpy(part), expected[rank])
        comm.all_reduce(mine, mine, op)
        np.testing.assert_array_equal(gpunp.asnumpy(mine), expected)
for char in "CHARS?hH":
    hosts = arrays(char)
    mine = on_device(hosts[rank])
    every = gpunp.zeros((size, size, 3), char)
    comm.all_gather(mine, every, 3 * size)
    np.testing.assert_array_equal(gpunp.asnumpy(every), hosts)
    if size > 1:
        row = every.copy()
        comm.all_gather(row[rank], row, 3 * size)
        np.testing.assert_array_equal(gpunp.asnumpy(row), hosts)
    turned = gpunp.zeros_like(mine)
    comm.all_to_all(mine, turned)
    np.testing.assert_array_equal(gpunp.asnumpy(turned), [each[rank] for each in hosts])
    comm.all_to_all(turned, turned)
    np.testing.assert_array_equal(gpunp.asnumpy(turned), hosts[rank])
    for root in range(size):
        copy = mine.copy()
        comm.broadcast(copy, root)
        np.testing.assert_array_equal(gpunp.asnumpy(copy), hosts[root])
        part = gpunp.zeros(3, char)
        comm.scatter(mine if rank == root else None, part, root)
        np.testing.assert_array_equal(gpunp.asnumpy(part), hosts[root][rank])
        out = gpunp.zeros((size, size, 3), char)
        comm.gather(mine, out if rank == root else None, root)
        if rank == root:
            np.testing.assert_array_equal(gpunp.asnumpy(out), hosts)
    out = gpunp.zeros_like(mine)
    if size == 2:
        comm.send_recv(mine, out, 1 - rank)
        np.testing.assert_array_equal(gpunp.asnumpy(out), hosts[1 - rank])
    for sender in range(size):
        for receiver in range(size):
            if sender != receiver and rank == sender:
                comm.send(mine, receiver)
            elif sender != receiver and rank == receiver:
                comm.recv(out, sender)
                np.testing.assert_array_equal(gpunp.asnumpy(out), hosts[sender])
for count in (0, 1, 1 << 20):
    out = gpunp.full(count, rank + 1.0)
    comm.all_reduce(out, out)
    assert bool((out == size * (size + 1) / 2).all())
    comm.broadcast(out, size - 1)
    comm.barrier()
comm.stop()
print("done")
""".replace("CHARS", DTYPES)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_collectives(size):
    assert run("OPTIONS = {}\n" + COLLECTIVES, size) == ["done\n"] * size


@pytest.mark.parametrize("options", ["{'backend': 'mpi'}", "{'use_mpi': True}"])
def test_collectives_by_mpi_of_one_process(options):
    pytest.importorskip("mpi4py")
    assert run(f"OPTIONS = {options}\n" + COLLECTIVES, 1) == ["done\n"]


SPARSE = """
import scipy.sparse
import gpunp_scipy.sparse
comm = distributed.init_process_group(timeout=60)

def sparse(seed, format):
    host = scipy.sparse.random_array((6, 5), density=0.4, rng=seed, format=format)
    parts = (host.data, host.coords) if format == "coo" else (host.data, host.indices, host.indptr)
    move = lambda part: tuple(map(move, part)) if isinstance(part, tuple) else gpunp.asarray(part)
    return host, type(host)(tuple(map(move, parts)), shape=host.shape)

def same(device, host):
    np.testing.assert_array_equal(gpunp.asnumpy(device.toarray()), host.toarray())

ranks = range(size)
for format in ("csr", "csc", "coo"):
    hosts = [sparse(each, format)[0] for each in ranks]
    mine = sparse(rank, format)[1]
    fresh = lambda: sparse(99, format)[1]
    out = fresh()
    comm.all_reduce(mine, out)
    np.testing.assert_allclose(gpunp.asnumpy(out.toarray()), sum(each.toarray() for each in hosts))
    out = fresh()
    comm.reduce(mine, out if rank == 0 else None, 0, "max")
    if rank == 0:
        same(out, hosts[0].maximum(hosts[-1]))
    out = mine.copy()
    comm.broadcast(out, size - 1)
    same(out, hosts[-1])
    every = []
    comm.all_gather(mine, every, 0)
    for device, host in zip(every, hosts, strict=True):
        same(device, host)
    every = []
    comm.gather(mine, every if rank == 0 else None)
    assert len(every) == (size if rank == 0 else 0)
    for device, host in zip(every, hosts):
        same(device, host)
    mine_of_all = [sparse(10 * rank + each, format)[1] for each in ranks]
    out = fresh()
    comm.scatter(mine_of_all if rank == 0 else None, out)
    same(out, sparse(rank, format)[0])
    turned = []
    comm.all_to_all(mine_of_all, turned)
    for each in ranks:
        same(turned[each], sparse(10 * each + rank, format)[0])
    out = fresh()
    comm.reduce_scatter(mine_of_all, out, 0)
    expected = sum(sparse(10 * each + rank, format)[0].toarray() for each in ranks)
    np.testing.assert_allclose(gpunp.asnumpy(out.toarray()), expected)
    if size == 2:
        out = fresh()
        comm.send_recv(mine, out, 1 - rank)
        same(out, hosts[1 - rank])
        if rank:
            comm.send(mine, 0)
        else:
            comm.recv(out, 1)
            same(out, hosts[1])
        np.testing.assert_allclose(gpunp.asnumpy(out @ gpunp.ones(5)), hosts[1 - rank] @ np.ones(5))
comm.stop()
"""


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
    comm = distributed.init_process_group(timeout=20)
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
    import time
    comm = distributed.init_process_group(timeout=2)
    if rank == 0:
        try:
            comm.recv(gpunp.ones(3), 1)
        except TimeoutError as error:
            assert "rank 1" in str(error), error
        else:
            raise AssertionError
    else:
        time.sleep(4)
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

"""Programs that run as several processes: started here, each with a limit of time."""

import os
import subprocess
import sys
import textwrap

from waiting import PATIENCE

from gpunp.distributed.__main__ import free_port

__all__ = ["COLLECTIVES", "HEAD", "SPARSE", "finish", "free_port", "run", "start"]

HEAD = """
import os
import numpy as np
import gpunp
import gpunp.distributed as distributed
rank = int(os.environ["RANK"]) if "RANK" in os.environ else None
size = int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else None
"""


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


def start(program, rank, size, port, **environment):
    """Start one process of a group, on the CPU device if the environment does not say another."""
    variables = {
        "GPUNP_DEVICE": "cpu",
        "OPENBLAS_NUM_THREADS": "1",
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": size,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        **environment,
    }
    variables = {name: str(value) for name, value in variables.items() if value is not None}
    left = {name: value for name, value in os.environ.items() if name not in environment}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", HEAD + textwrap.dedent(program)],
        env={**left, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(processes, timeout=PATIENCE):
    """The outputs of processes, once they have ended; they are killed if they do not."""
    try:
        return [(*process.communicate(timeout=timeout), process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run(program, size, timeout=PATIENCE, **environment):
    """Run a program as several processes that must succeed; return their outputs."""
    port = free_port()
    done = finish([start(program, rank, size, port, **environment) for rank in range(size)], timeout)
    for _, errors, status in done:
        assert status == 0, errors[-3000:]
    return [output for output, _, _ in done]

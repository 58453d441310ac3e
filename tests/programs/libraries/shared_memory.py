"""Processes that get arrays and return them; shared memory between processes."""

# runs: alone
import multiprocessing as mp
from multiprocessing import shared_memory

import numpy as np


def row_sums(block):
    return block.sum(axis=1)


def fill(name, start, stop):
    memory = shared_memory.SharedMemory(name=name)
    view = np.ndarray((100,), float, buffer=memory.buf)
    view[start:stop] = np.arange(start, stop) ** 2
    del view
    memory.close()


def estimate(seed):
    rng = np.random.RandomState(seed)
    p = rng.rand(500, 2)
    return 4 * np.mean((p**2).sum(axis=1) < 1)


if __name__ == "__main__":
    context = mp.get_context("spawn")
    x = np.arange(400.0).reshape(20, 20)
    with context.Pool(2) as pool:
        print(np.concatenate(pool.map(row_sums, np.array_split(x, 4)))[:5])
        print(pool.starmap(np.dot, [(x[0], x[1]), (x[2], x[3])]), pool.map(estimate, range(3)))
    memory = shared_memory.SharedMemory(create=True, size=800)
    a = np.ndarray((100,), float, buffer=memory.buf)
    jobs = [context.Process(target=fill, args=(memory.name, k, k + 50)) for k in (0, 50)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    print(a[:5], a.sum())
    del a
    memory.close()
    memory.unlink()
    block = mp.Array("d", 60)
    b = np.frombuffer(block.get_obj())
    b[:] = np.linspace(0, 1, 60)
    print(sum(block), b.flags.writeable)

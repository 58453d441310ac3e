"""Arrays between coroutines, threads and queues."""

import asyncio
import queue
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np


async def produce(pipe, count):
    for i in range(count):
        await pipe.put(np.full(50, float(i)))
        await asyncio.sleep(0)
    await pipe.put(None)


async def consume(pipe):
    total = np.zeros(50)
    while (item := await pipe.get()) is not None:
        total += item
    return total


async def main():
    pipe = asyncio.Queue(2)
    _, total = await asyncio.gather(produce(pipe, 20), consume(pipe))
    loop = asyncio.get_running_loop()
    norm = await loop.run_in_executor(None, np.linalg.norm, total)
    return total[0], round(float(norm), 6)


print(asyncio.run(main()))


def work(seed):
    rng = np.random.default_rng(seed)
    x = rng.random((40, 40))
    return seed, round(float(np.linalg.eigvalsh(x + x.T).max()), 8), round(float(x.sum()), 8)


with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(work, range(4))))
    print(sorted(f.result()[0] for f in as_completed([pool.submit(work, s) for s in range(5)])))
shared, lock = np.zeros(100), threading.Lock()


def add(part):
    for _ in range(20):
        with lock:
            shared[part::4] += part


threads = [threading.Thread(target=add, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(shared[:5], shared.sum())
jobs, done = queue.Queue(), queue.Queue()


def worker():
    while (x := jobs.get()) is not None:
        done.put((x**2).sum())


t = threading.Thread(target=worker)
t.start()
for k in range(5):
    jobs.put(np.arange(40.0) * k)
jobs.put(None)
t.join()
print(sorted(float(done.get()) for _ in range(5)))
local = threading.local()
local.x = np.ones(60)
print(local.x.sum(), np.geterr()["over"], np.get_printoptions()["precision"])

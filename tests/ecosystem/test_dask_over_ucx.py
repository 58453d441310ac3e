"""Two workers that exchange arrays over UCX, with the package distributed-ucxx."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("distributed_ucxx", reason="distributed-ucxx is not installed", exc_type=ImportError)

PROGRAM = """
import asyncio
from distributed import Client, Scheduler, Worker
import gpunp

async def main():
    options = {"protocol": "ucxx", "host": "127.0.0.1"}
    async with Scheduler(dashboard=False, **options) as scheduler:
        async with (
            Worker(scheduler.address, nthreads=1, **options) as first,
            Worker(scheduler.address, nthreads=1, **options) as second,
            Client(scheduler.address, asynchronous=True) as client,
        ):
            device = gpunp.get_device()
            made = client.submit(lambda: gpunp.arange(100000.0)[::2], workers=[first.address])
            moved = client.submit(lambda x: x, made, workers=[second.address])
            await moved
            downloads = 0 if device.is_cpu else device.transfer_counts[2]
            assert first.address != second.address and first.address.startswith("ucxx://")
            found = second.data[moved.key]
            assert type(found) is gpunp.ndarray and found.device is device
            print("downloads", downloads, "sum", float(found.sum()))

asyncio.run(main())
"""


def test_workers_over_ucx(device):
    environment = {**os.environ, "GPUNP_DEVICE": device.kind}
    if device.is_cpu:
        environment |= {"UCX_TLS": "tcp,sm,self", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # Between GPUs and within one, the elements stay in device memory.
    assert done.stdout.split()[-4:] == ["downloads", "0", "sum", "2499950000.0"]

"""The rows of `several_gpus.py` that need neither dask nor other processes than its own."""

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from datetime import timedelta
from statistics import median

from gpunp.fusion import worker

MIB = 1 << 20
# Both set in the processes of the parts.
QUICK = "--quick" in sys.argv
ON_CPU = os.environ.get("GPUNP_DEVICE") == "cpu"


def emit(name, **values):
    """Print one row for the parent process."""
    print("ROW " + json.dumps({"name": name, **values}), flush=True)


@contextlib.contextmanager
def row(name, everywhere=True):
    """A row whose failure is printed, and does not end the part."""
    try:
        yield
    except Exception as error:
        if everywhere:
            emit(name, error="".join(traceback.format_exception_only(error)).strip()[:500])
        traceback.print_exc()


def run_deferred(result):
    """Let a result be computed, which may be deferred and would never be if nobody read it."""
    if hasattr(result, "all_chunks"):
        for chunks in result.all_chunks().values():
            for chunk in chunks:
                run_deferred(chunk)
    elif hasattr(result, "data_address"):
        _ = result.data_address


def alternated(functions, finish, repeats=5, calls=10):
    """The median seconds of one call of each function, which take turns."""
    times = {name: [] for name in functions}
    for _ in range(2):
        for function in functions.values():
            for _ in range(2):
                run_deferred(function())
            finish()
        # The chains that were seen become kernels.
        worker.wait(20)
    for _ in range(repeats):
        for name, function in functions.items():
            finish()
            start = time.perf_counter()
            for _ in range(calls):
                run_deferred(function())
            finish()
            times[name].append((time.perf_counter() - start) / calls)
    return {name: median(each) for name, each in times.items()}


class Torch:
    """The collectives of PyTorch, in the same process."""

    def __init__(self, rank, size, port):
        if ON_CPU:
            raise ValueError("PyTorch is compared on GPUs only")
        import torch
        import torch.distributed as dist

        torch.cuda.set_device(rank)
        address = f"tcp://127.0.0.1:{port}"
        patience = timedelta(seconds=20)
        dist.init_process_group("nccl", init_method=address, timeout=patience, rank=rank, world_size=size)
        self.torch, self.dist, self.size = torch, dist, size

    def calls(self, count):
        """all_reduce and all_gather of ``count`` float32 in all."""
        whole = self.torch.ones(count, device="cuda")
        out = self.torch.empty(count, device="cuda")
        part = whole[: count // self.size].clone()
        return {
            "all_reduce": lambda: self.dist.all_reduce(whole),
            "all_gather": lambda: self.dist.all_gather_into_tensor(out, part),
        }


def collectives(gpus):
    """Rows of NCCL, in each of the processes; rank 0 prints them."""
    import gpunp
    import gpunp.distributed as distributed

    rank = int(os.environ["RANK"])
    device = gpunp.Device("cpu") if ON_CPU else gpunp.Device("cuda", rank)
    device.use()
    with row("nccl", rank == 0):
        comm = distributed.init_process_group(timeout=40)
        one = gpunp.full(1, rank + 1.0)
        comm.all_reduce(one, one)
        assert one.tolist() == [gpus * (gpus + 1) / 2]
        torch = None
        with row("torch", rank == 0):
            torch = Torch(rank, gpus, int(os.environ["MASTER_PORT"]) + 7)
        # Without it in one process the others would wait for its calls.
        found = gpunp.full(1, float(torch is not None))
        comm.all_reduce(found, found, op="min")
        torch = torch if found.tolist() == [1.0] else None
        for bytes_ in (256 * MIB, 16 * MIB, 64 << 10, 1 << 10)[2 if QUICK else 0 :]:
            measure_collectives(comm, torch, rank, gpus, bytes_, device)
        with row("send_recv", rank == 0):
            measure_pairs(comm, rank, gpus, device)
        comm.barrier()
        if torch:
            torch.dist.destroy_process_group()
        comm.stop()


def measure_collectives(comm, torch, rank, gpus, bytes_, device):
    """Both libraries' all_reduce and all_gather of one size."""
    import gpunp

    count = bytes_ // 4
    whole, out = gpunp.ones(count, "f"), gpunp.empty(count, "f")
    part = gpunp.ones(count // gpus, "f")
    ours = {
        "all_reduce": lambda: comm.all_reduce(whole, whole),
        "all_gather": lambda: comm.all_gather(part, out, count // gpus),
    }
    theirs = torch.calls(count) if torch else {}
    for name, factor in (("all_reduce", 2 * (gpus - 1) / gpus), ("all_gather", (gpus - 1) / gpus)):
        functions = {"gpunp": ours[name]} | ({"torch": theirs[name]} if torch else {})
        label = f"{name}_{bytes_ // MIB}MiB" if bytes_ >= MIB else f"{name}_{bytes_ >> 10}KiB"
        with row(label, rank == 0):

            def finish():
                device.synchronize()
                if torch:
                    torch.torch.cuda.synchronize()

            seconds = alternated(functions, finish, calls=20 if bytes_ >= MIB else 100)
            if rank == 0:
                bus = {f"{each}_bus_GBs": factor * bytes_ / value / 1e9 for each, value in seconds.items()}
                ratio = seconds["torch"] / seconds["gpunp"] if torch else None
                emit(label, seconds=seconds["gpunp"], torch_seconds=seconds.get("torch"), ratio=ratio, **bus)


def measure_pairs(comm, rank, gpus, device):
    """Exchange between neighbours: seconds of a small message, and bytes in a second of a large one."""
    import gpunp

    peer = rank ^ 1
    for label, count in (("send_recv_1KiB", 256), ("send_recv_256MiB", MIB if QUICK else 64 * MIB)):
        sent, received = gpunp.ones(count, "f"), gpunp.empty(count, "f")
        exchange = (lambda s=sent, r=received: comm.send_recv(s, r, peer)) if peer < gpus else (lambda: None)
        seconds = alternated({"gpunp": exchange}, device.synchronize)["gpunp"]
        if rank == 0:
            emit(label, seconds=seconds, GBs=4 * count / seconds / 1e9)


def arrays(gpus):
    """Rows of one process with all GPUs."""
    import gpunp

    devices = [gpunp.Device("cpu") if ON_CPU else gpunp.Device("cuda", number) for number in range(gpus)]

    def finish():
        for device in devices:
            device.synchronize()

    with row("inputs"):
        measure_inputs(devices[0])
    with row("peer_copy_1GiB"):
        if ON_CPU:
            raise ValueError("the CPU device has no peers")
        measure_peer_copy(devices, finish)
    with row("threads"):
        measure_threads(devices)
    with row("distributed_sum"):
        measure_sums(gpus, devices, finish)
    with row("distributed_matmul_32768"):
        measure_matmul(gpus, devices, finish)


def measure_inputs(device):
    """What the model of docs/scaling.md needs of one GPU."""
    import numpy as np

    import gpunp

    with device:
        source = gpunp.ones(1 << (16 if QUICK else 28), "f")
        target = gpunp.empty_like(source)
        seconds = alternated({"copy": lambda: np.copyto(target, source)}, device.synchronize)["copy"]
        emit("memory", seconds=seconds, GBs=2 * source.nbytes / seconds / 1e9)
    with device:
        length = 128 if QUICK else 8192
        a, b = gpunp.ones((length, length), "f"), gpunp.ones((length, length), "f")
        seconds = alternated({"matmul": lambda: a @ b}, device.synchronize, repeats=3, calls=5)["matmul"]
        emit("matmul_8192", seconds=seconds, TFLOPs=2 * length**3 / seconds / 1e12)
        small = gpunp.ones(1000)
        seconds = alternated({"call": lambda: small + 1.0}, device.synchronize, calls=2000)["call"]
        emit("small_call", seconds=seconds)


def measure_peer_copy(devices, finish):
    """A copy of gpunp beside cuMemcpyPeerAsync of the driver."""
    from cuda.bindings import driver

    import gpunp

    def checked(result):
        assert int(result[0]) == 0, result[0]
        return result[1] if len(result) > 1 else None

    nbytes = 1 << 30
    first, second = devices[:2]
    contexts, pointers = [], []
    for device in (first, second):
        context = checked(driver.cuDevicePrimaryCtxRetain(checked(driver.cuDeviceGet(device.index))))
        checked(driver.cuCtxSetCurrent(context))
        contexts.append(context)
        pointers.append(checked(driver.cuMemAlloc(nbytes)))
        checked(driver.cuMemsetD8(pointers[-1], 1, nbytes))
    for mine, other in (contexts, contexts[::-1]):
        checked(driver.cuCtxSetCurrent(mine))
        # 704: it is on already.
        assert int(driver.cuCtxEnablePeerAccess(other, 0)[0]) in (0, 704, 217)
    with first:
        source = gpunp.ones(nbytes // 4, "f")

    def by_driver():
        checked(driver.cuCtxSetCurrent(contexts[0]))
        checked(driver.cuMemcpyPeerAsync(pointers[1], contexts[1], pointers[0], contexts[0], nbytes, 0))

    functions = {"gpunp": lambda: source.to_device(second), "driver": by_driver}
    seconds = alternated(functions, finish)
    emit(
        "peer_copy_1GiB",
        seconds=seconds["gpunp"],
        driver_seconds=seconds["driver"],
        ratio=seconds["driver"] / seconds["gpunp"],
        GBs=nbytes / seconds["gpunp"] / 1e9,
    )
    target = source.to_device(second)
    assert bool((target == 1).all())
    for pointer, context in zip(pointers, contexts, strict=True):
        checked(driver.cuCtxSetCurrent(context))
        checked(driver.cuMemFree(pointer))


def measure_threads(devices, calls=200 if QUICK else 20_000):
    """Small calls of one thread, and of one thread for each GPU."""
    import gpunp

    def work(device):
        with device:
            x = gpunp.ones(1000)
            for _ in range(calls):
                x + 1.0
            device.synchronize()

    def together(count):
        threads = [threading.Thread(target=work, args=(device,)) for device in devices[:count]]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return count * calls / (time.perf_counter() - start)

    together(len(devices))
    rates = {count: median(together(count) for _ in range(3)) for count in (1, len(devices))}
    emit("threads", calls_per_second=rates, ratio=rates[len(devices)] / rates[1])


def rows_over(array, gpus):
    """An array of one GPU, cut into rows over all."""
    from gpunp.distributed.array import distributed_array

    cuts = [array.shape[0] * number // gpus for number in range(gpus + 1)]
    return distributed_array(array, {n: slice(cuts[n], cuts[n + 1]) for n in range(gpus)})


def measure_sums(gpus, devices, finish):
    """Sums, means along an axis and an elementwise chain, of one GPU and of all."""
    import numpy as np

    import gpunp

    with devices[0]:
        one = gpunp.random.default_rng(1).random((256 if QUICK else 32768,) * 2, dtype="f")
        many = rows_over(one, gpus)
        programs = {
            "sum": lambda x: x.sum(),
            "mean_axis_1": lambda x: x.mean(axis=1),
            "mean_axis_0": lambda x: x.mean(axis=0),
            "chain": lambda x: np.sqrt(x * x + 1.0) - x,
        }
        for name, program in programs.items():
            with row(f"distributed_{name}"):
                seconds = alternated(
                    {"one": lambda p=program: p(one), "many": lambda p=program: p(many)},
                    finish,
                    repeats=5,
                    calls=5,
                )
                emit(
                    f"distributed_{name}",
                    one=seconds["one"],
                    many=seconds["many"],
                    ratio=seconds["one"] / seconds["many"],
                )
        assert abs(float(one.sum()) / float(many.sum()) - 1) < 1e-5


def measure_matmul(gpus, devices, finish):
    """A product of float32 matrices whose rows are cut over the GPUs."""
    import gpunp

    length = 256 if QUICK else 32768

    with devices[0]:
        rng = gpunp.random.default_rng(2)
        a, b = (rng.random((length, length), dtype="f") for _ in range(2))
        many = rows_over(a, gpus), rows_over(b, gpus)
        functions = {"one": lambda: a @ b, "many": lambda: many[0] @ many[1]}
        seconds = alternated(functions, finish, repeats=2, calls=1)
        emit(
            f"distributed_matmul_{length}",
            one=seconds["one"],
            many=seconds["many"],
            ratio=seconds["one"] / seconds["many"],
            TFLOPs_one=2 * length**3 / seconds["one"] / 1e12,
        )
        expected = a[: length // gpus] @ b
        found = (many[0] @ many[1]).change_mode("replica").all_chunks()[0][0]
        assert float(abs(found - expected).max()) < 1e-3 * length**0.5

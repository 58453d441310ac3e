"""How far the workers of dask run ahead of their GPUs, and which worker gets a task."""

import asyncio
import sys
import threading
import types

import numpy as np
import pytest
from waiting import PATIENCE, until

import gpunp

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask.array is not available")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

from gpunp.interop import dask_tasks  # noqa: E402


class Point:
    """An event that happens when the test says so."""

    def __init__(self, error=None):
        self.happened, self.error, self.waited = threading.Event(), error, False

    @property
    def done(self):
        return self.happened.is_set()

    def synchronize(self):
        self.waited = True
        assert self.happened.wait(PATIENCE)
        if self.error:
            raise self.error


class Points:
    """Events in place of those of a GPU."""

    def __init__(self):
        self.made, self.errors = [], {}

    def mark(self):
        self.made.append(Point(self.errors.get(len(self.made))))
        return self.made[-1]


@pytest.fixture
def progress():
    return dask_tasks.Progress(Points())


def _task(value):
    return {"op": "task-finished", "result": value, "start": 1.0, "stop": 2.0, "thread": 3}


def _submitted(executor, key, function, *arguments):
    token = dask_tasks.executing.set(key)
    try:
        return executor.submit(function, *arguments)
    finally:
        dask_tasks.executing.reset(token)


def test_a_thread_runs_ahead_by_two_tasks(progress):
    with dask_tasks.PacedThreadPoolExecutor(progress, 1, "test") as executor:
        futures = [_submitted(executor, f"key {i}", _task, i) for i in range(3)]
        assert [future.result(PATIENCE)["result"] for future in futures[:2]] == [0, 1]
        points = progress.points.made
        assert until(lambda: points[0].waited)
        with pytest.raises(TimeoutError):
            futures[2].result(0.1)
        points[0].happened.set()
        found = futures[2].result(PATIENCE)
    assert [point.waited for point in points] == [True, False, False]
    # The time of the task includes the wait.
    assert found["stop"] >= 2.1
    assert found["start"] == 1
    assert progress.events == {"key 0": None, "key 1": points[1], "key 2": points[2]}


def test_results_are_ready(progress):
    async def program():
        progress.finish("one")
        progress.finish("two")
        waiting = asyncio.ensure_future(progress.ready(["two", "one"]))
        for point in progress.points.made:
            await asyncio.sleep(0.01)
            assert not waiting.done()
            point.happened.set()
        await asyncio.wait_for(waiting, PATIENCE)
        assert len(progress.points.made) == 2
        # Nothing is known of a key that was no task here: all that is queued is waited for.
        waiting = asyncio.ensure_future(progress.ready(["one", "from elsewhere"]))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        progress.points.made[2].happened.set()
        await asyncio.wait_for(waiting, PATIENCE)

    asyncio.run(program())


def test_an_error_of_the_gpu_is_one_of_the_task(progress):
    progress.points.errors = {0: ValueError("of a kernel")}
    with dask_tasks.PacedThreadPoolExecutor(progress, 1, "test") as executor:
        futures = []
        for i in range(3):
            futures.append(_submitted(executor, f"key {i}", _task, i))
            if i < 2:
                futures[i].result(PATIENCE)
                progress.points.made[i].happened.set()
        found = futures[2].result(PATIENCE)
    assert found["op"] == "task-erred"
    assert str(found["actual_exception"]) == "of a kernel"
    assert {"start", "stop", "thread", "exception", "traceback"} <= set(found)


def test_other_calls_are_not_paced(progress):
    def failed():
        return {"op": "task-erred"}

    with dask_tasks.PacedThreadPoolExecutor(progress, 1, "test") as executor:
        assert executor.submit(len, "abc").result(PATIENCE) == 3
        assert _submitted(executor, "key", failed).result(PATIENCE) == {"op": "task-erred"}
    assert not progress.points.made


def test_few_events_are_kept(progress, monkeypatch):
    monkeypatch.setattr(dask_tasks, "_KEPT", 3)
    monkeypatch.setattr(dask_tasks, "AHEAD", 10)
    for i in range(5):
        progress.finish(i)
    assert list(progress.events) == [2, 3, 4]


def test_the_worker_with_the_fewest_bytes():
    def worker(processing, nbytes, nthreads=1):
        return types.SimpleNamespace(processing=[0] * processing, nbytes=nbytes, nthreads=nthreads)

    busy, full, empty, wide = worker(1, 0), worker(0, 100), worker(0, 10), worker(1, 0, nthreads=4)
    choose = dask_tasks.DeviceScheduler.decide_worker_rootish_queuing_enabled
    for idle, chosen in (
        ([busy, full, empty, wide], empty),
        ([busy, full], full),
        ([busy, wide], wide),
        ([], None),
    ):
        for order in (idle, idle[::-1]):
            assert choose(types.SimpleNamespace(idle_task_count=order)) is chosen


@pytest.mark.skipif(sys.platform != "linux", reason="worker processes are tested on Linux")
def test_chunks_are_shared():
    from gpunp.distributed.dask_cluster import local_cluster

    with (
        local_cluster(["cpu", "cpu"]) as cluster,
        distributed.Client(cluster) as client,
        gpunp.Device("cpu"),
    ):
        assert isinstance(cluster.scheduler, dask_tasks.DeviceScheduler)
        streams = [*cluster.scheduler.stream_comms.values()]
        assert [stream.interval for stream in streams] == [dask_tasks.INTERVAL] * 2
        x = (da.random.default_rng(1).random((3200, 50), chunks=(100, 50)) + 1).persist()
        distributed.wait(x)
        held = [len(keys) for keys in client.has_what().values()]
        np.testing.assert_allclose(x.mean().compute(), 1.5, atol=0.01)
    assert sum(held) == 32


def test_tasks_go_to_the_worker_that_is_free_and_holds_least():
    def worker(tasks, nbytes):
        return types.SimpleNamespace(processing=range(tasks), nthreads=1, nbytes=nbytes)

    def decided(*workers):
        state = types.SimpleNamespace(idle_task_count=workers)
        return dask_tasks.DeviceScheduler.decide_worker_rootish_queuing_enabled(state)

    full, half, busy = worker(0, 100), worker(0, 50), worker(1, 0)
    assert decided() is None
    assert decided(full, busy) is full
    assert decided(full, half, busy) is half
    assert decided(busy) is busy


def test_paced_tasks_of_a_gpu(device):
    if device.is_cpu:
        pytest.skip("needs a GPU")
    from gpunp.distributed.dask_cluster import local_cluster

    def parts(dask_worker):
        return type(dask_worker.executors["default"]).__name__, len(dask_worker._progress.events)

    with local_cluster([0, 0]) as cluster, distributed.Client(cluster) as client:
        with dask.config.set({"array.backend": "gpunp"}):
            x = da.ones((8000, 1000), chunks=(500, 1000))
        assert float((x + 1).sum().compute()) == 16e6
        found = client.run(parts).values()
    assert {name for name, _ in found} == {"PacedThreadPoolExecutor"}
    assert sum(count for _, count in found) >= 16

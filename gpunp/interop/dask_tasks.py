"""The tasks of a dask worker with a GPU: how far its host may be ahead, and where they are placed.

Calls on a GPU return before their work is done. A worker that reported its tasks as finished at once would
seem idle, so that dask gave it more than its share, and each answer to another worker would wait for
everything that is queued. Here a task is reported when the GPU has done all but the last tasks of its thread.
"""

import asyncio
import collections
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

from distributed import Scheduler
from distributed.core import error_message
from distributed.metrics import time

from gpunp.device import get_device
from gpunp.fusion import trace

# How many tasks of a thread may be queued on the GPU when one is reported as finished.
AHEAD = 2
# Of how many results the event is kept; for others all that is queued is waited for.
_KEPT = 10_000
# Seconds between two questions to the GPU.
_PAUSE = 0.0005
# Seconds for which messages about tasks are collected. With dask's own 2 and 5 ms each step of a graph would
# take longer than the GPU needs for a gigabyte.
INTERVAL = 0.0002

# The key of the task that is about to start.
executing = contextvars.ContextVar("gpunp_executing", default=None)


def warm():
    """Import what tasks need and start the device: the first worker to be ready would get most tasks."""
    import dask.array  # noqa: F401

    from gpunp import random

    float((random.default_rng(1).random(8) + 1).sum())


class GpuPoints:
    """Points in the work of the current GPU, which can be waited for."""

    @staticmethod
    def usable():
        """Whether work is queued at all: not on the CPU device, nor without a GPU to use."""
        try:
            return not get_device().is_cpu
        except RuntimeError:
            return False

    @staticmethod
    def mark():
        """Start what is deferred; return an event after all that has been queued."""
        from gpunp.cuda import Event

        trace.run_deferred(get_device())
        event = Event(block=True, disable_timing=True)
        event.record()
        return event


class Progress:
    """Which results of a worker the GPU has computed.

    Parameters
    ----------
    points : object, optional
        Marks points in the work of a GPU, as `GpuPoints` does.
    """

    def __init__(self, points=GpuPoints):
        self.points = points
        # The event after a task, None once it is known to have happened; in order of tasks.
        self.events = collections.OrderedDict()
        self.lock = threading.Lock()
        self.local = threading.local()

    def finish(self, key):
        """Note that a task of this thread has been queued, and wait for the one `AHEAD` before it."""
        event = self.points.mark()
        with self.lock:
            self.events.pop(key, None)
            self.events[key] = event
            while len(self.events) > _KEPT:
                self.events.popitem(last=False)
        queue = self.local.__dict__.setdefault("queue", collections.deque())
        queue.append((key, event))
        if len(queue) > AHEAD:
            earlier, event = queue.popleft()
            event.synchronize()
            with self.lock:
                if self.events.get(earlier) is event:
                    self.events[earlier] = None

    async def ready(self, keys):
        """Wait until the GPU has computed results, while other coroutines run."""
        with self.lock:
            events = [self.events[key] for key in keys if key in self.events]
        if len(events) < len(keys):
            events.append(self.points.mark())
        for event in events:
            while event is not None and not event.done:
                await asyncio.sleep(_PAUSE)


class PacedThreadPoolExecutor(ThreadPoolExecutor):
    """Threads for tasks; the time of a task includes waiting for the GPU.

    Parameters
    ----------
    progress : Progress
    threads : int
    prefix : str
        Of the names of the threads.
    """

    def __init__(self, progress, threads, prefix):
        super().__init__(threads, thread_name_prefix=prefix)
        self.progress = progress

    def submit(self, function, /, *args, **kwargs):
        """Run a function of dask in a thread; see `concurrent.futures.Executor.submit`."""
        return super().submit(self._paced, executing.get(), function, *args, **kwargs)

    def _paced(self, key, function, /, *args, **kwargs):
        found = function(*args, **kwargs)
        if key is None or not isinstance(found, dict) or found.get("op") != "task-finished":
            return found
        start = time()
        try:
            self.progress.finish(key)
        except Exception as error:
            # The work of the task failed only now: it is an error of the task, not of the worker.
            failed = {**error_message(error), "op": "task-erred", "actual_exception": error}
            return {**failed, **{name: found[name] for name in ("start", "stop", "thread")}}
        found["stop"] += time() - start
        return found


class DeviceScheduler(Scheduler):
    """A scheduler for few workers with short tasks, which it spreads by the bytes of their results.

    dask's own gives tasks without inputs to the least busy worker, in ties always to the same: with short
    tasks most of an array would be on one GPU, where the tasks that use it run as well.
    """

    async def handle_worker(self, comm, worker):
        """Listen to a worker; see `distributed.Scheduler`."""
        self.stream_comms[worker].interval = INTERVAL
        await super().handle_worker(comm, worker)

    def decide_worker_rootish_queuing_enabled(self):
        """The worker for a task without inputs; None if all are busy."""
        if not self.idle_task_count:
            return None
        return min(self.idle_task_count, key=lambda ws: (len(ws.processing) / ws.nthreads, ws.nbytes))

"""Where a program spends its time: each line, with what it did on the device.

Only the lines of the program are observed, so that libraries run at full speed.
"""

import sys
import threading
import time
import types
from dataclasses import dataclass

import gpunp
from gpunp import fusion
from gpunp.device import launch_count
from gpunp.running import transform

# Whose functions work on device arrays.
_LIBRARIES = frozenset({"numpy", "scipy", "gpunp", "gpunp_scipy"})
# How many kernels a group of deferred calls is; in other kinds each call is one.
_KERNELS = {"fused": 1, "dropped": 0}


@dataclass
class Line:
    """What a line of the program took.

    Attributes
    ----------
    runs : int
    seconds : float
        From its beginning to that of the next line.
    device_seconds : float
        How long the program waited, at the end of the line, for what the line had started on a GPU.
    launches : int
        The kernels that its calls started.
    used_device : bool
        Whether it computed on the device, read from it or waited for it.
    """

    runs: int = 0
    seconds: float = 0.0
    device_seconds: float = 0.0
    launches: int = 0
    used_device: bool = False


class Recorder:
    """Records the lines of the main thread, from its creation to `end`.

    Attributes
    ----------
    lines : dict of (str, int) to Line
        By file and number.
    seconds : float
        The time of the whole program.
    place : tuple of (str, int) or None
        The present line.
    """

    def __init__(self):
        self.lines, self.seconds = {}, 0.0
        self._thread = threading.get_ident()
        self.place, self._calls = None, 0
        # The places of calls that wait to run, by their number, and how many there were.
        self._operations, self._announced = {}, 0
        self._codes = set()
        transform.WATCHERS.append(self.watch)
        self._observer_before = fusion.observe(self._observe)
        self._watcher = _Monitoring(self) if sys.version_info >= (3, 12) else _Tracing(self)
        self._started = self._since = time.perf_counter()
        self._launches, self._transfers = launch_count(), gpunp.get_device().transfer_counts

    def end(self):
        """Stop recording."""
        self._switch(None)
        self._watcher.end()
        fusion.observe(self._observer_before)
        transform.WATCHERS.remove(self.watch)
        self.seconds = time.perf_counter() - self._started

    def watch(self, code):
        """Observe a code object, and those of its functions and classes."""
        self._codes.add(code)
        self._watcher.watch(code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.watch(constant)

    def line(self, path, number):
        """The program comes to a line."""
        if threading.get_ident() == self._thread:
            self._switch((path, number))
            self.lines.setdefault((path, number), Line()).runs += 1

    def called(self, function, first):
        """The program calls a function; that of a library with a device array is work of the device."""
        if type(first) is tuple or type(first) is list:
            first = first[0] if first else None
        if type(first) is not gpunp.ndarray or threading.get_ident() != self._thread:
            return
        module = getattr(function, "__module__", None) or getattr(type(function), "__module__", "")
        is_method = getattr(function, "__objclass__", None) is gpunp.ndarray
        if is_method or module.partition(".")[0] in _LIBRARIES:
            self._calls += 1

    def back(self, frame):
        """A function of the program returns to a frame."""
        if frame is not None and frame.f_code in self._codes and threading.get_ident() == self._thread:
            self._switch((frame.f_code.co_filename, frame.f_lineno))

    def _switch(self, place):
        now = time.perf_counter()
        before = self.lines.setdefault(self.place, Line()) if self.place is not None else None
        launches, device = launch_count(), gpunp.get_device()
        if launches != self._launches or self._calls or device.transfer_counts != self._transfers:
            waited = self._wait(device)
            if before is not None:
                before.launches += launches - self._launches
                before.device_seconds += waited
                before.used_device = True
            self._launches, self._calls, self._transfers = launch_count(), 0, device.transfer_counts
        if before is not None:
            before.seconds += time.perf_counter() - self._since
        self._since = now if before is None else time.perf_counter()
        self.place = place

    def _wait(self, device):
        if device.is_cpu:
            return 0.0
        started = time.perf_counter()
        device.synchronize()
        return time.perf_counter() - started

    def _observe(self, event):
        """Count the kernels of elementwise calls and reductions, which may start later than their line."""
        kind, *rest = event
        if kind == "op":
            self._operations[self._announced] = rest[4], rest[5]
            self._announced += 1
            self._calls += 1
        elif kind == "group":
            numbers, what = rest[0], rest[1]
            places = [self._operations.pop(number) for number in numbers]
            for place in places[: _KERNELS.get(what, len(places))]:
                if place in self.lines:
                    self.lines[place].launches += 1


class _Monitoring:
    """Lines by `sys.monitoring`."""

    def __init__(self, recorder):
        self._tools = sys.monitoring
        free = [number for number in (2, 3, 4) if self._tools.get_tool(number) is None]
        if not free:
            raise RuntimeError("the report needs sys.monitoring, which other tools use")
        self._tool, events = free[0], self._tools.events
        self._tools.use_tool_id(self._tool, "gpunp")
        self._events = events.LINE | events.PY_RETURN | events.CALL
        self._tools.register_callback(
            self._tool, events.CALL, lambda code, offset, function, first: recorder.called(function, first)
        )
        self._tools.register_callback(
            self._tool, events.LINE, lambda code, number: recorder.line(code.co_filename, number)
        )
        self._tools.register_callback(
            self._tool, events.PY_RETURN, lambda code, offset, value: recorder.back(sys._getframe(1).f_back)
        )

    def watch(self, code):
        """Observe a code object."""
        self._tools.set_local_events(self._tool, code, self._events)

    def end(self):
        """Stop."""
        self._tools.free_tool_id(self._tool)


class _Tracing:
    """Lines by `sys.settrace`, for Python 3.11."""

    def __init__(self, recorder):
        self._recorder, self._codes = recorder, set()
        self._before = sys.gettrace()
        sys.settrace(self._enter)

    def watch(self, code):
        """Observe a code object."""
        self._codes.add(code)

    def _enter(self, frame, event, argument):
        return self._trace if frame.f_code in self._codes else None

    def _trace(self, frame, event, argument):
        if event == "line":
            self._recorder.line(frame.f_code.co_filename, frame.f_lineno)
        elif event == "return":
            self._recorder.back(frame.f_back)
        return self._trace

    def end(self):
        """Stop."""
        sys.settrace(self._before)

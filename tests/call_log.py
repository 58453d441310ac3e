"""A pytest plugin that records which handlers the tests call; a complete run fails if some are never called.

A handler counts as tested once a test that makes a comparison has passed and called it directly, not through
another handler, with a device array: by NumPy's function, by gpunp's or by a method. The calls are observed
with `sys.monitoring`; before Python 3.12, which lacks it, nothing is recorded.
"""

import inspect
import sys
import types
from pathlib import Path

import pytest

TESTS = str(Path(__file__).parent)
# Frames allowed between a test and a handler: NumPy's protocols, array methods, array API functions.
_PASSED_ON = ("/gpunp/dispatch/", "/gpunp/array_methods.py", "/gpunp/interop/standard_functions.py")
_TOOL = 4
_NAME = "called_handlers"


class CallLog:
    """The handlers called by the tests of this process."""

    def __init__(self):
        from gpunp.dispatch.registry import REGISTRATIONS

        # Maps the code that runs first when a handler is called to the names that it may stand for.
        self.names = {}
        # Distinguishes handlers that share code: the object of a method, or the decorated function.
        self.marks = {}
        for name, registration in REGISTRATIONS.items():
            code, self.marks[name] = _entry(registration.handler)
            self.names.setdefault(code, []).append(name)
        self.hostly = {name for name, registration in REGISTRATIONS.items() if _takes_no_array(registration)}
        self.pending = set()
        self.found = set()
        self.active = False

    def start(self):
        """Make the interpreter report calls of handlers."""
        monitoring = sys.monitoring
        monitoring.use_tool_id(_TOOL, "gpunp tests")
        monitoring.register_callback(_TOOL, monitoring.events.PY_START, self._called)
        for code in self.names:
            monitoring.set_local_events(_TOOL, code, monitoring.events.PY_START)

    def _called(self, code, offset):
        names = self.names[code]
        if self.found.issuperset(names):
            return sys.monitoring.DISABLE
        if self.active:
            frame = sys._getframe(1)
            values = inspect.getargvalues(frame)[3].values()
            if len({id(self.marks[name]) for name in names}) > 1:
                names = [name for name in names if any(value is self.marks[name] for value in values)]
            if _is_direct(frame.f_back) and (
                self.hostly.intersection(names) or any(_has_array(value) for value in values)
            ):
                self.pending.update(names)
        return None


def _is_direct(frame):
    """Whether the call comes from a test and not from another handler."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(TESTS):
            return True
        # tests/calls.py evaluates lines given as strings.
        if path != "<string>" and not any(part in path for part in _PASSED_ON):
            return False
        frame = frame.f_back
    return False


def _entry(handler):
    """The code that runs first when a handler is called, and what distinguishes handlers that share it."""
    if isinstance(handler, type):
        made = vars(handler).get("__init__") or vars(handler)["__new__"]
        return made.__code__, None
    if not isinstance(handler, types.FunctionType):
        return type(handler).__getitem__.__code__, handler
    return handler.__code__, getattr(handler, "__wrapped__", None)


def _takes_no_array(registration):
    """Whether a function creates its result from numbers, shapes or files, without array arguments."""
    if registration.like or registration.numpy_path is None:
        return True
    return registration.name in ("linspace", "logspace", "geomspace", "indices")


def _has_array(value, depth=3):
    import gpunp

    if isinstance(value, gpunp.ndarray):
        return True
    if depth and isinstance(value, list | tuple):
        return any(_has_array(item, depth - 1) for item in value)
    return depth and isinstance(value, dict) and any(_has_array(item, depth - 1) for item in value.values())


def compares(code):
    """Whether a test's code has an ``assert``, or calls a function whose name suggests a comparison."""
    named = (*code.co_names, *code.co_varnames, *code.co_freevars)
    if any(
        name.lstrip("_@").startswith(("py_assert", "assert", "check", "compare", "raises", "same"))
        for name in named
    ):
        return True
    return any(compares(each) for each in code.co_consts if isinstance(each, types.CodeType))


def _tested(function):
    """The test function as written, without hypothesis's wrapper."""
    return inspect.unwrap(getattr(getattr(function, "hypothesis", None), "inner_test", function))


def is_whole(config):
    """Whether a run includes all tests: no path and no selection."""
    options = config.option
    return (
        [Path(arg).resolve() for arg in config.args] == [Path(TESTS)]
        and not (options.keyword or options.markexpr or options.deselect or options.ignore)
        and not getattr(options, "lf", False)
    )


class Plugin:
    """The hooks of the processes that run tests, and of xdist's controller."""

    def __init__(self, config):
        self.config = config
        self.log = None
        self.found = set()
        self.missing = []

    def pytest_sessionstart(self):
        if sys.version_info >= (3, 12):
            self.log = CallLog()
            self.log.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        log = self.log
        if log is None or item.path.name == "test_docs.py":
            return (yield)
        log.pending.clear()
        log.active = True
        try:
            result = yield
        finally:
            log.active = False
        if compares(_tested(item.function).__code__):
            log.found |= log.pending
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.found.update(getattr(node, "workeroutput", {}).get(_NAME, ()))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session, exitstatus):
        # Set before xdist's own hook, which sends the worker's output to the controller.
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[_NAME] = sorted(self.log.found if self.log else ())
        result = yield
        if self.log is not None and not hasattr(self.config, "workeroutput"):
            self.found |= self.log.found
            self.missing = sorted(set().union(*self.log.names.values()) - self.found)
            if self.missing and is_whole(self.config) and exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def pytest_terminal_summary(self, terminalreporter):
        if self.missing and is_whole(self.config):
            terminalreporter.section("handlers that no test calls and compares")
            terminalreporter.line(" ".join(self.missing))

"""Every handler has NumPy's signature, and every NumPy function finds its handler."""

import inspect
import sys
import types

import numpy as np
import pytest

import gpunp
from gpunp.dispatch.registry import HANDLERS, NAMESPACE, REGISTRATIONS, find_handler, implements
from gpunp.interop import standard_functions

# Parameters that functions of the namespace have besides NumPy's, as in CuPy's documentation.
ADDED = dict.fromkeys(("argmax", "argmin"), "dtype") | dict.fromkeys(
    ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"), "blocking"
)
WITH_NUMPY = [r for r in REGISTRATIONS.values() if r.numpy_path is not None]


def numpy_function(path):
    found = np
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    return found


@pytest.mark.parametrize("registration", WITH_NUMPY, ids=lambda r: r.name)
def test_signatures(registration):
    function = numpy_function(registration.numpy_path)
    if function is None:
        pytest.skip(f"this NumPy has no {registration.numpy_path}")
    ours = inspect.signature(registration.handler).parameters.values()
    try:
        theirs = inspect.signature(function).parameters.values()
    except ValueError:
        pytest.skip(f"this NumPy has no signature for {registration.numpy_path}")
    newer = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
    added = ADDED.get(registration.name)
    describe = [(p.name, p.kind, p.default) for p in ours if p.name != added]
    wanted = [(p.name, p.kind, p.default) for p in theirs]
    if function is np.arange:
        # NumPy's signature says that dtype is keyword-only, but accepts it by position.
        assert np.arange(0, 2, 1, "f4").dtype == np.float32
        wanted = [
            (name, inspect.Parameter.POSITIONAL_OR_KEYWORD if name == "dtype" else kind, default)
            for name, kind, default in wanted
        ]
    if newer:
        assert describe == wanted
    else:
        # An older NumPy may lack parameters; those that it has must exist here.
        assert {name for name, _, _ in wanted} <= {name for name, _, _ in describe} | {"start"}


def test_max_and_amax_are_two_functions():
    assert HANDLERS[np.max] is not None
    assert HANDLERS[np.amax] is not None
    assert np.max is not np.amax


def test_namespace_has_every_handler():
    for name, handler in NAMESPACE.items():
        if name in standard_functions.FUNCTIONS:
            # In the namespace the array API standard's signature replaces NumPy's.
            handler = standard_functions.FUNCTIONS[name]
        found = gpunp
        for part in name.split("."):
            found = getattr(found, part)
        assert found is handler


def test_registration_by_path(monkeypatch):
    # NumPy imports numpy.fft at first use: until then a handler is registered by path.
    @implements("numpy.of_this_test.twice", chapter="dispatch")
    def handler(x):
        return "ours"

    module = types.ModuleType("numpy.of_this_test")

    @np._core.overrides.array_function_dispatch(lambda x: (x,), module=module.__name__)
    def twice(x):
        return "NumPy's"

    try:
        assert find_handler(twice) is None
        module.twice = twice
        monkeypatch.setitem(sys.modules, module.__name__, module)
        assert twice(gpunp.arange(3)) == "ours"
        assert twice(np.arange(3)) == "NumPy's"
        assert find_handler(lambda: None) is None
    finally:
        from gpunp.dispatch import registry

        registry._BY_PATH.pop("numpy.of_this_test.twice")
        HANDLERS.pop(twice, None)
        np._core.overrides.ARRAY_FUNCTIONS.discard(twice)
        del NAMESPACE["of_this_test.twice"], REGISTRATIONS["of_this_test.twice"]

import gc
import threading
import weakref

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp


def counted(**options):
    calls = []

    @gpunp.memoize(**options)
    def function(*args, **kwargs):
        """A docstring."""
        calls.append((args, kwargs))
        return object()

    return function, calls


def test_results_are_kept_by_arguments():
    function, calls = counted()
    assert function.__doc__ == "A docstring."
    first = function(1, "a", scale=2, shift=3)
    assert function(1, "a", shift=3, scale=2) is first
    arguments = [
        ((), {}),
        ((1,), {}),
        ((1.0,), {}),
        ((True,), {}),
        ((), {"x": 1}),
        (("x", 1), {}),
        (((1,),), {}),
    ]
    results = [function(*args, **kwargs) for args, kwargs in arguments]
    assert len(set(map(id, [first, *results]))) == len(calls) == 8
    assert [function(*args, **kwargs) for args, kwargs in arguments] == results
    assert len(calls) == 8


def test_none_is_a_result():
    calls = []
    function = gpunp.memoize()(lambda: calls.append(1))
    assert function() is function() is None
    assert calls == [1]


def test_results_of_each_device():
    function, calls = counted(for_each_device=True)
    shared, _ = counted()
    found = {}
    for name in ("cpu", gpunp.get_device()):
        with gpunp.Device(name):
            found[gpunp.get_device()] = function(1), shared(1)
    assert len(calls) == len(found)
    assert len({each for each, _ in found.values()}) == len(found)
    assert len({each for _, each in found.values()}) == 1


def test_clear_memo_forgets_all():
    (first, first_calls), (second, second_calls) = counted(), counted(for_each_device=True)
    for _ in range(2):
        first(), second()
        gpunp.clear_memo()
    assert len(first_calls) == len(second_calls) == 2


def test_functions_are_not_kept_alive():
    function, _ = counted()
    result = function(1)
    alive = weakref.ref(function)
    del function, result
    gc.collect()
    assert alive() is None


def test_threads_get_one_result():
    barrier = threading.Barrier(4)
    found = []

    @gpunp.memoize()
    def slow(n):
        barrier.wait(timeout=PATIENCE)
        return object()

    threads = [threading.Thread(target=lambda: found.append(slow(1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1


def test_errors_are_not_kept():
    calls = []

    @gpunp.memoize()
    def fails():
        calls.append(1)
        raise KeyError("no")

    for _ in range(2):
        with pytest.raises(KeyError):
            fails()
    assert len(calls) == 2


def test_bad_use():
    with pytest.raises(TypeError, match=r"@gpunp.memoize\(\)"):
        gpunp.memoize(lambda: 1)
    function, calls = counted()
    for argument in ([1], np.ones(2), gpunp.ones(2)):
        with pytest.raises(
            TypeError, match="function: the arguments of a memoized function must be hashable"
        ):
            function(argument)
    assert calls == []

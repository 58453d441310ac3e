import sys
import threading

import numpy as np
import pytest
from records import CANCELLING, assert_same

import gpunp
from gpunp.fft import config
from gpunp.fft.config import PlanCache, get_plan_cache

COVERS = ("fft.plan",)


class FakePlan:
    def __init__(self, work_size):
        self.work_size = work_size
        self.text = f"plan {work_size}"


def test_the_cache_keeps_the_most_recent(device, capsys):
    cache = PlanCache(device)
    for i in range(4):
        assert cache.find(i) is None
        cache.add(i, FakePlan(10 * i))
    assert (len(cache), cache.size, cache.memsize) == (4, 4, 60)
    assert cache.find(0).work_size == 0
    cache.size_limit = 2
    assert cache.find(0) is not None
    assert cache.find(3) is not None
    assert cache.find(2) is None
    cache.memsize_limit = 20
    assert cache.find(3) is None
    cache.add(7, FakePlan(21))
    assert cache.find(7) is None
    cache.add(8, FakePlan(20))
    cache.show()
    shown = capsys.readouterr().out
    assert "plan 20" in shown
    assert "limit 2)" in shown
    assert "limit 20)" in shown
    cache.clear()
    assert (cache.size, cache.memsize, cache.misses) == (0, 0, 6)
    assert "0 plans" in repr(cache)
    cache.memsize_limit = None
    cache.size_limit = 0
    cache.add(1, FakePlan(1))
    assert cache.size == 0
    for name in ("size_limit", "memsize_limit"):
        with pytest.raises(ValueError, match="must not be negative"):
            setattr(cache, name, -1)


def test_every_thread_has_its_cache(device):
    mine = get_plan_cache()
    assert get_plan_cache(device) is mine
    found = []
    thread = threading.Thread(target=lambda: found.append(get_plan_cache(device)))
    thread.start()
    thread.join()
    assert found[0] is not mine
    assert get_plan_cache("cpu").device.is_cpu


def test_plans_are_reused(device):
    if device.is_cpu:
        pytest.skip("NumPy has no plans")
    cache = get_plan_cache()
    cache.clear()
    a = gpunp.ones((3, 32), complex)
    misses = cache.misses
    for _ in range(3):
        np.fft.fft(a)
        np.fft.ifft(a)
    assert cache.misses == misses + 1
    np.fft.fft(a, axis=0)
    assert cache.size == 2


@pytest.mark.parametrize("name", ["fft", "irfft", "rfft2", "ifftn", "ihfft"])
def test_explicit_plans(name, device, rng, monkeypatch):
    function = getattr(np.fft, name)
    a = rng.normal(size=(5, 6))
    plan = gpunp.fft.plan(name, gpunp.asarray(a), norm="ortho")
    assert_same(plan(gpunp.asarray(a)), function(a, norm="ortho"), exact=False, absolute=CANCELLING)
    assert plan.memsize >= 0
    assert name in repr(plan)
    cache = get_plan_cache()
    monkeypatch.setattr(cache, "_size_limit", 0)
    cache.clear()
    misses = cache.misses
    with plan, gpunp.fft.plan(np.fft.fft, gpunp.ones(4, complex)):
        assert_same(
            function(gpunp.asarray(a), norm="ortho"),
            function(a, norm="ortho"),
            exact=False,
            absolute=CANCELLING,
        )
    assert cache.misses == misses + (not device.is_cpu)
    assert cache._held == {}


def test_plans_of_nothing():
    for wrong in ("fftshifted", "plan", print, None):
        with pytest.raises(ValueError, match="not a transform"):
            gpunp.fft.plan(wrong, gpunp.ones(3))


def test_documented_names_of_the_cache(capsys):
    cache = config.get_plan_cache()
    limits = cache.size_limit, cache.memsize_limit
    try:
        for size in (3, -1):
            cache.set_size(size)
            assert cache.get_size() == cache.size_limit == (sys.maxsize if size < 0 else size)
        for memsize in (1 << 20, -1):
            cache.set_memsize(memsize)
            assert cache.get_memsize() == memsize
        assert cache.memsize_limit is None
        assert cache.get_curr_size() == cache.size
        assert cache.get_curr_memsize() == cache.memsize
        config.show_plan_cache_info()
        shown = capsys.readouterr().out
        cache.show_info()
        assert capsys.readouterr().out == shown
        assert "plans:" in shown
    finally:
        cache.size_limit, cache.memsize_limit = limits

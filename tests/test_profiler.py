import sys
import time
import types

import numpy as np
import pytest

import gpunp
from gpunp.profiler import benchmark, profile, time_range


def test_times(device):
    x = gpunp.ones(1000)
    calls = []

    def work(a, scale=1):
        calls.append(scale)
        return np.sum(a * scale)

    result = benchmark(work, (x,), {"scale": 2}, n_repeat=5, n_warmup=3)
    assert calls == [2] * 8
    assert result.cpu_times.shape == (5,)
    assert (result.cpu_times > 0).all()
    assert result.gpu_times.shape == (0 if device.is_cpu else 1, 5)
    assert (result.gpu_times > 0).all()
    text = str(result)
    assert text.startswith("work                :    CPU: ")
    assert ("GPU-0:" in text) == (not device.is_cpu)
    assert "GPU" not in result.to_str()
    assert "+/-" not in str(benchmark(work, (x,), n_repeat=1, name="one"))


def test_limit_of_time(device):
    result = benchmark(lambda: time.sleep(0.02), n_repeat=1000, n_warmup=0, max_duration=0.05)
    assert 1 <= len(result.cpu_times) < 10


@pytest.mark.parametrize(
    "arguments",
    [{"func": 1}, {"args": [1]}, {"kwargs": ()}, {"n_repeat": 1.5}, {"n_warmup": "1"}, {"name": 3}],
    ids=str,
)
def test_wrong_arguments(arguments):
    with pytest.raises(ValueError, match=r"benchmark: \w+ must be"):
        benchmark(**{"func": print, **arguments})


def test_ranges(device, monkeypatch):
    events = []
    nvtx = types.ModuleType("nvtx")
    nvtx.push_range = lambda message, color: events.append((message, color))
    nvtx.pop_range = lambda: events.append("end")
    nvtx.mark = lambda message, color: events.append(("mark", message, color))
    monkeypatch.setitem(sys.modules, "nvtx", nvtx)

    @time_range(argb_color=0xFF123456)
    def solve(x):
        return x + 1

    with time_range("assembly", color_id=0, sync=True):
        assert solve(1) == 2
    gpunp.cuda.nvtx.Mark("here", 1)
    gpunp.cuda.nvtx.MarkC("there", 0xFF0000FF)
    assert events == [
        ("assembly", "#76b900"),
        ("solve", "#123456"),
        "end",
        "end",
        ("mark", "here", "#e52b50"),
        ("mark", "there", "#0000ff"),
    ]
    with pytest.raises(ValueError, match="give one of them"):
        time_range("x", color_id=1, argb_color=2)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)
    monkeypatch.setitem(sys.modules, "nccl", None)
    with pytest.raises(ImportError, match=r"pip install gpunp\[profiling\]"), time_range("x"):
        pass
    for call in (
        gpunp.cuda.nccl.get_version,
        gpunp.cuda.nccl.get_unique_id,
        lambda: gpunp.cuda.nccl.NcclCommunicator.initAll(2),
    ):
        with pytest.raises(ImportError, match=r"pip install gpunp\[nccl\]"):
            call()


def test_profile(device):
    with profile():
        assert np.sum(gpunp.ones(3)) == 3

import time

import numpy as np
import pytest

import gpunp
from gpunp.profiler import benchmark


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

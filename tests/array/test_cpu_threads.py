"""How many threads share the loops of the CPU device: the setting, the environment, threadpoolctl."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gpunp
from gpunp.cpu import gpunp_threads


@pytest.fixture(autouse=True)
def restored():
    before = gpunp_threads.chosen()
    yield
    gpunp_threads.set(before)


def used():
    gpunp.Device("cpu")
    from gpunp.cpu.device import pool_threads

    return pool_threads()


def test_setting():
    gpunp.config.threads = 3
    assert gpunp.config.threads == used() == 3
    gpunp.config.threads = np.int64(2)
    assert gpunp.config.threads == used() == 2
    assert type(gpunp.config.threads) is int
    with gpunp.config.using(threads=5, fallback="numpy"):
        assert gpunp.config.threads == used() == 5
    assert gpunp.config.threads == used() == 2
    assert "threads=2" in repr(gpunp.config)
    assert "threads" in dir(gpunp.config)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (5000, ValueError),
        (2.0, TypeError),
        ("2", TypeError),
        (True, TypeError),
    ],
)
def test_bad_numbers(value, error):
    with pytest.raises(error, match=r"gpunp\.config\.threads must be"):
        gpunp.config.threads = value
    with pytest.raises(error, match=r"gpunp\.config\.threads must be"), gpunp.config.using(threads=value):
        pass


CORES = gpunp_threads.available()


@pytest.mark.parametrize(
    ("ours", "openmp", "expected"),
    [
        (None, None, CORES),
        ("7", None, 7),
        ("7", "1", 7),
        (None, "1", 1),
        (None, "1,4", 1),
        (None, "1000", CORES),
        (None, "many", CORES),
    ],
)
def test_environment(ours, openmp, expected):
    wanted = {"GPUNP_NUM_THREADS": ours, "OMP_NUM_THREADS": openmp}
    environment = {name: value for name, value in os.environ.items() if name not in wanted}
    environment |= {name: value for name, value in wanted.items() if value is not None}
    program = f"""
import sys, gpunp
assert gpunp.config.threads == {expected}, gpunp.config.threads
assert "gpunp.cpu.device" not in sys.modules
gpunp.Device("cpu")
assert sys.modules["gpunp.cpu.device"].pool_threads() == {expected}
"""
    subprocess.run([sys.executable, "-P", "-c", program], env=environment, check=True)


@pytest.mark.parametrize("text", ["0", "x", "2.5", "100000"])
def test_a_bad_variable_is_ignored_with_a_warning(text):
    program = f"""
import warnings, gpunp
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert gpunp.config.threads == {CORES}
assert "GPUNP_NUM_THREADS is ignored" in str(caught[0].message)
"""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    environment["GPUNP_NUM_THREADS"] = text
    subprocess.run([sys.executable, "-P", "-c", program], env=environment, check=True)


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/", {}, None),
        ("0::/a/b", {"a/b/cpu.max": "max 100000"}, None),
        ("0::/a/b", {"a/b/cpu.max": "150000 100000"}, 2),
        ("0::/a/b", {"a/cpu.max": "100000 100000", "a/b/cpu.max": "400000 100000"}, 1),
        ("0::/a/b", {"a/b/cpu.max": "10000 100000"}, 1),
        ("0::/a", {"a/cpu.max": "nonsense"}, None),
        ("3:cpu,cpuacct:/a", {"cpu/a/cpu.cfs_quota_us": "300000", "cpu/a/cpu.cfs_period_us": "100000"}, 3),
        ("3:cpu:/a", {"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"}, None),
    ],
)
def test_quota_of_the_control_group(tmp_path, membership, files, expected):
    (tmp_path / "membership").write_text(membership + "\n")
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert gpunp_threads.quota_of_group(str(tmp_path), str(tmp_path / "membership")) == expected


def test_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    gpunp.config.threads = 4
    (found,) = [info for info in threadpoolctl.threadpool_info() if info["user_api"] == "gpunp"]
    assert found["num_threads"] == 4
    assert found["version"] == gpunp.__version__
    with threadpoolctl.threadpool_limits(1):
        assert gpunp.config.threads == used() == 1
    assert gpunp.config.threads == used() == 4
    with threadpoolctl.threadpool_limits(2, user_api="gpunp"):
        assert gpunp.config.threads == 2
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert gpunp.config.threads == 4


@pytest.mark.parametrize("first", ["gpunp", "threadpoolctl"])
def test_order_of_imports(first):
    pytest.importorskip("threadpoolctl")
    other = {"gpunp": "threadpoolctl", "threadpoolctl": "gpunp"}[first]
    program = f"""
import {first}, {other}
assert "gpunp" in [info["user_api"] for info in threadpoolctl.threadpool_info()]
"""
    subprocess.run([sys.executable, "-P", "-c", program], check=True)


def test_joblib_workers_share_the_processors():
    joblib = pytest.importorskip("joblib")

    # A function within a function is sent as code, so that the workers need not import this module.
    def threads_of_worker():
        import gpunp

        return gpunp.config.threads

    found = joblib.Parallel(n_jobs=2)(joblib.delayed(threads_of_worker)() for _ in range(2))
    if "GPUNP_NUM_THREADS" not in os.environ:
        assert all(count <= max(1, joblib.cpu_count() // 2) for count in found)

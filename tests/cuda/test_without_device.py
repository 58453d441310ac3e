"""Memory pools in programs that run without a GPU."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gpunp.cuda import without_device

PROGRAM = """
import gpunp, gpunp.cuda
import numpy as np

assert not gpunp.cuda.is_available()
for pool in (gpunp.get_default_memory_pool(), gpunp.cuda.get_default_memory_pool(), gpunp.cuda.MemoryPool()):
    pool.set_limit(size="1GiB")
    pool.free_all_blocks()
    assert pool.used_bytes() == pool.total_bytes() == pool.free_bytes() == pool.n_free_blocks() == 0
    assert pool.get_limit() == 2**30
    assert set(pool.statistics().values()) == {0, 2**30}
for pool in (gpunp.get_default_pinned_memory_pool(), gpunp.cuda.PinnedMemoryPool()):
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
gpunp.cuda.set_allocator(gpunp.cuda.MemoryPool().malloc)
assert gpunp.ones(3).sum().item() == 3
gpunp.cuda.set_allocator(None)
assert gpunp.cuda.pinned_empty((2, 3), "f4").shape == (2, 3)
"""


def test_a_program_without_a_gpu():
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "GPUNP_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-P", "-c", PROGRAM], env=environment, check=True)


def test_the_same_methods():
    memory = pytest.importorskip(
        "gpunp.cuda.memory", reason="gpunp was built without CUDA", exc_type=ImportError
    )
    pinned = pytest.importorskip(
        "gpunp.cuda.pinned", reason="gpunp was built without CUDA", exc_type=ImportError
    )
    for with_device, without in (
        (memory.MemoryPool, without_device.MemoryPool),
        (pinned.PinnedMemoryPool, without_device.PinnedMemoryPool),
    ):
        public = {name for name in dir(with_device) if not name.startswith("_")}
        assert public - {"device", "device_index"} == {
            name for name in dir(without) if not name.startswith("_")
        }


def test_arguments():
    pool = without_device.MemoryPool()
    assert set(pool.statistics()) >= {"used_bytes", "limit", "allocations"}
    for arguments in ({"size": "lots"}, {"fraction": 2}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError, match=r"limit|fraction"):
            pool.set_limit(**arguments)
    with pytest.raises(TypeError, match="callable"):
        without_device.set_allocator(3)
    assert isinstance(without_device.PinnedMemoryPool("1GiB").empty(3), np.ndarray)
    assert without_device.PinnedMemoryPool("1GiB").get_limit() == 2**30


REFUSED = """
from gpunp.cuda import MemoryPool, get_default_memory_pool

for call in (lambda: MemoryPool(0), lambda: get_default_memory_pool(0), lambda: MemoryPool().malloc(8)):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        assert "GPUNP_DEVICE=cpu" in str(error) or "CUDA" in str(error), error
    else:
        raise AssertionError
"""


def test_memory_is_refused():
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "GPUNP_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-P", "-c", REFUSED], env=environment, check=True)


WITHOUT_CUDA = """
import sys

sys.modules["gpunp.cuda.device"] = None
import gpunp

for call in (lambda: gpunp.Device("cuda", 0), lambda: gpunp.ones(3, device="cuda")):
    try:
        call()
    except RuntimeError as error:
        assert "built with CUDA" in str(error), error
    else:
        raise AssertionError
"""


def test_a_build_without_cuda_says_so():
    environment = {**os.environ, "GPUNP_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-P", "-c", WITHOUT_CUDA], env=environment, check=True)

"""Small host operands that come again are uploaded once, until they are changed."""

import numpy as np
import pytest

import gpunp
from gpunp.running import counting, small_operands


@pytest.fixture
def uploads(device):
    small_operands.start()
    before = device.transfer_counts[1]
    yield lambda: device.transfer_counts[1] - before
    small_operands.stop()


def test_an_array_is_kept_from_the_second_time(uploads):
    x, w = gpunp.ones(3), np.arange(3.0)
    before = uploads()
    for _ in range(10):
        assert (x * w).tolist() == [0, 1, 2]
    assert uploads() - before == 2


def test_changes_are_seen(uploads):
    x, w = gpunp.ones(3), np.arange(3.0)
    for i in range(6):
        w[1] = i
        assert (x + w).tolist() == [1, 1 + i, 3]
    for _ in range(4):
        assert (w - x).tolist() == [-1, 4, 1]


def test_other_arrays_at_the_same_address(uploads):
    x = gpunp.ones(3)
    for i in range(50):
        assert (x * np.full(3, float(i))).tolist() == [i] * 3


def test_results_are_apart_from_what_is_kept(uploads):
    x, w = gpunp.zeros(3), np.arange(3.0)
    for _ in range(4):
        y = x + w
        y += 1
        y[0] = 9
    assert (x + w).tolist() == [0, 1, 2]
    assert w.tolist() == [0, 1, 2]


def test_large_operands_and_lists_are_not_kept(uploads):
    x, w = gpunp.ones(100_000), np.ones(100_000)
    before = uploads()
    for _ in range(4):
        x * w
        x[:2] * [1.0, 2.0]
    assert uploads() - before == 8
    assert small_operands._kept == {}


def test_many_operands(uploads):
    x, arrays = gpunp.ones(2), [np.full(2, float(i)) for i in range(600)]
    for _ in range(3):
        for i, w in enumerate(arrays):
            assert float((x * w)[0]) == i
    assert len(small_operands._kept) <= 256


def test_programs(program):
    program(
        """
        import numpy as np
        x, w = np.ones((20, 3)), np.array([1.0, 2.0, 3.0])
        for i in range(30):
            x = x * w / w.max()
        """
    )
    assert counting.summed("upload").count <= 4

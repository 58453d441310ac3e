"""Which device computes which block of a product of distributed matrices."""

import collections
import types

import pytest

from gpunp.distributed.array.product_plans import planned

CUTS = {
    "rows": lambda length, part: (part, range(length)),
    "columns": lambda length, part: (range(length), part),
}


def matrix(length, devices, cut, replicas=1):
    """A square matrix without elements, cut over devices, each block on some of them."""
    chunks = []
    for number in range(devices):
        part = range(length * number // devices, length * (number + 1) // devices)
        for replica in range(replicas):
            holder = (number + replica) % devices
            chunks.append(types.SimpleNamespace(number=holder, index=CUTS[cut](length, part)))
    return types.SimpleNamespace(shape=(length, length), itemsize=4, _flat=lambda: chunks)


def work_of(a, b):
    """The multiplications of each device."""
    work = collections.Counter()
    for product in planned(a, b):
        work[product.number] += product.size
    return work


@pytest.mark.parametrize("length", [512, 32768])
@pytest.mark.parametrize("devices", [2, 3, 4, 8])
@pytest.mark.parametrize("left", CUTS)
@pytest.mark.parametrize("right", CUTS)
def test_all_devices_get_the_same_work(length, devices, left, right):
    work = work_of(matrix(length, devices, left), matrix(length, devices, right))
    assert sum(work.values()) == length**3
    # Cuts of 512 and 32768 in three parts differ by one element.
    assert max(work.values()) * devices <= length**3 * (1 + 8 / length)


@pytest.mark.parametrize("devices", [2, 3, 4, 8])
@pytest.mark.parametrize("left", CUTS)
@pytest.mark.parametrize("right", CUTS)
def test_large_blocks_on_two_devices_each_are_shared_out(devices, left, right):
    work = work_of(matrix(32768, devices, left, 2), matrix(32768, devices, right, 2))
    assert sum(work.values()) == 32768**3
    # Each block of the product is computed once, by one of several devices: no plan is perfect.
    assert max(work.values()) * devices <= 1.3 * 32768**3


@pytest.mark.parametrize("cut", CUTS)
def test_results_are_on_one_device_where_that_is_as_fast(cut):
    holders = collections.defaultdict(set)
    for product in planned(matrix(32768, 4, cut), matrix(32768, 4, cut)):
        holders[product.rows, product.columns].add(product.number)
    assert {len(each) for each in holders.values()} == {1}


def test_devices_receive_from_different_ones_at_a_time():
    turns = collections.defaultdict(list)
    for product in planned(matrix(4096, 4, "rows"), matrix(4096, 4, "rows")):
        turns[product.number].append(product.common.start // 1024)
    assert turns == {number: [(number + turn) % 4 for turn in range(4)] for number in range(4)}

"""Several uses of one mask one after the other: found once, and again once anything may have written it."""

import gc

import numpy as np
import pytest
from gpunp.indexing.masks import bits_of

import gpunp


@pytest.fixture
def x(device):
    return gpunp.asarray(np.arange(1000.0))


@pytest.fixture
def mask(x):
    return x % 3 == 0


def found(x, mask):
    """What a mask selects now; the bits may be kept."""
    selected = x[mask].get()
    np.testing.assert_array_equal(selected, x.get()[mask.get()])
    return selected


def test_uses_in_a_row_share_the_bits(x, mask, device, watched):
    y = x * 2
    waits = np.array(device.transfer_counts)
    y[mask] = y[mask] ** 2 + x[mask]
    y[mask] += 1
    # The number of elements is downloaded once.
    assert (np.array(device.transfer_counts) - waits).tolist() == [0, 0, 1]
    bits = bits_of(mask)
    assert bits is bits_of(mask)
    assert bits is bits_of(mask[:])
    expected = np.arange(1000.0) * 2
    expected[::3] = expected[::3] ** 2 + np.arange(1000.0)[::3] + 1
    np.testing.assert_array_equal(y.get(), expected)


def invert(mask):
    np.logical_not(mask, out=mask)


def export(mask):
    gpunp.asarray(gpunp.from_dlpack(mask))[:7] = True


WRITES = {
    "element": lambda mask: mask.__setitem__(5, True),
    "slice": lambda mask: mask.__setitem__(slice(3, 700, 2), False),
    "out": invert,
    "in place": lambda mask: mask.__iand__(mask[::-1].copy()),
    "view": lambda mask: mask[100:].fill(True),
    "other dtype": lambda mask: mask.view("u1").__setitem__(slice(0, 9), 1),
    "copyto": lambda mask: np.copyto(mask, True, where=~mask),
    "put": lambda mask: np.put(mask, [1, 2], True),
    "place": lambda mask: np.place(mask, mask, False),
    "by itself": lambda mask: mask.__setitem__(mask, False),
    "by values": lambda mask: mask.__setitem__(mask, mask[mask][::-1].copy()),
    "sort": lambda mask: mask.sort(),
    "random": lambda mask: mask.view("u1").__setitem__(
        slice(None), np.random.default_rng(1).integers(0, 2, 1000)
    ),
    "set": lambda mask: mask.set(np.ones(1000, bool)),
    "export": export,
    "reduction": lambda mask: np.any(mask.reshape(10, 100), axis=1, out=mask[:10]),
    "cumulative": lambda mask: np.logical_or.accumulate(mask, out=mask),
    "masked": lambda mask: np.logical_xor(mask, True, out=mask, where=mask[::-1].copy()),
}


@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_writes_between(name, deferred, x, mask):
    least = gpunp.fusion.set_least_elements(1 if deferred else 1 << 16)
    try:
        found(x, mask)
        WRITES[name](mask)
        found(x, mask)
        kept = mask[:]
        WRITES[name](kept)
        found(x, kept)
        found(x, mask)
    finally:
        gpunp.fusion.set_least_elements(least)


def test_layouts_of_the_same_memory(x, mask):
    square, square_mask = x[:900].reshape(30, 30), mask[:900].reshape(30, 30)
    for each in (square_mask, square_mask.T, square_mask[::-1], square_mask.view("u1") == 1, square_mask):
        found(square, each)
    found(x[:500], mask[:500])
    found(x[500:], mask[500:])
    found(x[::-1], mask[::-1])


def test_masks_die(x):
    for k in range(5):
        found(x, x > 160 * k)
        gc.collect()
    mask = x < 7
    found(x, mask)
    view = mask[:]
    del mask
    view[:] = True
    assert len(found(x, view)) == 1000


def test_memory_of_a_dead_mask_is_free(x, device):
    mask = gpunp.zeros(1 << 20, dtype=bool)
    x = gpunp.zeros(1 << 20)
    x[mask]
    pool = gpunp.get_default_memory_pool()
    before = pool.used_bytes()
    del mask
    assert device.is_cpu or pool.used_bytes() <= before - (1 << 20)


def test_count_of_values_is_still_checked(x, mask):
    found(x, mask)
    with pytest.raises(ValueError, match="values"):  # noqa: PT012 - a GPU reports at a read
        x[mask] = gpunp.ones(7)
        x.get()


def test_streams_have_their_own(x, mask, device):
    if device.is_cpu:
        pytest.skip("streams of a GPU")
    from gpunp import cuda

    bits = bits_of(mask)
    with cuda.Stream():
        assert bits_of(mask) is not bits

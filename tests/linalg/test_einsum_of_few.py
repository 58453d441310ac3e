"""Einstein sums of few elements, which have a short way: every call gives what NumPy gives."""

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

SHAPES = {
    "a": (3,),
    "A": (3, 4),
    "B": (4, 2),
    "Q": (3, 3),
    "T": (2, 3, 4),
    "one": (1, 4),
    "none": (0, 3),
    "": (),
}
# Subscripts and the names of their operands.
CALLS = [
    ("i,i->", "a", "a"),
    ("i,i", "a", "a"),
    ("i->", "a"),
    ("i", "a"),
    ("ij,j->i", "A", "B:0"),
    ("ij,jk->ik", "A", "B"),
    ("ij,jk", "A", "B"),
    ("ij,jk->ki", "A", "B"),
    ("ba", "A"),
    ("ij->ji", "A"),
    ("ij->i", "A"),
    ("ij->", "A"),
    ("ii->i", "Q"),
    ("ii", "Q"),
    ("ii->", "Q"),
    ("ij,ij->ij", "Q", "Q"),
    ("ij,ji", "Q", "Q"),
    ("iij->j", "Q:new"),
    ("i,j->ij", "a", "a"),
    ("tij,tij->t", "T", "T"),
    ("tij,ij,jk->tk", "T", "A", "B"),
    ("tij->jit", "T"),
    ("i,i,i->", "a", "a", "a"),
    ("i,i,i,i->", "a", "a", "a", "a"),
    ("ij,ij->i", "A", "one"),
    ("ij->j", "none"),
    (",i->i", "", "a"),
    ("->", ""),
    ("...i->...", "A"),
    (" i j , j k -> i k ", "A", "B"),
    ("Zb,ba", "A", "B"),
    # Errors.
    ("ij,jk->ikz", "A", "B"),
    ("ij,jk->ikk", "A", "B"),
    ("ij,jk->", "A", "A"),
    ("ij", "a"),
    ("i", "A"),
    ("i,i->", "a"),
    ("i->", "a", "a"),
    ("i-i", "a"),
    ("i>i", "a"),
    ("i->i->i", "a"),
    ("i1->i", "A"),
    ("é->é", "a"),
    ("ii", "A"),
]


def array_named(name, char, order):
    name, _, how = name.partition(":")
    shape = SHAPES[name]
    made = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5 * 2 - 3).astype(char)
    if how == "0":
        made = made[:, 0]
    elif how == "new":
        made = np.stack([made] * 3)
    return made if order == "C" else np.asfortranarray(made)


@pytest.mark.parametrize("call", CALLS, ids=lambda c: f"{c[0]} {'+'.join(c[1:])}")
@pytest.mark.parametrize("char", "dflbF?")
@pytest.mark.parametrize("order", "CF")
def test_as_numpys(call, char, order, device):
    subscripts, *names = call
    hosts = [array_named(name, char, order) for name in names]
    arrays = [gpunp.asarray(host, device=device) for host in hosts]
    expected, error = outcome(lambda: np.einsum(subscripts, *hosts))
    # The first call of a process takes the way of the protocol.
    for _ in range(2):
        found, raised = outcome(lambda: np.einsum(subscripts, *arrays))
        if error is not None:
            assert isinstance(raised, ValueError), raised
            continue
        assert raised is None, raised
        assert_same(found, expected, 1e-6 if char == "f" else 1e-14)


def test_views_share_memory_and_may_be_written(device):
    array = gpunp.asarray(np.arange(9.0).reshape(3, 3), device=device)
    np.einsum("ii->i", array)[:] = -1.0
    np.einsum("ij->ji", array)[0, 2] = 7.0
    assert_same(array, np.array([[-1.0, 1, 2], [3, -1, 5], [7, 7, -1]]))


def test_integers_wrap_around(device):
    host = np.array([2**62, 3, -(2**61)])
    array = gpunp.asarray(host, device=device)
    assert_same(np.einsum("i,i->", array, array), np.einsum("i,i->", host, host))


@pytest.mark.parametrize("extent", [10, 11])
def test_as_many_products_as_the_short_way_takes(extent, device):
    host = np.arange(extent * 100.0).reshape(extent, 100)
    array = gpunp.asarray(host, device=device)
    assert_same(np.einsum("ij,ij->i", array, array), np.einsum("ij,ij->i", host, host), 1e-14)

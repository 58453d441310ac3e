from collections import Counter

import numpy as np
import pytest
from scipy import stats

import gpunp
from gpunp import random


def rng(seed=1):
    return random.default_rng(seed)


def all_orders_equally_likely(rows, orders):
    counts = Counter(map(tuple, rows.tolist()))
    assert len(counts) == orders
    return stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_small_permutations_are_uniform():
    g = rng()
    assert all_orders_equally_likely(np.array([gpunp.asnumpy(g.permutation(3)) for _ in range(600)]), 6)
    rows = gpunp.asarray(np.tile(np.arange(5), (24_000, 1)))
    assert all_orders_equally_likely(gpunp.asnumpy(g.permuted(rows, axis=1)), 120)


def test_ties_of_keys_are_shuffled():
    # All keys equal, then pairs of equal keys: all orders occur within a run, and runs do not mix.
    g = rng()
    order = gpunp.asarray(np.tile(np.arange(4), (24_000, 1)))
    g.shuffle_ties(gpunp.zeros((24_000, 4), "u4"), order)
    assert all_orders_equally_likely(gpunp.asnumpy(order), 24)
    order = gpunp.asarray(np.tile(np.arange(4), (4000, 1)))
    g.shuffle_ties(gpunp.asarray(np.tile(np.array([1, 1, 2, 2], "u4"), (4000, 1))), order)
    rows = gpunp.asnumpy(order)
    assert all_orders_equally_likely(rows, 4)
    assert set(rows[:, :2].reshape(-1)) == {0, 1}


@pytest.mark.parametrize("size", [0, 1, 2, 33, 1000, 70_001])
def test_permutation_of_integers(size):
    order = gpunp.asnumpy(rng().permutation(size))
    assert order.dtype == np.int64
    assert (np.sort(order) == np.arange(size)).all()
    if size > 100:
        assert abs(np.corrcoef(order, np.arange(size))[0, 1]) < 5 / np.sqrt(size)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_permutation_and_shuffle_of_arrays(axis):
    host = np.arange(24).reshape(4, 6)
    moved = gpunp.asnumpy(rng().permutation(gpunp.asarray(host), axis=axis))
    parts = np.moveaxis(moved, axis, 0)
    assert sorted(map(tuple, parts.tolist())) == sorted(map(tuple, np.moveaxis(host, axis, 0).tolist()))
    a = gpunp.asarray(host)
    assert rng().shuffle(a, axis=axis) is None
    assert gpunp.asnumpy(a).tolist() == moved.tolist()
    view = gpunp.asarray(np.arange(20))[::2]
    rng().shuffle(view)
    assert sorted(gpunp.asnumpy(view).tolist()) == list(range(0, 20, 2))


def test_permuted_rows_and_columns():
    host = np.arange(60).reshape(3, 4, 5)
    for axis in (0, 1, 2, -1):
        moved = gpunp.asnumpy(rng().permuted(gpunp.asarray(host), axis=axis))
        assert (np.sort(moved, axis=axis) == host).all()
        assert (moved != host).any()
    flat = gpunp.asnumpy(rng().permuted(host))
    assert flat.shape == host.shape
    assert (np.sort(flat, axis=None) == host.reshape(-1)).all()
    a = gpunp.asarray(host)
    assert rng().permuted(a, axis=1, out=a) is a
    out = gpunp.zeros((3, 4, 5))
    assert rng().permuted(gpunp.asarray(host), axis=1, out=out) is out
    assert gpunp.asnumpy(out).tolist() == gpunp.asnumpy(a).tolist()


def test_choice_with_replacement():
    g = rng()
    assert stats.chisquare(np.bincount(gpunp.asnumpy(g.choice(5, 20_000)))).pvalue > 1e-4
    p = [0.1, 0.2, 0, 0.7]
    for given in (p, gpunp.asarray(p)):
        counts = np.bincount(gpunp.asnumpy(g.choice(4, 20_000, p=given)), minlength=4)
        assert counts[2] == 0
        assert stats.chisquare(np.delete(counts, 2), 20_000 * np.array([0.1, 0.2, 0.7])).pvalue > 1e-4
    assert g.choice(5).shape == ()
    assert g.choice([10, 20], (2, 3)).shape == (2, 3)
    assert set(gpunp.asnumpy(g.choice(gpunp.asarray([10.0, 20]), 50)).tolist()) == {10.0, 20.0}
    columns = gpunp.asnumpy(g.choice(np.arange(12).reshape(3, 4), 2, axis=1))
    assert columns.shape == (3, 2)
    assert (np.diff(columns, axis=0) == 4).all()
    assert g.choice([], 0).shape == (0,)


# Whether one chosen element is a scalar, as it is in NumPy without a size.
@pytest.mark.parametrize(
    ("call", "scalar"),
    [
        (lambda g, a: g.choice(5), True),
        (lambda g, a: g.choice(5, ()), False),
        (lambda g, a: g.choice(5, p=[0.2] * 5), True),
        (lambda g, a: g.choice(5, (), p=[0.2] * 5), False),
        (lambda g, a: g.choice(5, replace=False), True),
        (lambda g, a: g.choice(5, (), replace=False), False),
        (lambda g, a: g.choice(a), True),
        (lambda g, a: g.choice(a, ()), False),
        (lambda g, a: g.choice(np.stack([a, a])), False),
        (lambda g, a: gpunp.random.choice(5), True),
        (lambda g, a: gpunp.random.choice(a, ()), False),
    ],
)
def test_chosen_scalars(call, scalar):
    chosen = call(rng(), gpunp.asarray([1.0, 2.0]))
    assert isinstance(chosen, gpunp.ndarray)
    assert chosen._is_scalar is scalar
    assert chosen.flags.writeable is not scalar


@pytest.mark.parametrize("options", [{}, {"size": 3}, {"replace": False}])
def test_populations_beyond_integers(options):
    for generator in (rng(), gpunp.random.RandomState(0)):
        with pytest.raises(ValueError, match=r"2\*\*63"):
            generator.choice(2**70, **options)


def test_choice_without_replacement():
    g = rng()
    rows = np.array([gpunp.asnumpy(g.choice(4, 2, replace=False)) for _ in range(600)])
    assert all_orders_equally_likely(rows, 12)
    # The second element is drawn with the renormalized probabilities of the remaining ones.
    p = np.array([0.5, 0.3, 0.2])
    rows = np.array([gpunp.asnumpy(g.choice(3, 2, replace=False, p=p)) for _ in range(2000)])
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    counts = [int(((rows == pair).all(axis=1)).sum()) for pair in pairs]
    expected = [2000 * p[i] * p[j] / (1 - p[i]) for i, j in pairs]
    assert stats.chisquare(counts, expected).pvalue > 1e-4
    assert sorted(gpunp.asnumpy(g.choice(5, (5, 1), replace=False)).reshape(-1).tolist()) == list(range(5))


@pytest.mark.parametrize("population", [1 << 24, (1 << 24) + 1, 1 << 40, 3 << 50])
def test_choice_from_a_large_population(population):
    places = gpunp.asnumpy(rng().choice(population, 50_000, replace=False))
    assert len(np.unique(places)) == 50_000
    assert places.min() >= 0
    assert stats.kstest(places / population, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(places[:-1], places[1:])[0, 1]) < 5 / np.sqrt(50_000)


def test_bytes():
    assert rng().bytes(0) == b""
    assert len(rng().bytes(13)) == 13
    assert rng().bytes(16)[:5] == rng().bytes(5)
    assert 250 < len(set(rng().bytes(5000))) <= 256


ERRORS = [
    ("choice", (0,)),
    ("choice", (-1, 3)),
    ("choice", (1.5,)),
    ("choice", ([],)),
    ("choice", (3, 4, False)),
    ("choice", (3, 2, True, [0.5, 0.5])),
    ("choice", (3, 2, True, [0.5, -0.5, 1])),
    ("choice", (3, 2, True, [np.nan, 0.5, 0.5])),
    ("choice", (3, 3, False, [0.5, 0.5, 0])),
    ("choice", (5, 2, True, [[1]])),
    ("permutation", (5.5,)),
    ("permutation", ([1, 2], 3)),
    ("permuted", (5,)),
    ("shuffle", (5,)),
]


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=str)
def test_errors_are_those_of_numpy(name, args):
    with pytest.raises((ValueError, TypeError, IndexError)) as expected:
        getattr(np.random.default_rng(1), name)(*args)
    with pytest.raises(expected.type) as actual:
        getattr(rng(), name)(*args)
    if name == "choice":
        assert str(actual.value) == str(expected.value)


def test_errors_of_our_own():
    with pytest.raises(ValueError, match=r"sum to 1, but to 1\.5"):
        rng().choice(3, 2, p=[0.5, 0.5, 0.5])
    with pytest.raises(TypeError, match=r"gpunp\.ndarray"):
        rng().shuffle(np.arange(3))
    with pytest.raises(TypeError, match=r"gpunp\.ndarray"):
        rng().permuted([1, 2], out=np.zeros(2))
    with pytest.raises(TypeError, match="safe"):
        rng().permuted(gpunp.asarray([1.5, 2]), out=gpunp.zeros(2, "i4"))
    with pytest.raises(ValueError, match="same shape"):
        rng().permuted(gpunp.asarray([1.5, 2]), out=gpunp.zeros(3))
    with pytest.raises(ValueError, match="negative"):
        rng().bytes(-1)


def test_numbers_of_the_device():
    """The result of a reduction is accepted as a scalar, also in a sequence."""
    number = gpunp.asarray([3, 5]).max()
    half = gpunp.asarray([0.5, 0.25]).max()
    for make in (lambda: gpunp.random.default_rng(7), lambda: gpunp.random.RandomState(7)):
        assert make().permutation(number).tolist() == make().permutation(5).tolist()
        assert make().choice(number, 4).tolist() == make().choice(5, 4).tolist()
        assert (
            make().choice(3, 9, p=[half, 0.25, 0.25]).tolist()
            == make().choice(3, 9, p=[0.5, 0.25, 0.25]).tolist()
        )
        assert make().choice([number, 7], 9).tolist() == make().choice([5, 7], 9).tolist()
        assert make().dirichlet([half, 1]).tolist() == make().dirichlet([0.5, 1]).tolist()
        one = make().multivariate_normal([half, 1], [[number, 0], [0, 1]])
        assert one.tolist() == make().multivariate_normal([0.5, 1], [[5, 0], [0, 1]]).tolist()
    rng, other = gpunp.random.default_rng(7), gpunp.random.default_rng(7)
    assert rng.integers([number, 9], 20).tolist() == other.integers([5, 9], 20).tolist()

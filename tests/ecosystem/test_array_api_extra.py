"""array-api-extra: each of its functions on device arrays, as on NumPy's."""

import numpy as np
import pytest

import gpunp

xpx = pytest.importorskip("array_api_extra", minversion="0.9")
# These functions are deprecated because the standard has them now; they still work.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`xpx.(expand_dims|broadcast_shapes)` is dep:DeprecationWarning"
)

RANDOM = np.random.default_rng(5)
A = RANDOM.normal(size=(4, 6))
HOLES = np.where(A > 0.75, np.nan, A)
INTEGERS = RANDOM.integers(0, 6, (3, 8))
EDGES = np.array([-1.0, -0.25, 0.5, 2.0])
COMPLEX = A + 1j * A[::-1]

CASES = {
    "angle": lambda xp, at: xpx.angle(at(COMPLEX), deg=True),
    "apply_where": lambda xp, at: xpx.apply_where(at(A) > 0, at(A), lambda a: a**2, lambda a: -a),
    "apply_where fill": lambda xp, at: xpx.apply_where(at(A) > 0, (at(A), at(A)), xp.add, fill_value=-1.0),
    "argpartition": lambda xp, at: xp.take_along_axis(at(A), xpx.argpartition(at(A), 2, axis=1), axis=1)[
        :, 2
    ],
    "at set": lambda xp, at: xpx.at(at(A), (slice(None), 1)).set(7.0, copy=True),
    "at add": lambda xp, at: xpx.at(at(A))[at(A) > 0].add(1.0, copy=True),
    "at min": lambda xp, at: xpx.at(at(A))[1].min(0.0, copy=True),
    "atleast_nd": lambda xp, at: xpx.atleast_nd(at(EDGES), ndim=3),
    "cov": lambda xp, at: xpx.cov(at(A)),
    "create_diagonal": lambda xp, at: xpx.create_diagonal(at(A), offset=-1),
    "deg2rad": lambda xp, at: xpx.deg2rad(at(A)),
    "diag_indices": lambda xp, at: xpx.diag_indices(3, ndim=2, xp=xp),
    "expand_dims": lambda xp, at: xpx.expand_dims(at(A), axis=(0, 2)),
    "isclose": lambda xp, at: xpx.isclose(at(HOLES), at(HOLES) + 1e-12, equal_nan=True),
    "isin": lambda xp, at: xpx.isin(at(INTEGERS), at(np.array([1, 4])), invert=True),
    "kron": lambda xp, at: xpx.kron(at(A), at(A[:2, :3])),
    "nan_to_num": lambda xp, at: xpx.nan_to_num(at(HOLES), fill_value=2.5),
    "nanmax": lambda xp, at: xpx.nanmax(at(HOLES), axis=0),
    "nanmean": lambda xp, at: xpx.nanmean(at(HOLES), axis=1),
    "nanmin": lambda xp, at: xpx.nanmin(at(HOLES)),
    "nansum": lambda xp, at: xpx.nansum(at(HOLES), axis=1),
    "nunique": lambda xp, at: xpx.nunique(at(INTEGERS)),
    "one_hot": lambda xp, at: xpx.one_hot(at(INTEGERS), 6),
    "pad": lambda xp, at: xpx.pad(at(A), ((1, 0), (0, 2)), constant_values=3.0),
    "partition": lambda xp, at: xpx.partition(at(A), 3, axis=None)[3],
    "rad2deg": lambda xp, at: xpx.rad2deg(at(A)),
    "searchsorted": lambda xp, at: xpx.searchsorted(at(EDGES), at(A), side="right"),
    "setdiff1d": lambda xp, at: xpx.setdiff1d(at(INTEGERS), at(np.array([0, 3]))),
    "sinc": lambda xp, at: xpx.sinc(at(A)),
    "tril_indices": lambda xp, at: xpx.tril_indices(4, offset=1, xp=xp),
    "triu_indices": lambda xp, at: xpx.triu_indices(4, m=5, xp=xp),
    "union1d": lambda xp, at: xpx.union1d(at(INTEGERS), at(np.array([3, 9]))),
    "unravel_index": lambda xp, at: xpx.unravel_index(at(INTEGERS), (2, 3)),
}
# Names with tests of their own, and those that are not functions of arrays.
OTHER = {"broadcast_shapes", "default_dtype", "lazy_apply", "testing", "at", "__version__"}
# These fetch a count or a condition: boolean indices, unique values, checks for all-NaN slices.
WAITING = {
    *("apply_where", "apply_where fill", "at add", "isclose", "isin", "nanmax", "nanmin"),
    *("nunique", "setdiff1d", "tril_indices", "triu_indices", "union1d"),
}


def test_every_function_has_a_case():
    tested = {name.partition(" ")[0] for name in CASES}
    assert set(xpx.__all__) - OTHER - tested == set()


@pytest.mark.parametrize("name", CASES)
def test_as_on_the_host(name, device):
    expected = CASES[name](np, lambda array: array)
    actual = CASES[name](gpunp, lambda array: gpunp.asarray(array, device=device))
    if not isinstance(expected, tuple):
        actual, expected = (actual,), (expected,)
    assert len(actual) == len(expected)
    for ours, wanted in zip(actual, expected, strict=True):
        wanted = np.asarray(wanted)
        assert isinstance(ours, gpunp.ndarray)
        assert ours.device == device
        assert ours.dtype == wanted.dtype
        np.testing.assert_allclose(ours.get(), wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", sorted(set(CASES) - WAITING))
def test_nothing_is_fetched(name, device):
    arrays = {}

    def at(array):
        return arrays.setdefault(id(array), gpunp.asarray(array, device=device))

    CASES[name](gpunp, at)
    before = device.transfer_counts
    CASES[name](gpunp, at)
    assert device.transfer_counts[2] == before[2]


def test_writing_in_place(device):
    x = gpunp.zeros(4, device=device)
    assert xpx.at(x)[1].set(3.0) is x
    assert xpx.at(x, slice(2, None)).add(1.0, copy=False) is x
    assert x.tolist() == [0, 3, 1, 1]
    assert xpx.at(x)[0].set(9.0, copy=True) is not x
    assert x.tolist() == [0, 3, 1, 1]


def test_dtypes_and_shapes():
    assert xpx.default_dtype(gpunp) == np.float64
    assert xpx.default_dtype(gpunp, "indexing") == np.int64
    assert xpx.broadcast_shapes((2, 1), (3,)) == (2, 3)


def test_lazy_apply(device):
    x = gpunp.asarray(A, device=device)
    result = xpx.lazy_apply(lambda a: a * 2, x, xp=gpunp)
    assert isinstance(result, gpunp.ndarray)
    np.testing.assert_array_equal(result.get(), A * 2)
    # as_numpy=True converts implicitly, which is refused.
    with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
        xpx.lazy_apply(lambda a: a * 2, x, xp=gpunp, as_numpy=True)

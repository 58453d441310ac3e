import numpy as np
import pytest
from records import Record, check_record, record_test

import gpunp
from gpunp.dispatch.registry import NAMESPACE

RECORDS = (
    Record("poly", dtypes="?bilefdFD", shapes=((5,), (1,), ()), exact=False),
    Record(
        "poly", lambda f, a: f(a), dtypes="d", shapes=((3, 4), (0, 0), (2, 2, 2)), layouts=("C",), raises=True
    ),
    Record("roots", lambda f, a: f(a), dtypes="d", shapes=((3, 4),), raises=True),
)
test_records = record_test(RECORDS)
# Calls that need eigenvalues.
SOLVED = (
    Record("poly", lambda f, a: f(a * 1), dtypes="ild", shapes=((4, 4),), layouts=("C", "F"), exact=False),
    Record(
        "roots", lambda f, a: f(a).shape, dtypes="bilfdFD", shapes=((5,), (1,), ()), layouts=("C", "negative")
    ),
)


@pytest.mark.parametrize("record", SOLVED, ids=lambda record: record.name)
def test_with_eigenvalues(record, solvers):
    check_record(record)


def sorted_roots(a):
    return np.sort_complex(gpunp.asnumpy(a))


@pytest.mark.parametrize(
    "coefficients",
    [
        [1, -6, 11, -6],
        [1.0, 0, 1],
        [0, 0, 2, -3, 0, 0],
        [0, 0, 0],
        [5],
        [0, 3, 0],
        [1 + 1j, 2, 3j],
        np.float32([1, 2, -3]),
        [],
    ],
    ids=str,
)
def test_roots(coefficients, solvers):
    expected = np.roots(coefficients)
    # NumPy dispatches by the elements of the argument, so it does not dispatch an empty array.
    function = np.roots if len(coefficients) else gpunp.roots
    actual = function(gpunp.asarray(coefficients))
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(sorted_roots(actual), np.sort_complex(expected), atol=1e-6)


def test_conjugate_pairs_make_real_coefficients():
    for roots in ([1 + 2j, 1 - 2j, 3], [1 + 2j, 1 - 2j, 3j]):
        expected = np.poly(roots)
        actual = np.poly(gpunp.asarray(roots))
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual.get(), expected)


def test_no_roots():
    assert gpunp.poly(gpunp.zeros(0)).item() == np.poly([]) == 1.0


def test_devices_without_eigenvalues(device):
    if device.is_cpu or "linalg.eigvals" in NAMESPACE:
        pytest.skip(f"{device} has eigenvalues")
    with pytest.raises(NotImplementedError, match=r"linalg\.eigvals"):
        np.roots(gpunp.asarray([1.0, 2, 3]))

"""SciPy's linear operators, made and called by programs with device arrays."""

import warnings

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import gpunp
import gpunp_scipy

# What operators with a matrix of five rows and four columns are made of, and a matrix of four.
FORMS = {
    "sparse": lambda a, q: aslinearoperator(a),
    "dense": lambda a, q: aslinearoperator(a.toarray()),
    "one function": lambda a, q: LinearOperator((5, 4), matvec=lambda x: a @ x, dtype=a.dtype),
    "two functions": lambda a, q: LinearOperator(
        (5, 4), matvec=lambda x: a @ x, rmatvec=lambda x: a.conj().T @ x, dtype=a.dtype
    ),
    "four functions": lambda a, q: LinearOperator(
        (5, 4),
        matvec=lambda x: a @ x,
        rmatvec=lambda x: a.conj().T @ x,
        matmat=lambda x: a @ x,
        rmatmat=lambda x: a.conj().T @ x,
        dtype=a.dtype,
    ),
    "multiple": lambda a, q: 2 * aslinearoperator(a),
    "negative": lambda a, q: -aslinearoperator(a),
    "sum": lambda a, q: aslinearoperator(a) + LinearOperator((5, 4), matvec=lambda x: a @ x, dtype=a.dtype),
    "product": lambda a, q: aslinearoperator(a) @ aslinearoperator(q),
    "power": lambda a, q: aslinearoperator(a) @ aslinearoperator(q) ** 3,
    "transposed": lambda a, q: aslinearoperator(a).T.T,
    "adjoint": lambda a, q: aslinearoperator(a).H.H,
}
# Operations with an operator and arrays of its four columns and five rows.
CALLS = {
    "matvec": lambda op, x, y: op.matvec(x[:, 0]),
    "column": lambda op, x, y: op.matvec(x[:, :1]),
    "matmat": lambda op, x, y: op.matmat(x),
    "rmatvec": lambda op, x, y: op.rmatvec(y[:, 0]),
    "rmatmat": lambda op, x, y: op.rmatmat(y),
    "call": lambda op, x, y: op(x[:, 0]),
    "dot": lambda op, x, y: op.dot(x),
    "product": lambda op, x, y: op @ x,
    "times": lambda op, x, y: op * x[:, 0],
    "from the left": lambda op, x, y: y.T @ op,
    "vector from the left": lambda op, x, y: y[:, 0] @ op,
    "of the adjoint": lambda op, x, y: op.H @ y,
    "of the transposed": lambda op, x, y: op.T @ y,
    "wrong length": lambda op, x, y: op @ y,
    "wrong length of a vector": lambda op, x, y: op.matvec(y[:, 0]),
}


def outcome(call, *arguments):
    with warnings.catch_warnings():
        # Columns are deprecated in SciPy 1.18.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return call(*arguments)
        except (ValueError, TypeError, NotImplementedError) as error:
            return error


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_operators_take_device_arrays(form, dtype, rng):
    def values(*shape):
        real = rng.standard_normal(shape)
        return real + 1j * rng.standard_normal(shape) if dtype == "c16" else real

    matrices = [sp.csr_array(values(*shape) * (rng.random(shape) < 0.6)) for shape in ((5, 4), (4, 4))]
    arrays = values(4, 3), values(5, 3)
    plain = FORMS[form](*matrices)
    ours = FORMS[form](*map(gpunp_scipy.sparse.csr_array, matrices))
    for name, call in CALLS.items():
        expected = outcome(call, plain, *arrays)
        found = outcome(call, ours, *map(gpunp.asarray, arrays))
        if isinstance(expected, Exception):
            assert type(found) is type(expected), (name, found)
            continue
        assert isinstance(found, gpunp.ndarray), (name, found)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype), name
        np.testing.assert_allclose(gpunp.asnumpy(found), expected, 1e-12, 1e-12, err_msg=name)


def test_multiples_by_numbers_of_the_device(rng):
    matrix, x = rng.standard_normal((3, 3)), rng.standard_normal(3)
    ours = aslinearoperator(gpunp.asarray(matrix)) * gpunp.asarray(2.5)
    np.testing.assert_allclose(gpunp.asnumpy(ours @ gpunp.asarray(x)), 2.5 * matrix @ x)

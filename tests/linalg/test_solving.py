import numpy as np
import pytest
from matrices import INEXACT, adjoint, close, matrix
from records import CANCELLING, Record, record_test

import gpunp
from gpunp.linalg import solving

STACKS = ((3, 3), (2, 4, 4), (2, 1, 2, 2))


def regular(a):
    """Make a well-conditioned matrix from any square one."""
    return a / 40 + 5 * np.eye(a.shape[-1], like=a if isinstance(a, gpunp.ndarray) else None)


def on(a, values):
    return gpunp.asarray(values) if isinstance(a, gpunp.ndarray) else values


PLAIN = ("C", "transposed")
RECORDS = (
    Record("linalg.inv", lambda f, a: f(regular(a)), "ldD", STACKS, PLAIN, exact=False, absolute=CANCELLING),
    Record("linalg.det", lambda f, a: f(regular(a)), "ldD", STACKS, PLAIN, exact=False, absolute=CANCELLING),
    Record(
        "linalg.slogdet", lambda f, a: f(regular(a)), "ldD", STACKS, PLAIN, exact=False, absolute=CANCELLING
    ),
    Record(
        "linalg.solve",
        lambda f, a, b: f(regular(a), b),
        "ldD",
        STACKS,
        PLAIN,
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.lstsq",
        lambda f, a, b: f(a, b),
        "dD",
        ((5, 3), (3, 5), (4, 4)),
        PLAIN,
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.lstsq",
        lambda f, a: f(a, a[:, 0], 1e-3),
        "d",
        ((5, 3),),
        PLAIN,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.matrix_power",
        lambda f, a: f(regular(a), -3),
        "ldD",
        STACKS,
        PLAIN,
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.matrix_power", lambda f, a: f(a, 5), "il", STACKS, PLAIN),
    Record("linalg.matrix_power", lambda f, a: f(a, 0), "ildD", STACKS, ("C",)),
    Record("linalg.matrix_power", lambda f, a: f(a, 1.5), "d", STACKS, ("C",), raises=True),
    Record(
        "linalg.tensorinv",
        lambda f, a: f(regular(a).reshape(4, 6, 8, 3)),
        "d",
        ((24, 24),),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.tensorinv", lambda f, a: f(a, 0), "d", ((4, 4),), ("C",), raises=True),
    Record(
        "linalg.tensorsolve",
        lambda f, a: f(regular(a).reshape(2, 3, 6), a[0].reshape(2, 3)),
        "d",
        ((6, 6),),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "linalg.tensorsolve",
        lambda f, a: f(regular(a).reshape(2, 6, 3), a[0].reshape(2, 3), axes=(1,)),
        "d",
        ((6, 6),),
        ("C",),
        exact=False,
        absolute=CANCELLING,
    ),
    Record("linalg.tensorsolve", lambda f, a: f(a, a[0]), "d", ((3, 4, 4),), ("C",), raises=True),
    *(
        Record(
            f"linalg.{name}", shapes=((), (3,), (2, 3), (2, 3, 4)), dtypes="d", layouts=("C",), raises=True
        )
        for name in ("inv", "det", "slogdet")
    ),
    Record("linalg.solve", lambda f, a: f(a, a[:2]), "d", ((3, 3), (3, 4), (3,)), ("C",), raises=True),
    Record("linalg.lstsq", lambda f, a: f(a, a[:2]), "d", ((3, 3), (3, 4, 4), (3,)), ("C",), raises=True),
)
test_records = record_test(RECORDS)


@pytest.fixture(params=["public", "kernels"])
def way(request, device):
    """Return the public function, or the implementation for CUDA, which runs on every device."""
    if request.param == "public":
        return lambda name: getattr(np.linalg, name)
    return lambda name: getattr(solving, name).__wrapped__


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 7, 7), (2, 3, 4, 4), (0, 4, 4)])
def test_inverse_and_solution(way, char, shape):
    a = matrix(char, *shape)
    x = gpunp.asarray(a)
    identity = np.broadcast_to(np.eye(shape[-1]), shape)
    inverse = way("inv")(x)
    assert inverse.dtype == a.dtype
    close(a @ gpunp.asnumpy(inverse), identity, char, 100)
    b = matrix(char, *shape[:-1], 2, seed=1)
    for right in (b, b[..., :1], b[..., ::-1]):
        close(a @ gpunp.asnumpy(way("solve")(x, gpunp.asarray(right))), right, char, 100)
    vector = matrix(char, shape[-1], seed=2)
    close(
        (a @ gpunp.asnumpy(way("solve")(x, gpunp.asarray(vector)))[..., None])[..., 0],
        np.broadcast_to(vector, shape[:-1]),
        char,
        100,
    )


def test_broadcast_of_stacks(way):
    a, b = matrix("d", 3, 1, 4, 4), matrix("d", 2, 4, 5, seed=1)
    x = gpunp.asnumpy(way("solve")(gpunp.asarray(a), gpunp.asarray(b)))
    assert x.shape == (3, 2, 4, 5)
    close(a @ x, np.broadcast_to(b, x.shape), "d")


@pytest.mark.parametrize("char", INEXACT)
def test_determinants(way, char):
    a = matrix(char, 3, 6, 6)
    close(way("det")(gpunp.asarray(a)), np.linalg.det(a), char)
    found, expected = way("slogdet")(gpunp.asarray(a)), np.linalg.slogdet(a)
    assert type(found) is type(expected)
    close(found.sign, expected.sign, char)
    close(found.logabsdet, expected.logabsdet, char)
    assert found.sign.dtype == expected.sign.dtype
    assert found.logabsdet.dtype == expected.logabsdet.dtype


def test_no_elements(way):
    for shape in ((0, 0), (2, 0, 0)):
        a = gpunp.zeros(shape)
        for name in ("inv", "det"):
            expected = getattr(np.linalg, name)(np.zeros(shape))
            found = way(name)(a)
            assert found.shape == expected.shape
            np.testing.assert_array_equal(gpunp.asnumpy(found), expected)
    assert way("solve")(gpunp.zeros((0, 0)), gpunp.zeros((0, 3))).shape == (0, 3)
    assert way("solve")(gpunp.eye(2), gpunp.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("name", ["inv", "solve"])
def test_singular(way, name, device):
    a = gpunp.ones((4, 3, 3))

    def run():
        way(name)(*([a] if name == "inv" else [a, a]))
        device.synchronize()
        gpunp.asnumpy(a)

    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        run()
    # The error does not affect the next call.
    gpunp.asnumpy(way("inv")(gpunp.eye(2)))


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("shape", [(8, 3), (3, 8), (5, 5), (40, 7)])
def test_least_squares(way, char, shape):
    a, b = matrix(char, *shape), matrix(char, shape[0], 2, seed=1)
    x, residuals, rank, s = way("lstsq")(gpunp.asarray(a), gpunp.asarray(b))
    expected = np.linalg.lstsq(a, b)
    for one, other in zip((x, residuals, s), (expected[0], expected[1], expected[3]), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        close(one, other, char, 20)
    assert int(rank) == expected[2]
    vector = way("lstsq")(gpunp.asarray(a), gpunp.asarray(b[:, 0]))
    close(vector[0], expected[0][:, 0], char, 20)
    assert vector[1].shape == np.linalg.lstsq(a, b[:, 0])[1].shape


def test_least_squares_of_low_rank(way):
    a = np.outer(np.arange(1, 7.0), [1, 2, 3])
    a[:, 1] += [0, 1, 0, 1, 0, 1]
    b = matrix("d", 6, 2)
    x, residuals, rank, _ = way("lstsq")(gpunp.asarray(a), gpunp.asarray(b))
    close(x, np.linalg.lstsq(a, b)[0], "d")
    assert int(rank) == 2
    assert residuals.shape == (0,)
    for rcond in (1, 0.5, 1e-3, -1):
        expected = np.linalg.lstsq(a, b, rcond)[2]
        assert way("lstsq")(gpunp.asarray(a), gpunp.asarray(b), rcond)[2].item() == expected


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 1)])
def test_least_squares_without_elements(way, shape):
    m, n, sides = shape
    expected = np.linalg.lstsq(np.ones((m, n)), np.ones((m, sides)))
    found = way("lstsq")(gpunp.ones((m, n)), gpunp.ones((m, sides)))
    for one, other in zip(found, expected, strict=True):
        assert one.shape == np.shape(other)


def test_halves_are_computed_in_single_precision():
    a = (matrix("d", 4, 4) + 4 * np.eye(4)).astype("e")
    found = np.linalg.inv(gpunp.asarray(a))
    assert found.dtype == np.float16
    np.testing.assert_allclose(gpunp.asnumpy(found), np.linalg.inv(a.astype("d")), rtol=1e-3, atol=1e-3)
    sign, logarithm = np.linalg.slogdet(gpunp.asarray(a))
    assert sign.dtype == logarithm.dtype == np.float16
    values, vectors = np.linalg.eig(gpunp.asarray(np.array([[0, 1], [-1, 0]], "e")))
    assert values.dtype == vectors.dtype == np.complex64


def test_operands_of_the_host():
    a, b = matrix("d", 3, 3), gpunp.asarray(matrix("d", 3, 2))
    close(a @ gpunp.asnumpy(np.linalg.solve(a, b)), gpunp.asnumpy(b), "d")


def test_strides():
    a = matrix("d", 8, 10)[::2, ::-2][:, :4]
    x = gpunp.asarray(matrix("d", 8, 10))[::2, ::-2][:, :4]
    close(np.linalg.inv(x), np.linalg.inv(a), "d")
    close(np.linalg.inv(x.T), np.linalg.inv(a.T), "d")
    assert adjoint(a).shape == (4, 4)

import numpy as np
import pytest
from calls import call_test
from records import assert_same

import gpunp

COVERS = ("poly1d",)
GIVEN = [[1, 2, 3], [0, 0, 1.5, 0], [0], [2 + 1j, 1], np.float32([1, -1]), 4, []]


def pair(given):
    return np.poly1d(given), gpunp.poly1d(gpunp.asarray(given))


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_attributes(given):
    host, p = pair(given)
    for name in ("coeffs", "coef", "coefficients", "c"):
        assert_same(getattr(p, name), getattr(host, name))
    assert (p.order, p.o, p.variable, len(p)) == (host.order, host.o, host.variable, len(host))
    assert str(p) == str(host)
    assert repr(p) == repr(host)
    assert [c.item() for c in p] == list(host)
    for power in range(-1, 5):
        assert_same(p[power], host[power])
    assert_same(p([1, 2]), host([1, 2]))
    assert_same(p(2.0), host(2.0))
    assert_same((-p).coeffs, (-host).coeffs)
    assert +p is p
    assert_same(p.deriv().coeffs, host.deriv().coeffs)
    assert_same(p.deriv(2).coeffs, host.deriv(2).coeffs)
    assert_same(p.integ().coeffs, host.integ().coeffs)
    assert_same(p.integ(2, k=[1, 2]).coeffs, host.integ(2, k=[1, 2]).coeffs)


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_roots_of_the_class(given, solvers):
    host, p = pair(given)
    for name in ("roots", "r"):
        roots = gpunp.asnumpy(getattr(p, name))
        np.testing.assert_allclose(np.sort_complex(roots), np.sort_complex(host.roots))


OPERATIONS = [
    lambda p, q: p + q,
    lambda p, q: p - q,
    lambda p, q: p * q,
    lambda p, q: p + 1,
    lambda p, q: 2 - p,
    lambda p, q: p * 3,
    lambda p, q: 2.5 * p,
    lambda p, q: p * np.float64(2),
    lambda p, q: p / 2,
    lambda p, q: p**3,
    lambda p, q: p**0,
    lambda p, q: [1, 2] + p,  # noqa: RUF005
    lambda p, q: [1, 2] * p,
    lambda p, q: p(q),
    lambda p, q: np.polyadd(p, q),
    lambda p, q: np.polysub(p, [1, 2]),
    lambda p, q: np.polymul([1, 2], p),
    lambda p, q: np.polyder(p),
    lambda p, q: np.polyint(p, 2),
    lambda p, q: np.polyval(p, q),
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(operation):
    (host, p), (other, q) = pair([1, 2, 3]), pair([1.0, -1])
    expected, actual = operation(host, other), operation(p, q)
    assert type(actual) is gpunp.poly1d
    assert_same(actual.coeffs, expected.coeffs)


test_array_likes = call_test(
    """
    np.float64(2) * xp.poly1d([1, 2])
    np.array([1.0, 2]) * xp.poly1d([1, 2])
    A([1.0, 2]) + xp.poly1d([1, 2])
    A([1.0, 2]) / xp.poly1d([1, 2])
    A([1.0, 2]) ** xp.poly1d([1, 2])
    A([1.0, 2]) == xp.poly1d([1, 3])
    xp.poly1d([1, 2]) == A([1, 3])
    A([1, 2, 4]) * xp.poly1d([1, 2])
    A([1, 2]) @ xp.poly1d([1, 2])
    xp.poly1d([1, 2]) @ A([1, 2])
    divmod(A([3.0, 4]), xp.poly1d([1, 2]))
    S(A([1.0, 2, 3]), xp.poly1d([1, 2]), 7)
    S(A([1.0, 2]), slice(None), xp.poly1d([5, 6]))
    A([1.0, 2, 3])[xp.poly1d([1, 2])]
    np.add(xp.poly1d([1, 2]), 1)
    np.add.reduce(xp.poly1d([1, 2]))
    np.add.outer(xp.poly1d([1, 2]), xp.poly1d([1, 2]))
    xp.sin(xp.poly1d([1, 2]))
    xp.array([xp.poly1d([1, 2]), xp.poly1d([3, 4])])
    xp.asarray(xp.poly1d([1, 2]))
    xp.full(2, xp.poly1d([1, 2]))
    xp.where([True, False], xp.poly1d([1, 2]), 0)
    xp.mean(xp.poly1d([1, 2]))
    xp.take(A([1, 2, 3]), xp.poly1d([1, 2]))
    xp.sort(xp.poly1d([2, 1]))
    A([1.0, 2]) + np.poly1d([1, 2])
    xp.polyval(np.poly1d([1, 2]), A([1.0, 2]))
    xp.concatenate([np.poly1d([1, 2]), A([1.0])])
    """,
    exact=False,
    own=True,
)


def test_division():
    (host, p), (other, q) = pair([1, 2, 3, 4]), pair([1.0, -1])
    for actual, expected in (
        (p / q, host / other),
        ([1, 2, 3] / q, [1, 2, 3] / other),
        (np.polydiv(p, q), host / other),
    ):
        assert all(type(part) is gpunp.poly1d for part in actual)
        assert_same([part.coeffs for part in actual], [part.coeffs for part in expected])
    with pytest.raises(ValueError, match="non-negative"):
        p**-1


def test_other_functions_get_the_coefficients():
    host, p = pair([1, 2, 3])
    assert_same(np.sum(p), np.sum(host))
    assert_same(np.concatenate([p, gpunp.arange(2)]), np.concatenate([host, np.arange(2)]))
    assert_same(np.polyval(p, gpunp.arange(3)), np.polyval(host, np.arange(3)))
    assert np.polyadd(p, gpunp.arange(2)) == gpunp.poly1d([1, 2, 4])
    with pytest.raises(TypeError, match="asnumpy"):
        np.asarray(p)


def test_comparison_and_changes():
    (host, p), (_, q) = pair([1, 2, 3]), pair([1, 2, 4])
    assert p == gpunp.poly1d(host)
    assert p == host
    assert p != q
    assert p != gpunp.poly1d([1, 2])
    assert (p == 3) is False
    p[0], host[0] = 7, 7
    p[4], host[4] = 5, 5
    assert_same(p.coeffs, host.coeffs)
    with pytest.raises(ValueError, match="negative powers"):
        p[-1] = 3
    with pytest.raises(AttributeError, match="Cannot set"):
        p.coeffs = q.coeffs
    p.coeffs += 1
    assert_same(p.coeffs, host.coeffs + 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(p)


def test_from_roots_and_variable():
    host, p = np.poly1d([1, 2, 3], True, "z"), gpunp.poly1d(gpunp.asarray([1, 2, 3]), r=True, variable="z")
    assert_same(p.coeffs, host.coeffs)
    assert str(p) == str(host)
    assert gpunp.poly1d(p).variable == "z"
    assert gpunp.poly1d(p, variable="t").variable == "t"
    with pytest.raises(ValueError, match="1d only"):
        gpunp.poly1d(gpunp.zeros((2, 2)))


def test_copies_to_and_from_the_host(device):
    p = gpunp.poly1d([1.0, 2.0, 3.0], variable="t")
    host = p.get()
    assert (type(host), host.coeffs.tolist(), host.variable) == (np.poly1d, [1.0, 2.0, 3.0], "t")
    p.set(np.poly1d([4, 5, 6]))
    assert p.get() == np.poly1d([4.0, 5.0, 6.0])
    assert p.variable == "x"
    with pytest.raises(TypeError, match=r"must be a numpy\.poly1d"):
        p.set([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="shape"):
        p.set(np.poly1d([1.0, 2.0]))

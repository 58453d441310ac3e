import numpy as np
import numpy.polynomial.polynomial as reference
import pytest
from records import assert_same

import gpunp

ours = gpunp.polynomial.polynomial
C1, C2 = np.array([1.0, 2, 3, 0]), np.array([4.0, 5])
X, Y, Z = np.array([0.5, 1.5, -2]), np.array([1.0, 2, 3]), np.array([0.0, 1, -1])
CALLS = {
    "polyline": [lambda f: f(1.5, 2), lambda f: f(3, 0)],
    "polytrim": [lambda f, c: f(c), lambda f, c: f(c, 2.5), lambda f, c: f(c, tol=9)],
    "polyadd": [lambda f, c, d: f(c, d), lambda f, c, d: f(d, c), lambda f, c, d: f(c, -c)],
    "polysub": [lambda f, c, d: f(c, d), lambda f, c, d: f(d, c), lambda f, c, d: f(c, c)],
    "polymulx": [lambda f, c: f(c), lambda f, c: f(c * 0)],
    "polymul": [lambda f, c, d: f(c, d), lambda f, c, d: f(c, d * 0)],
    "polydiv": [
        lambda f, c, d: f(c, d),
        lambda f, c, d: f(d, c),
        lambda f, c, d: f(c, d[:1]),
        lambda f, c, d: f(c, c),
    ],
    "polypow": [lambda f, c: f(c, 3), lambda f, c: f(c, 0), lambda f, c: f(c, 1, maxpower=2)],
    "polyfromroots": [lambda f, c: f(c), lambda f, c: f(c[:0])],
    "polyder": [
        lambda f, c: f(c),
        lambda f, c: f(c, 2, scl=3),
        lambda f, c: f(c, 9),
        lambda f, c: f(c, 0),
        lambda f, c: f(c[:2, None] * c, axis=1),
    ],
    "polyint": [
        lambda f, c: f(c),
        lambda f, c: f(c, 2, [1, 2], lbnd=-1, scl=2),
        lambda f, c: f(c, 1, 4),
        lambda f, c: f(c, 0),
        lambda f, c: f(c[:1] * 0, 2, k=[3]),
        lambda f, c: f(c[:2, None] * c, axis=1),
    ],
    "polyfit": [
        lambda f, c, x, y: f(x, y, 1),
        lambda f, c, x, y: f(x, y, [0, 2], w=y),
        lambda f, c, x, y: f(x, y[:, None] * y, [1], full=True)[0],
        lambda f, c, x, y: f(x, y, 1, full=True)[1][3],
    ],
    "polycompanion": [lambda f, c: f(c), lambda f, c: f(c[:2])],
    "polyroots": [
        lambda f, c: f(c),
        lambda f, c: f(c[:2]),
        lambda f, c: f(c[:1]),
        lambda f, c: f(-1 + c * c),
    ],
}
COVERS = (
    "polynomial.polynomial.polyline",
    "polynomial.polynomial.polytrim",
    "polynomial.polynomial.polyadd",
    "polynomial.polynomial.polysub",
    "polynomial.polynomial.polymulx",
    "polynomial.polynomial.polymul",
    "polynomial.polynomial.polydiv",
    "polynomial.polynomial.polypow",
    "polynomial.polynomial.polyfromroots",
    "polynomial.polynomial.polyder",
    "polynomial.polynomial.polyint",
    "polynomial.polynomial.polyfit",
    "polynomial.polynomial.polycompanion",
    "polynomial.polynomial.polyroots",
)
ARGUMENTS = {"c": C1, "d": C2, "x": X, "y": Y, "z": Z}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("char", "lfdD")
def test_functions_of_the_module(name, char, request):
    if name in ("polyfit", "polyroots"):
        request.getfixturevalue("solvers")
    for call in CALLS[name]:
        names = call.__code__.co_varnames[1 : call.__code__.co_argcount]
        host = [ARGUMENTS[argument].astype(char) for argument in names]
        expected = call(getattr(reference, name), *host)
        actual = call(getattr(ours, name), *map(gpunp.asarray, host))
        if name in ("polyfit", "polyroots", "polyfromroots", "polycompanion"):
            for one, other in zip([actual], [expected], strict=True):
                one = gpunp.asnumpy(one)
                assert one.dtype == np.asarray(other).dtype
                np.testing.assert_allclose(one, other, rtol=1e-4 if char == "f" else 1e-9, atol=1e-5)
        else:
            assert_same(actual, expected, exact=False, where=name)


ERRORS = [
    ("polyadd", ([], [1])),
    ("polyadd", (np.zeros((2, 2)), [1])),
    ("polydiv", ([1, 2], [0])),
    ("polypow", ([1, 2], -1)),
    ("polypow", ([1, 2], 5, 3)),
    ("polypow", ([1, 2], 1.5)),
    ("polytrim", ([1, 2], -1)),
    ("polyder", ([1, 2], -1)),
    ("polyder", ([1, 2], 1.5)),
    ("polyder", ([1, 2], 1, 1, 3)),
    ("polyint", ([1, 2], -1)),
    ("polyint", ([1, 2], 1, [1, 2])),
    ("polyint", ([1, 2], 1, [], [0])),
    ("polyint", ([1, 2], 1, [], 0, [1])),
    ("polyvander", ([1, 2], -1)),
    ("polyvander2d", ([1, 2], [3, 4], [1])),
    ("polycompanion", ([1],)),
    ("polycompanion", ([True, False, True],)),
    ("polyadd", ([True, False], [True])),
    ("polyvalfromroots", (np.zeros(2), np.zeros(2), False)),
    ("polyfit", ([1, 2], [1, 2], 1.5)),
    ("polyfit", ([1, 2], [1, 2], [-1])),
    ("polyfit", ([1, 2], [1, 2], 1, None, False, [1])),
    ("polyfit", ([1, 2], [1, 2], 1, None, False, [[1]])),
]


@pytest.mark.parametrize(("name", "arguments"), ERRORS, ids=lambda x: str(x)[:20])
def test_errors(name, arguments):
    with pytest.raises((TypeError, ValueError, ArithmeticError)) as expected:
        getattr(reference, name)(*arguments)
    with pytest.raises(expected.type):
        getattr(ours, name)(gpunp.asarray(arguments[0]), *arguments[1:])


def test_ill_conditioned_fit(solvers):
    with pytest.warns(np.exceptions.RankWarning):
        ours.polyfit(gpunp.asarray([1.0, 1, 1]), [1, 2, 3], 2)

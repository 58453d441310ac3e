import numpy as np
import numpy.polynomial.polynomial as reference
import pytest
from records import Record, assert_same, make_values, record_test

import gpunp

P = "polynomial.polynomial."
COEFFICIENTS = np.arange(6.0).reshape(2, 3) - 2
CUBE = np.arange(24).reshape(2, 3, 4)
SMALL = ((), (5,), (2, 3))
RECORDS = (
    (
        Record(
            P + "polyval2d", lambda f, a: f(a, a, COEFFICIENTS), dtypes="?ilfdFD", shapes=SMALL, exact=False
        ),
        Record(
            P + "polyval2d",
            lambda f, a: f(a, [1.0, 2, 3, 4, 5], CUBE[0]),
            dtypes="lf",
            shapes=((5,),),
            layouts=("C",),
            exact=False,
        ),
        Record(
            P + "polyval2d",
            lambda f, a: f(a, a[:1], COEFFICIENTS),
            dtypes="d",
            shapes=((5,),),
            layouts=("C",),
            raises=True,
        ),
        Record(
            P + "polyval2d", lambda f, a: f(1.5, 2, a), dtypes="ilfD", shapes=((3, 4), (2, 3, 4)), exact=False
        ),
        Record(
            P + "polygrid2d",
            lambda f, a: f(a, [0.5, 2], COEFFICIENTS),
            dtypes="?ilfdFD",
            shapes=SMALL,
            exact=False,
        ),
        Record(
            P + "polygrid2d",
            lambda f, a: f(a, 2.0, np.float32(COEFFICIENTS)),
            dtypes="f",
            shapes=SMALL,
            exact=False,
        ),
        Record(
            P + "polygrid2d", lambda f, a: f(1, 2.0, a), dtypes="lfD", shapes=((3, 4), (2, 3, 4)), exact=False
        ),
        Record(P + "polyvalnd", lambda f, a: f((a, a, a), CUBE), dtypes="?ilfdFD", shapes=SMALL, exact=False),
        Record(P + "polyvalnd", lambda f, a: f((a,), CUBE), dtypes="ld", shapes=SMALL, exact=False),
        Record(
            P + "polyvalnd",
            lambda f, a: f((a, a[:1], a, a), CUBE),
            dtypes="d",
            shapes=((5,),),
            layouts=("C",),
            raises=True,
        ),
    )
    if hasattr(reference, "polyvalnd")
    else ()
)
test_records = record_test(RECORDS)


CALLS = {
    "polyval": [
        lambda f, c, x: f(x, c),
        lambda f, c, x: f(2.0, c),
        lambda f, c, x: f([1, 2], c),
        lambda f, c, x: f(x, c[:3, None] * x),
        lambda f, c, x: f(x, c[:3, None] * x, tensor=False),
    ],
    "polyval2d": [lambda f, c, x, y: f(x, y, c[:2, None] * c)],
    "polygrid2d": [lambda f, c, x, y: f(x, y[:2], c[:2, None] * c)],
    "polyval3d": [lambda f, c, x, y: f(x, y, x, c[:2, None, None] * c[:3, None] * c)],
    "polygrid3d": [lambda f, c, x, y: f(x, y, x[:2], c[:2, None, None] * c[:3, None] * c)],
    "polyvalfromroots": [
        lambda f, c, x: f(x, c),
        lambda f, c, x: f(2, c),
        lambda f, c, x: f(x, c[:3, None] * x, tensor=False),
    ],
    "polyvander": [lambda f, c: f(c, 3), lambda f, c: f(c, 0), lambda f, c: f(c > 1, 2)],
    "polyvander2d": [lambda f, x, y: f(x, y, [1, 2])],
    "polyvander3d": [lambda f, x, y: f(x, y, x, [1, 2, 1])],
}
COVERS = (
    "polynomial.polynomial.polyval",
    "polynomial.polynomial.polyval2d",
    "polynomial.polynomial.polyval3d",
    "polynomial.polynomial.polyvalnd",
    "polynomial.polynomial.polygrid2d",
    "polynomial.polynomial.polygrid3d",
    "polynomial.polynomial.polyvalfromroots",
    "polynomial.polynomial.polyvander",
    "polynomial.polynomial.polyvander2d",
    "polynomial.polynomial.polyvander3d",
)
ARGUMENTS = {
    "c": np.array([1.0, 2, 3, 0]),
    "x": np.array([0.5, 1.5, -2]),
    "y": np.array([1.0, 2, 3]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("char", "lfdD")
def test_functions_of_the_module(name, char):
    for call in CALLS[name]:
        names = call.__code__.co_varnames[1 : call.__code__.co_argcount]
        host = [ARGUMENTS[argument].astype(char) for argument in names]
        expected = call(getattr(reference, name), *host)
        actual = call(getattr(gpunp.polynomial.polynomial, name), *map(gpunp.asarray, host))
        assert_same(actual, expected, exact=False, where=name)


def test_what_numpy_lets_pass():
    # numpy.polynomial converts coefficients with numpy.array, but not the points, which may be on the device.
    x = make_values("d", (4,))
    assert_same(
        reference.polyval(gpunp.asarray(x), ARGUMENTS["c"]), reference.polyval(x, ARGUMENTS["c"]), exact=False
    )

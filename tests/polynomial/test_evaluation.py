import numpy as np
import numpy.polynomial.polynomial as reference
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


def test_what_numpy_lets_pass():
    # numpy.polynomial converts coefficients with numpy.array, but not the points, which may be on the device.
    x = make_values("d", (4,))
    assert_same(
        reference.polyval(gpunp.asarray(x), [1.0, 2, 3, 0]), reference.polyval(x, [1.0, 2, 3, 0]), exact=False
    )

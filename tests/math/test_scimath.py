import numpy as np
import pytest
from records import ALL, Record, assert_same, find, make_values, record_test

import gpunp

SHAPES = ((), (1,), (7,), (0,), (3, 4))
LAYOUTS = ("C", "transposed", "negative", "broadcast")
NAMES = (
    "lib.scimath.sqrt",
    "lib.scimath.log",
    "lib.scimath.log2",
    "lib.scimath.log10",
    "lib.scimath.arccos",
    "lib.scimath.arcsin",
    "lib.scimath.arctanh",
)


def record(name, call=lambda function, *arrays: function(*arrays), **options):
    options = {"dtypes": ALL, "shapes": SHAPES, "layouts": LAYOUTS, "exact": False} | options
    return Record(name, call, **options)


def kept(f, a):
    """Restrict the argument to the real domain, where the result is real."""
    return f(abs(a) % 1)


RECORDS = (
    *(record(name) for name in NAMES if name != "lib.scimath.log2"),
    record("lib.scimath.log2", dtypes="?bBhHiIlLfdFD"),
    *(record(name, kept, dtypes="ilefd") for name in NAMES),
    record("lib.scimath.logn", lambda f, a: f(3, a), dtypes="ildD"),
    record("lib.scimath.logn", lambda f, a: f(a, -2.5), dtypes="ldD"),
    record("lib.scimath.logn", dtypes="lfd", arrays=2),
    record("lib.scimath.power", lambda f, a: f(a, 2), dtypes="bilfdD"),
    record("lib.scimath.power", lambda f, a: f(a, -2), dtypes="bilfdD"),
    record("lib.scimath.power", lambda f, a: f(a, 0.5), dtypes="bilfdD"),
    record("lib.scimath.power", lambda f, a, b: f(a % 5, b % 3 - 1), dtypes="bilfd", arrays=2),
    record("lib.scimath.power", lambda f, a: f(2, a % 4 - 2), dtypes="bilfd"),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("name", NAMES)
def test_one_value_out_of_the_domain_is_enough(name):
    host = np.full(3000, 0.5)
    host[2999] = -1.5
    function = find(name)
    assert function(gpunp.asarray(host)).dtype == np.complex128
    assert function(gpunp.asarray(host[:-1])).dtype == np.float64
    assert_same(function(gpunp.asarray(host)), function(host), exact=False)


def test_namespace():
    assert gpunp.emath is gpunp.lib.scimath
    assert_same(gpunp.emath.sqrt(-4), np.emath.sqrt(np.array(-4)), exact=False)
    host = make_values("d", (6,))
    assert_same(gpunp.emath.logn(host, gpunp.asarray(host)), np.emath.logn(host, host), exact=False)

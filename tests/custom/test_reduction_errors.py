"""Bad input to `ReductionKernel`, and its attributes."""

import numpy as np
import pytest

import gpunp
from gpunp.cuda.compiler import CompileException

kernel = gpunp.ReductionKernel
l2norm = kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
total = kernel("T x", "T y", "x", "a + b", "y = a", "0", "total")

ERRORS = [
    ("x ++ y", "a + b", "y = a", "", "bad.map_expr"),
    ("x", "a +", "y = a", "", "bad.reduce_expr"),
    ("x", "a + b", "y = 1;\nz = a", "", "bad.post_map_expr"),
    ("x", "a + b", "y = 1;\ny = (a", "", "bad.post_map_expr"),
    ("x", "a + b", "y = a", "\n\nint f() { return z; }", "bad.preamble"),
]


@pytest.mark.parametrize(("mapped", "fold", "post", "preamble", "place"), ERRORS)
def test_source_that_does_not_compile(mapped, fold, post, preamble, place):
    bad = kernel("T x", "T y", mapped, fold, post, "0", "bad", preamble=preamble)
    with pytest.raises(CompileException) as caught:
        bad(gpunp.ones(3, "f4"))
    lines = {"bad.post_map_expr": 2, "bad.preamble": 3}
    number = lines.get(place, 1)
    assert f"{place}({number})" in str(caught.value) or f"{place}:{number}" in str(caught.value)


REFUSED = [
    (("T x", "", "x", "a + b", "", "0"), ValueError, "at least one output"),
    (("raw T x", "T y", "x[i]", "a + b", "y = a", "0"), ValueError, "at least one input must not be raw"),
    (("T x", "T a", "x", "a + b", "a = a", "0"), ValueError, "cannot have the name a"),
    (("T x", "T y", "", "a + b", "y = a", "0"), ValueError, "map_expr is empty"),
    (("T x", "T y", "x", " ", "y = a", "0"), ValueError, "reduce_expr is empty"),
    (("T x", "T y", "x", "a + b", "y = a", 0), TypeError, "identity must be a str or None.*write '0'"),
    (("T x", "T y", "x", "a + b", "y = a", "0", "two words"), ValueError, "not an identifier"),
    (("T x", "T y", "x", "a + b", "y = a", "0", "f", float), TypeError, "reduce_type must be a str"),
    (
        ("T x", "T y", "x", "a + b", "y = a", "0", "f", None, True, "", "-O3"),
        TypeError,
        "options must be a tuple",
    ),
    (("T x", "T y", None, "a + b", "y = a", "0"), TypeError, "map_expr must be a str"),
]


@pytest.mark.parametrize(("args", "error", "message"), REFUSED)
def test_refused(args, error, message):
    with pytest.raises(error, match=message):
        kernel(*args)


def test_bad_calls():
    x = gpunp.ones((3, 4), "f4")
    with pytest.raises(np.exceptions.AxisError):
        total(x, axis=2)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        total(x, axis=(0, -2))
    with pytest.raises(TypeError, match="total: wrong number of arguments"):
        total()
    with pytest.raises(TypeError, match="not both"):
        total(x, gpunp.empty((), "f4"), out=gpunp.empty((), "f4"))
    with pytest.raises(ValueError, match="does not fit into out"):
        total(x, gpunp.empty(3, "f4"), axis=0)
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        total(x, gpunp.empty(3, "f4"))
    with pytest.raises(ValueError, match="out has 2 arrays"):
        total(x, out=(x, x))
    with pytest.raises(TypeError, match="T is float64 by y and float32 by x"):
        total(x, gpunp.empty((), "f8"))
    with pytest.raises(TypeError, match="the output y is ndarray"):
        total(x, np.empty((), "f4"))
    with pytest.raises(TypeError, match="which gpunp cannot convert"):
        total(object())
    with pytest.raises(ValueError, match="could not be broadcast together with shapes"):
        kernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0")(x, gpunp.ones(3, "f4"))
    unused = kernel("T x", "T y", "x", "a + b", "y = a", "0")
    with pytest.raises(ValueError, match="has not been compiled yet"):
        _ = unused.cached_code


def test_attributes():
    assert (l2norm.name, l2norm.__name__, l2norm.nin, l2norm.nout, l2norm.nargs) == (
        "l2norm",
        "l2norm",
        1,
        1,
        2,
    )
    assert (l2norm.map_expr, l2norm.reduce_expr, l2norm.post_map_expr) == ("x * x", "a + b", "y = sqrt(a)")
    assert (l2norm.identity, l2norm.reduce_type, l2norm.reduce_dims) == ("0", None, True)
    assert (l2norm.preamble, l2norm.options) == ("", ())
    assert [str(p) for p in l2norm.in_params] == ["T x"]
    assert [str(p) for p in l2norm.out_params] == ["T y"]
    assert repr(l2norm) == "<ReductionKernel l2norm: T x -> T y>"
    l2norm(gpunp.ones(3, "f4"))
    assert "x * x" in l2norm.cached_code

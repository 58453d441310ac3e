"""Special functions at zeros, tiny numbers, infinities and NaN, where the value is a limit or SciPy's."""

import numpy as np
import pytest
import scipy.special
from long_functions import plain
from values import assert_same_class

import gpunp

INF, NAN, TINY, MOST = np.inf, np.nan, 1e-310, 1.79e308

# A name, the operands, and the values; None are SciPy's.
CASES = [
    ("hyp2f1", [[1.0, 0.5, -0.5], [2.0, 0.5, 0.5], [3.0, 1.5, 1.0], [INF, INF, INF]], None),
    ("ellipe", [[-1e200, -1e308, -1.79e308, -INF]], None),
    ("owens_t", [[1e308, -1e308, 39.0, 1e200, 2.0, 1e-3], [1.0, 1.0, 0.5, INF, 1e308, 1e300]], None),
    ("berp", [[TINY, 1e-200, 1.0, 2.0, 3.0]], None),
    ("beip", [[TINY, 1e-200, 1.0, 2.0, 3.0]], None),
    ("kerp", [[TINY, 1e-200, 1.0, 2.0, 3.0]], None),
    ("keip", [[TINY, 1e-200, 1.0, 2.0, 3.0]], None),
    ("kolmogorov", [[TINY, 1e-200, 0.01, 0.03, 0.05, 0.0, -1.0, NAN]], None),
    ("rgamma", [[-5e-324, -TINY, TINY, -1e-200]], [-5e-324, -TINY, TINY, -1e-200]),
    ("kolmogi", [[TINY, 1e-300, 0.5, 1.0, 0.0]], None),
    ("kn", [[2.0, NAN, NAN, NAN, 2.0], [0.0, 0.0, 1.0, INF, INF]], None),
    ("beta", [[0.0, -1.0, -2.0, -1.0], [-INF, -INF, -INF, INF]], None),
    ("betaincinv", [[INF, INF, INF, 1.0, 1.0], [1.0, 1.0, 1.0, INF, INF], [0.0, 0.3, 1.0, 0.3, 1.0]], None),
    ("betainccinv", [[INF, INF, INF, 1.0, 1.0], [1.0, 1.0, 1.0, INF, INF], [0.0, 0.3, 1.0, 0.3, 1.0]], None),
    ("besselpoly", [[0.5, 0.5, 2.0], [3.5, INF, 1.0], [INF, 0.5, INF]], [0, 0, 0]),
    ("struve", [[2.0, 2.0, 3.0, 0.0], [INF, -INF, -INF, INF]], [INF, -INF, INF, NAN]),
    ("modstruve", [[1.0, 1.0, 2.0, 2.0, 3.5], [INF, -INF, INF, -INF, INF]], None),
    ("tklmbda", [[0.0, 1.0, -1.0, -1.0, 2.0], [INF, INF, INF, -INF, -INF]], None),
    ("eval_laguerre", [[1.0, 2.0, 0.0], [INF, -INF, INF]], [-INF, INF, 1]),
    ("eval_genlaguerre", [[-1.0, -1.0, -2.0, -1.0, -3.0], [0.5, 1.0, 2.0, 0.0, 1.0], [1.0] * 5], None),
    (
        "eval_jacobi",
        [[0.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.5, 0.0], [0.0, NAN, 1.0, 0.0], [NAN, 1, NAN, NAN]],
        None,
    ),
    (
        "eval_chebyt",
        [[0.0, 1.0, 2.0, 3.0, -2.0, 0.5, 0.0], [-INF] * 6 + [NAN]],
        [1, -INF, INF, -INF, INF, INF, 1],
    ),
    ("eval_chebyt", [[0.0, 1.0, 2.0, 3.0, -2.0], [INF] * 5], [1, INF, INF, INF, INF]),
    (
        "eval_chebyu",
        [[0.0, -1.0, -2.0, -4.0, 3.0, 2.0, 0.0, -2.0], [-INF] * 6 + [NAN] * 2],
        [1, 0, -1, -INF, -INF, INF, 1, -1],
    ),
    ("eval_chebyc", [[0.0, 1.0, 2.0, 3.0], [-INF] * 4], [2, -INF, INF, -INF]),
    ("eval_chebys", [[0.0, 1.0, 2.0, 3.0], [-INF] * 4], [1, -INF, INF, -INF]),
    ("eval_sh_chebyt", [[0.0, 1.0, 2.0, 3.0], [-INF] * 4], [1, -INF, INF, -INF]),
    ("eval_sh_chebyu", [[0.0, 1.0, 2.0, 3.0], [-INF] * 4], [1, -INF, INF, -INF]),
    (
        "eval_legendre",
        [[0.0, 1.0, 2.0, 3.0, -3.0, -4.0, 0.5], [-INF] * 7],
        [1, -INF, INF, -INF, INF, -INF, INF],
    ),
    ("eval_sh_legendre", [[0.0, 1.0, 2.0, 3.0], [INF] * 4], [1, INF, INF, INF]),
    ("eval_gegenbauer", [[0.0, 1.0, 2.0, 3.0], [0.5] * 4, [-INF] * 4], [1, -INF, INF, -INF]),
    ("eval_gegenbauer", [[0.0, 1.0, 2.0], [0.0] * 3, [0.5] * 3], [0, 0, 0]),
    ("ellipe", [[0.0, -0.0, 1e-20]], None),
    (
        "elliprg",
        [
            [MOST, MOST, TINY, TINY, 5e-324, 0.0, 1e-200],
            [0.0, MOST, 1.0, 0.0, 0.0, 0.0, 1e-17],
            [2.0, 0.0, 0.0, 1e-17, 0.0, 5e-324, 30.0],
        ],
        None,
    ),
    ("elliprf", [[MOST, MOST, 0.5], [0.0, 5e-324, 0.0], [MOST, MOST, 1e10]], None),
    # Subnormal and huge parameters.
    ("gammainc", [[5e-324, 5e-324, 1e-300, MOST], [1.0, 1e-300, 700.0, 1.0]], [1, 1, 1, 0]),
    ("gammaincc", [[1e-300, 1e-300], [1.0, 5.0]], [2.1938393439552029e-301, 1.1482955912753257e-303]),
    (
        "betainc",
        [[5e-324, 5e-324, 1e-310, MOST, 0.5, 2.0], [5e-324, 0.5, 3e-310, 0.5, MOST, MOST], [0.5] * 6],
        [0.5, 1, 0.75, 0, 1, 1],
    ),
    (
        "betainc",
        [[0.5, 2.0, MOST, MOST], [MOST] * 4, [1e-308, 1e-308, 0.5, 0.7]],
        [0.941520848721847, 0.534181126628956, 0.5, 1],
    ),
    ("betaincc", [[0.5, 1e-17, MOST, 5e-324], [5e-324, MOST, MOST, 2.0], [0.5, 1e-17, 0.5, 0.3]], None),
    ("betainccinv", [[1e-17, 1e-17], [10.0, 2.0], [1e-17, 1e-17]], None),
    ("fdtrc", [[MOST, MOST, 2.0], [1.0, 0.5, MOST], [0.5, 1e-17, 0.5]], None),
    (
        "eval_legendre",
        [[1.0, 3.0, 5.0, 4.0, 25.0], [1e-17, 1e-17, -1e-200, 1e-17, 0.0]],
        [1e-17, -1.5e-17, -1.875e-200, 0.375, 0],
    ),
]


@pytest.mark.parametrize(
    ("name", "operands", "expected"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)]
)
def test_limits(name, operands, expected, device):
    if expected is None:
        with np.errstate(all="ignore"):
            expected = plain(name)(*[np.array(x) for x in operands])
    actual = plain(name)(*[gpunp.asarray(x, dtype="f8") for x in operands]).get()
    expected = np.array(expected, dtype=float)
    assert_same_class(actual, expected, signed_zero=False)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(actual[finite], expected[finite], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
@pytest.mark.parametrize("derivative", [False, True])
def test_spherical_functions_of_complex_infinities(name, derivative, device):
    parts = [0.0, 1.0, -1.0, INF, -INF, NAN]
    z = np.array([complex(x, y) for x in parts for y in parts if not np.isfinite(x + y)])
    function = getattr(scipy.special, name)
    for n in (0, 1, 4):
        actual = function(n, gpunp.asarray(z), derivative).get()
        with np.errstate(all="ignore"):
            expected = function(n, z, derivative)
        for part in ("real", "imag"):
            assert_same_class(getattr(actual, part), getattr(expected, part), signed_zero=False)


@pytest.mark.parametrize(
    "name", [f"eval_{kind}" for kind in ("chebyt", "chebyu", "chebyc", "chebys", "legendre")]
)
def test_polynomials_of_complex_infinities(name, device):
    """Constants, too, are NaN, unlike those of real numbers."""
    n, z = np.meshgrid(
        [0.0, -1.0, -2.0, 1.0, 3.0, 0.5], [complex(INF, 0), complex(1, NAN), complex(-INF, INF)]
    )
    actual = plain(name)(gpunp.asarray(n), gpunp.asarray(z)).get()
    assert np.isnan(actual.real).all()
    assert np.isnan(actual.imag).all()


@pytest.mark.parametrize("name", ["elliprf", "elliprd", "elliprg"])
def test_carlson_of_complex_infinities(name, device):
    parts = [0.0, 1.0, -1.0, INF, -INF]
    z = np.array([complex(x, y) for x in parts for y in parts if not np.isfinite(x + y)])
    with np.errstate(all="ignore"):
        expected = plain(name)(1.0, 2j, z)
    actual = plain(name)(1.0, 2j, gpunp.asarray(z)).get()
    assert_same_class(actual.real, expected.real, signed_zero=False)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_exact_at_zero(dtype, device):
    zeros = np.array([0.0, -0.0], dtype)
    for name in ("j0", "i0", "i0e", "cosm1", "j1", "i1", "ellipk"):
        actual, expected = plain(name)(gpunp.asarray(zeros)).get(), plain(name)(zeros)
        assert actual.tobytes() == expected.tobytes(), name

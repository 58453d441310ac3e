"""Special functions at zeros, tiny numbers, infinities and NaN, where the value is a limit or SciPy's."""

import numpy as np
import pytest
from long_functions import plain
from values import assert_same_class

import gpunp

INF, NAN, TINY = np.inf, np.nan, 1e-310

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

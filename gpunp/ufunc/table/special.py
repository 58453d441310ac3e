"""Ufuncs of scipy.special."""

from .row import Loop, Row, same

_REAL = "fd"
_COMPLEX = "fdFD"
_PRIVATE = "scipy.special._ufuncs"


def _row(name, topic, chars=_REAL, nin=1):
    arguments = ", ".join("abc"[:nin])
    loops = same(chars, f"math::{name}({arguments})", nin=nin)
    return Row(name, f"special_{topic}", loops, namespace="scipy.special")


ROWS = (
    *(_row(name, "error", _COMPLEX) for name in ("erf", "erfc", "ndtr", "log_ndtr")),
    *(_row(name, "error") for name in ("erfinv", "erfcinv", "ndtri", "ndtri_exp")),
    *(_row(name, "gamma", _COMPLEX) for name in ("gamma", "rgamma", "loggamma", "digamma")),
    *(_row(name, "gamma") for name in ("gammaln", "gammasgn")),
    _row("zetac", "zeta"),
    *(_row(name, "bessel") for name in ("i0", "i0e", "i1", "i1e", "j0", "j1", "y0", "y1")),
    *(_row(name, "exponential") for name in ("expit", "logit", "log_expit", "exp10", "cbrt")),
    Row(
        "expm1",
        "special_exponential",
        same(_REAL, "math::expm1(a)", nin=1) + same("FD", "math::expm1_or_limit(a)", nin=1),
        namespace="scipy.special",
    ),
    _row("log1p", "exponential", _COMPLEX),
    _row("exp2", "exponential"),
    # Rounds half to even; unlike numpy.rint, small negative numbers give +0.
    Row(
        "round",
        "special_exponential",
        same(_REAL, "a == 0 ? a : math::rint(a) + R(0)", nin=1),
        namespace="scipy.special",
    ),
    *(_row(name, "entropy", _COMPLEX, nin=2) for name in ("xlogy", "xlog1py")),
    _row("entr", "entropy"),
    *(_row(name, "entropy", nin=2) for name in ("rel_entr", "kl_div")),
    *(_row(name, "elementary") for name in ("cosdg", "sindg", "tandg", "cotdg", "cosm1", "exprel")),
    *(_row(name, "elementary", nin=2) for name in ("boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p")),
    *(_row(name, "elementary", nin=2) for name in ("huber", "pseudo_huber", "powm1")),
    _row("radian", "elementary", nin=3),
    *(_row(name, "incomplete", nin=2) for name in ("gammainc", "gammaincc", "chdtr", "chdtrc", "stdtr")),
    *(_row(name, "incomplete", nin=3) for name in ("betainc", "betaincc", "fdtr", "fdtrc")),
    # The ufuncs behind the function scipy.special.zeta.
    Row(
        "_zeta",
        "special_zeta",
        tuple(Loop(f"{x}{q}", x, "math::hurwitz_zeta(a, b)") for x, q in ("ff", "Ff", "dd", "Dd")),
        namespace=_PRIVATE,
    ),
    Row("_riemann_zeta", "special_zeta", same(_COMPLEX, "math::riemann_zeta(a)", nin=1), namespace=_PRIVATE),
)

"""Ufuncs of scipy.special with long functions, which compute in double for all dtypes (see ``row.LONG``)."""

from .row import Loop, Row

_REAL = "fd"
_COMPLEX = "FD"
_BOTH = "fdFD"
# Signatures of polynomials of integer or real order.
_ORDERS = ("qd->d", "ff->f", "fF->F", "dd->d", "dD->D")
_WITHOUT_PARAMETERS = (
    "chebyt",
    "chebyu",
    "chebyc",
    "chebys",
    "sh_chebyt",
    "sh_chebyu",
    "legendre",
    "sh_legendre",
    "laguerre",
)


def _argument(char, letter):
    """Return an input in double precision."""
    return {"F": f"math::widen({letter})", "f": f"(double){letter}"}.get(char, letter)


def _result(char, text):
    return f"math::narrow({text})" if char == "F" else text


def _loop(function, inputs, outputs):
    arguments = ", ".join(_argument(char, letter) for char, letter in zip(inputs, "abc", strict=False))
    call = f"math::{function}({arguments})"
    if len(outputs) == 1:
        return Loop(inputs, outputs, _result(outputs, call))
    first, second = _result(outputs[0], "found.first"), _result(outputs[1], "found.second")
    return Loop(inputs, outputs, f"const auto found = {call}; x = (R)({first}); y = (S)({second})")


def _row(name, topic, *signatures, namespace="scipy.special"):
    """Return the row of a function with these signatures, written as NumPy writes them."""
    loops = tuple(_loop(name.removeprefix("_"), *signature.split("->")) for signature in signatures)
    return Row(name, f"special_{topic}", loops, namespace=namespace)


def _same(name, topic, chars=_REAL, nin=1, nout=1):
    return _row(name, topic, *(f"{c * nin}->{c * nout}" for c in chars))


ROWS = (
    *(_same(name, "faddeeva", _BOTH) for name in ("dawsn", "erfcx", "erfi")),
    _same("wofz", "faddeeva", _COMPLEX),
    _same("voigt_profile", "faddeeva", nin=3),
    _same("fresnel", "faddeeva", _BOTH, nout=2),
    *(_row(name, "faddeeva", "f->FF", "d->DD") for name in ("modfresnelm", "modfresnelp")),
    *(_same(name, "integral", _BOTH) for name in ("exp1", "expi", "spence")),
    *(_same(name, "integral", _BOTH, nout=2) for name in ("shichi", "sici")),
    _row("expn", "integral", "qd->d", "ff->f", "dd->d"),
    *(_same(name, "elliptic") for name in ("ellipk", "ellipkm1", "ellipe")),
    *(_same(name, "elliptic", nin=2) for name in ("agm", "ellipeinc", "ellipkinc")),
    _same("elliprc", "elliptic", _BOTH, nin=2),
    *(_same(name, "elliptic", _BOTH, nin=3) for name in ("elliprd", "elliprf", "elliprg")),
    _same("wrightomega", "lambert", _BOTH),
    # The ufunc behind the function scipy.special.lambertw: its operands are z, the branch and the tolerance.
    _row("_lambertw", "lambert", "Dqd->D", "Fqf->F", namespace="scipy.special._ufuncs"),
    *(_row(f"eval_{name}", "orthogonal", *_ORDERS) for name in _WITHOUT_PARAMETERS),
    *(
        _row(f"eval_{name}", "orthogonal", "qdd->d", "fff->f", "ffF->F", "ddd->d", "ddD->D")
        for name in ("gegenbauer", "genlaguerre")
    ),
    *(_row(f"eval_{name}", "orthogonal", "qd->d") for name in ("hermite", "hermitenorm")),
)

"""Long ufuncs of scipy.special: error functions, integrals, elliptic integrals, Lambert's W, polynomials."""

from .long_rows import BOTH, COMPLEX, row, same

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

ROWS = (
    *(same(name, "faddeeva", BOTH) for name in ("dawsn", "erfcx", "erfi")),
    same("wofz", "faddeeva", COMPLEX),
    same("voigt_profile", "faddeeva", nin=3),
    same("fresnel", "faddeeva", BOTH, nout=2),
    *(row(name, "faddeeva", "f->FF", "d->DD") for name in ("modfresnelm", "modfresnelp")),
    *(same(name, "integral", BOTH) for name in ("exp1", "expi", "spence")),
    *(same(name, "integral", BOTH, nout=2) for name in ("shichi", "sici")),
    row("expn", "integral", "qd->d", "ff->f", "dd->d"),
    *(same(name, "elliptic") for name in ("ellipk", "ellipkm1", "ellipe")),
    *(same(name, "elliptic", nin=2) for name in ("agm", "ellipeinc", "ellipkinc")),
    same("elliprc", "elliptic", BOTH, nin=2),
    *(same(name, "elliptic", BOTH, nin=3) for name in ("elliprd", "elliprf", "elliprg")),
    same("wrightomega", "lambert", BOTH),
    # The ufunc behind the function scipy.special.lambertw: its operands are z, the branch and the tolerance.
    row("_lambertw", "lambert", "Dqd->D", "Fqf->F", namespace="scipy.special._ufuncs"),
    *(row(f"eval_{name}", "orthogonal", *_ORDERS) for name in _WITHOUT_PARAMETERS),
    *(
        row(f"eval_{name}", "orthogonal", "qdd->d", "fff->f", "ffF->F", "ddd->d", "ddD->D")
        for name in ("gegenbauer", "genlaguerre")
    ),
    *(row(f"eval_{name}", "orthogonal", "qd->d") for name in ("hermite", "hermitenorm")),
)

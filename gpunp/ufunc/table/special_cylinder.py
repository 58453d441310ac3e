"""Long ufuncs of scipy.special: Bessel, Airy, Kelvin and Struve functions, and integrals of them."""

from .long_rows import BOTH, row, same

_SPHERICAL = ("qf->f", "qd->d", "qF->F", "qD->D")
_KELVIN = ("ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip")

ROWS = (
    *(
        row(name, "cylinder", "ff->f", "dd->d", "fF->F", "dD->D")
        for name in ("jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve")
    ),
    *(row(name, "cylinder", "fF->F", "dD->D") for name in ("hankel1", "hankel1e", "hankel2", "hankel2e")),
    *(row(name, "cylinder", "qd->d", "ff->f", "dd->d") for name in ("yn", "kn")),
    *(same(name, "cylinder") for name in ("k0", "k0e", "k1", "k1e")),
    *(same(name, "airy", BOTH, nout=4) for name in ("airy", "airye")),
    *(same(name, "airy") for name in _KELVIN),
    row("kelvin", "airy", "f->FFFF", "d->DDDD"),
    same("itairy", "cylinder_integral", nout=4),
    *(same(name, "cylinder_integral", nout=2) for name in ("itj0y0", "it2j0y0", "iti0k0", "it2i0k0")),
    same("besselpoly", "cylinder_integral", nin=3),
    *(same(name, "struve", nin=2) for name in ("struve", "modstruve")),
    *(same(name, "struve") for name in ("itstruve0", "it2struve0", "itmodstruve0")),
    # The ufuncs behind the functions without underscores, and those of their derivatives.
    *(
        row(f"_spherical_{name}", "spherical", *_SPHERICAL, namespace="scipy.special._ufuncs")
        for kind in ("jn", "yn", "in", "kn")
        for name in (kind, f"{kind}_d")
    ),
)

"""Long ufuncs of scipy.special: hypergeometric functions and their relatives."""

from .long_rows import BOTH, row, same

# Signatures of polynomials with two parameters, of integer or real order.
_ORDERS = ("qddd->d", "ffff->f", "fffF->F", "dddd->d", "dddD->D")

ROWS = (
    row("hyp0f1", "hypergeometric", "ff->f", "fF->F", "dd->d", "dD->D"),
    row("hyp1f1", "hypergeometric", "fff->f", "ffF->F", "ddd->d", "ddD->D"),
    same("hyperu", "hypergeometric", nin=3),
    row("hyp2f1", "gauss", "ffff->f", "dddd->d", "fffF->F", "dddD->D"),
    *(row(name, "orthogonal", *_ORDERS) for name in ("eval_jacobi", "eval_sh_jacobi")),
    *(same(name, "parabolic", nin=2, nout=2) for name in ("pbdv", "pbvv", "pbwa")),
    *(same(name, "wright", nin=3) for name in ("wright_bessel", "log_wright_bessel")),
    same("elliprj", "elliptic", BOTH, nin=4),
    same("ellipj", "elliptic", nin=2, nout=4),
    same("lpmv", "legendre", nin=3),
    # Behind the functions of these names. The last operand says which derivative they are; see
    # gpunp/special/legendre.py.
    row("_assoc_legendre_p", "legendre", "qqfq->f", "qqdq->d", "qqFq->F", "qqDq->D", namespace="internal"),
    row("_sph_legendre_p", "legendre", "qqdq->d", "qqfq->f", namespace="internal"),
    row("_sph_harm_y", "legendre", "qqffq->F", "qqddq->D", namespace="internal"),
)

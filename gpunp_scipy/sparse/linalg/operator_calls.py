"""SciPy's linear operators, called by programs with device arrays."""

import numpy
import scipy.sparse.linalg

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.dispatch import hooks
from gpunp_scipy.routing import switch

_INTERFACE = "scipy.sparse.linalg._interface"
# The last one is that of SciPy 1.17.
_METHODS = ("matvec", "rmatvec", "matmat", "rmatmat", "dot", "rdot", "_rdot")
# Where an operator keeps its twin.
_TWIN = "_gpunp_operator"


def _twin_of(operator):
    """The operator for vectors on the device, made once for each operator."""
    from gpunp_scipy.sparse.linalg.operators import operator as made

    found = vars(operator).get(_TWIN)
    if found is None:
        found = made(operator)
        setattr(operator, _TWIN, found)
    return found


class _Call:
    """Passes a method's calls with an array of the device to the operator's twin.

    Methods of SciPy 1.18 refuse arrays of another namespace than that of the operator, which is NumPy's if it
    is made from functions or from a sparse array; earlier ones ask for NumPy arrays.
    """

    def __init__(self, function):
        self.function = function

    def __call__(self, operator, x):
        if switch.is_suspended():
            return hooks.original(self.function)(operator, x)
        if type(x) is gpunp.ndarray and x.ndim == 0:
            # Multiples of operators are operators with numbers of the host.
            return hooks.original(self.function)(operator, asnumpy(x)[()])
        return getattr(_twin_of(operator), self.function.__name__)(x)


def _aslinearoperator(A):
    """The `aslinearoperator` of SciPy 1.17, which takes matrices of NumPy and sparse arrays only."""
    if switch.is_suspended() or type(A) is not gpunp.ndarray:
        return hooks.original(scipy.sparse.linalg.aslinearoperator)(A)
    # The operator of any matrix that has a product.
    return hooks.find(_INTERFACE, "MatrixLinearOperator")(numpy.atleast_2d(A))


def _power(operator, function, x):
    """The product with a power of an operator, which SciPy 1.17 begins with a NumPy array."""
    result = x.copy()
    for _ in range(operator.args[1]):
        result = function(result)
    return result


def handlers():
    """Pairs of a function of SciPy's operators and its handler."""
    for name in _METHODS:
        function = vars(scipy.sparse.linalg.LinearOperator).get(name)
        if function is not None:
            yield function, _Call(function)
    if "_rdot" in vars(scipy.sparse.linalg.LinearOperator):
        yield scipy.sparse.linalg.aslinearoperator, _aslinearoperator
        yield hooks.find(_INTERFACE, "_PowerLinearOperator._power"), _power

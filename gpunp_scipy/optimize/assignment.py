"""Quadratic assignment: products of matrices on the device, assignments on the host."""

import functools

import scipy.optimize

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.optimize.evaluation import host_options
from gpunp_scipy.rebinding import public
from gpunp_scipy.twins import Twins

_MODULE = "scipy.optimize._qap"


def _assignment(cost_matrix, maximize=False):
    """`linear_sum_assignment` of a matrix of the device, on the host."""
    cost = asnumpy(cost_matrix) if isinstance(cost_matrix, gpunp.ndarray) else cost_matrix
    return scipy.optimize.linear_sum_assignment(cost, maximize)


@functools.cache
def _twin():
    return Twins({_MODULE: Numpy("eye ones")}, {_MODULE: {"linear_sum_assignment": _assignment}})[_MODULE]


def _quadratic_assignment(*args, options=None, **kwargs):
    # Pairs of nodes that are known, and first permutations.
    return _twin().quadratic_assignment(*args, options=host_options(options), **kwargs)


quadratic_assignment = public(_quadratic_assignment, scipy.optimize.quadratic_assignment, __name__)

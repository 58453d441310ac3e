"""Machinery for tests of long functions of scipy.special.

They compare with mpmath over the domain, and with SciPy at the edges. A test module of a topic defines
``REFERENCES``, which maps a ufunc's name to a tuple: mpmath's function, the points of comparison for real
operands, and those for complex ones (None if the ufunc has no such loop). Points are one list for all
operands, or a tuple with a list for each. The module then defines

    test_accuracy = accuracy_test(REFERENCES, tolerances)
    test_edges = edge_test(names)
    test_complex_edges = complex_edge_test(names)

``tests/special/test_long.py`` requires that every row of the op table is in the REFERENCES of one module, or
in its COMPARED_OTHERWISE.
"""

import inspect
import itertools

import mpmath
import numpy as np
import pytest
import scipy.special
from values import assert_same_class

import gpunp
from gpunp.ufunc.table import ROWS
from gpunp.ufunc.table.row import LONG

ROW_OF = {row.name: row for row in ROWS if row.family in LONG and row.namespace == "scipy.special"}
REAL = [-25.0, -6.5, -2.2, -0.9, -1e-3, -1e-12, 1e-12, 1e-3, 0.3, 1.4, 2.7, 4.1, 6.2, 12.5, 25.5]
POSITIVE = [abs(x) for x in REAL if x > 0] + [1e-30, 41.0, 77.7, 300.0]
PLANE = [
    complex(x, y) for x in (-7.1, -2.2, -0.4, 1e-3, 0.7, 3.3, 8.0) for y in (-4.7, -1.2, -1e-5, 0.3, 2.9, 6.1)
]
HALF_PLANE = [z for z in PLANE[::4] if z.real > 0]
# SciPy before 1.18 has other values at some edges of these.
CHANGED = ("hyp2f1", "nrdtrimn", "nrdtrisd")
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan, 0.5])


def skip_if_changed(name):
    """Skip comparisons with a release of SciPy that has other values at edges."""
    if name in CHANGED and np.lib.NumpyVersion(scipy.__version__) < "1.18.0":
        pytest.skip("the values are those of SciPy 1.18")


def plain(name):
    """Return SciPy's ufunc, which its array API mode wraps."""
    return inspect.unwrap(getattr(scipy.special, name))


def as_tuple(values):
    """Return the results of a ufunc as a tuple, also if there is one."""
    return values if isinstance(values, tuple) else (values,)


def in_the_plane(names):
    """Return the names of ufuncs with a loop whose operands are all complex."""
    return [name for name in names if ROW_OF[name].loops[-1].inputs == "D" * ROW_OF[name].nin]


def grid_of(points):
    """Return all combinations of the operands' points, as one flat array per operand."""
    return [grid.ravel() for grid in np.meshgrid(*points)]


def assert_accurate(name, loop, function, points, tolerance):
    """Assert that the relative errors of a ufunc's results are below the tolerance.

    Parameters
    ----------
    name : str
    loop : Loop
        The typed loop under test.
    function : callable
        mpmath's; it gets complex numbers.
    points : list or tuple of list
        For all operands, or for each.
    tolerance : float
        For complex results it is relative to the modulus. Results that float64 or float32 cannot represent
        with full precision do not count.
    """
    points = points if isinstance(points, tuple) else (points,) * len(loop.inputs)
    operands = grid_of([np.array(p).astype(c) for p, c in zip(points, loop.inputs, strict=True)])
    exact_operands = ([mpmath.mpmathify(complex(x)) for x in xs] for xs in zip(*operands, strict=True))
    with mpmath.workdps(40):
        wanted = [as_tuple(function(*xs)) for xs in exact_operands]
    actual = as_tuple(plain(name)(*[gpunp.asarray(x) for x in operands]))
    limits = np.finfo(loop.outputs[0])
    for result, exact, char in zip(actual, zip(*wanted, strict=True), loop.outputs, strict=True):
        assert result.dtype == char
        exact, result = np.array([complex(x) for x in exact]), result.get()
        if char in "fd":
            exact = exact.real
        inside = (np.abs(exact) < limits.max / 4) & (np.abs(exact) > limits.smallest_normal)
        error = np.abs(result[inside] - exact[inside]) / np.abs(exact[inside])
        worst = error.argmax()
        assert error[worst] < tolerance, ([x[inside][worst] for x in operands], error[worst])


def accuracy_test(references, tolerances):
    """Return a test of all typed loops of the ufuncs.

    Parameters
    ----------
    references : dict
    tolerances : dict of str to float
        Those of float64 for ufuncs whose error is larger, in SciPy too; the default is 5e-14.

    Returns
    -------
    callable
    """
    cases = []
    for name, (function, real, plane) in references.items():
        for loop in ROW_OF[name].loops:
            # The loops for integer orders are compared with SciPy.
            if loop.inputs[0] != "q":
                points = plane if loop.inputs[-1] in "FD" else real
                cases.append(pytest.param(name, loop, function, points, id=f"{name}-{loop.inputs}"))

    @pytest.mark.parametrize(("name", "loop", "function", "points"), cases)
    def test(name, loop, function, points, device):
        tolerance = tolerances.get(name, 5e-14) if loop.inputs[-1] in "dD" else 5e-6
        assert_accurate(name, loop, function, points, tolerance)

    return test


def assert_as_scipy(name, operands, parts=(), rtol=1e-13, atol=1e-15):
    """Assert that NaNs, infinities and finite values are SciPy's, in every part of the results."""
    with np.errstate(all="ignore"):
        expected = as_tuple(plain(name)(*operands))
    actual = as_tuple(plain(name)(*[gpunp.asarray(x) for x in operands]))
    for result, wanted in zip(actual, expected, strict=True):
        result = result.get()
        for part in parts or ("real",):
            assert_same_class(getattr(result, part), getattr(wanted, part), signed_zero=False)
        finite = np.isfinite(wanted)
        np.testing.assert_allclose(result[finite], wanted[finite], rtol=rtol, atol=atol)


def edge_test(names, edges=()):
    """Return a test of combinations of special values: zeros, infinities, NaNs and small numbers.

    Parameters
    ----------
    names : iterable of str
    edges : dict, optional
        For some names the values of the first operands; the others have all of `EDGES`.

    Returns
    -------
    callable
    """

    @pytest.mark.parametrize("name", sorted(names))
    def test(name, device):
        skip_if_changed(name)
        first = dict(edges).get(name, ())
        nin = plain(name).nin
        assert_as_scipy(name, grid_of([*first, *[EDGES] * (nin - len(first))]))

    return test


def complex_edge_test(names, edges=()):
    """Return the same test for complex operands.

    Parameters
    ----------
    names : iterable of str
    edges : dict, optional
        For some names the values of all operands; those of the others are all pairs of `EDGES`.

    Returns
    -------
    callable
    """
    everywhere = [complex(x, y) for x, y in itertools.product(EDGES, EDGES)]

    @pytest.mark.parametrize("name", sorted(names))
    def test(name, device):
        points = np.array(dict(edges).get(name, everywhere), complex)
        assert_as_scipy(name, grid_of([points] * plain(name).nin), ("real", "imag"), atol=1e-14)

    return test

"""BSpline and NdBSpline on device arrays."""

import numpy as np
import pytest
from interpolants import agree, agree_at, ascending, fails_alike, normal, on_device, pair, probes
from scipy import interpolate, sparse

import gpunp

BSpline, NdBSpline = interpolate.BSpline, interpolate.NdBSpline


def _knots(k, n=12):
    return ascending(n + k + 1)


def _coefficients(n=12):
    return {
        "line": normal(n),
        "more": normal(n + 1, 2, 3),
        "complex": normal(n, 2) + 1j * normal(n, 2, seed=1),
    }


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5, 7])
def test_values_derivatives_and_integrals(k, extrapolate):
    t = _knots(k)
    points = probes(t)
    points.flat[5:9] = t[k], t[12], t[5], t[6]
    for c in _coefficients().values():
        made = host, device = pair(BSpline, t, c, k, extrapolate)
        # SciPy has derivatives of constant pieces at NaN.
        for nu in (0, 1, 2, k, k + 1) if k else (0,):
            agree_at(made, points, 1e-7, nu=nu)
        agree(device(2.0), host(2.0))
        for nu in range(k + 1):
            agree(device.derivative(nu)(points), host.derivative(nu)(points), 1e-7)
        for nu in (1, 2):
            agree(device.antiderivative(nu)(points), host.antiderivative(nu)(points), 1e-8)
        agree(device.derivative(-1).c, host.derivative(-1).c, 1e-9)
        # SciPy integrates with FITPACK, which has degrees from 1 to 5.
        if c.dtype.kind == "f" and (extrapolate is not False or c.ndim > 1):
            for bounds in ((3.0, 6.0), (6.0, 3.0), (-5, 20)):
                expected = host.integrate(*bounds)
                agree(device.integrate(*bounds), expected.reshape(c.shape[1:]), 1e-7)
    t[4] = t[5] if k else t[4]
    agree_at(pair(BSpline, t, normal(12), k), probes(t), 1e-6)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_integrals_inside(k):
    host, device = pair(BSpline, _knots(k), normal(12), k, False)
    for bounds in ((3.0, 6.0), (6.0, 3.0), (-5, 20)):
        agree(device.integrate(*bounds), np.asarray(host.integrate(*bounds)), 1e-9)


def test_other_axes_and_dtypes():
    t = _knots(3)
    for axis in (1, -1, 2):
        made = host, device = pair(BSpline, t, np.moveaxis(normal(12, 2, 3), 0, axis), 3, axis=axis)
        assert device.axis == host.axis
        agree_at(made, probes(t), 1e-9)
    agree_at(pair(BSpline, t.astype("f"), normal(12).astype("f"), 3), probes(t).astype("f"), 1e-6)
    agree_at(pair(BSpline, np.arange(16), np.arange(12), 3), np.arange(3, 12))
    agree_at(pair(BSpline, t, normal(12, 0), 3), probes(t))
    agree_at(pair(BSpline, t, normal(12), 3), probes(t)[:0])


def test_many_knots():
    """More than fit the table of breakpoints of a block of threads."""
    t = ascending(6004, 100.0)
    agree_at(pair(BSpline, t, normal(6000), 3), np.linspace(-0.5, 100.5, 4000), 1e-8)


def test_inserted_knots():
    for k in (1, 2, 3):
        for extrapolate in (True, "periodic"):
            host, device = pair(BSpline, _knots(k), normal(12, 2), k, extrapolate)
            for x, m in ((5.25, 1), (4.5, 2), (device.t[5], 1)):
                ours, scipys = device.insert_knot(x, m), host.insert_knot(float(x), m)
                agree(ours.t, scipys.t)
                agree(ours.c, scipys.c, 1e-9)
    fails_alike(lambda t, c: BSpline(t, c, 3).insert_knot(99.0), _knots(3), normal(12))
    fails_alike(lambda t, c: BSpline(t, c, 3).insert_knot(5.0, 0), _knots(3), normal(12))


def test_other_constructors():
    for k in (0, 1, 3):
        t = _knots(3)[: k + 2]
        ours, scipys = BSpline.basis_element(gpunp.asarray(t)), BSpline.basis_element(t)
        agree_at((scipys, ours), probes(t), 1e-7)
    t, c = _knots(3), normal(12)
    ours = BSpline.construct_fast(*on_device((t, c)), 3, False)
    agree(ours(probes(t)), BSpline(t, c, 3, False)(probes(t)))
    assert ours.tck[2] == 3
    for tck in (on_device((t, c, 3)), BSpline(*on_device((t, c)), 3)):
        made = interpolate.PPoly.from_spline(tck)
        agree(made.c, interpolate.PPoly.from_spline((t, c, 3)).c, 1e-8)
    assert interpolate.PPoly.from_spline(ours).extrapolate is False
    x, y = ascending(12), normal(12)
    y[-1] = y[0]
    for bc_type in ("not-a-knot", "natural", "clamped", "periodic"):
        host, device = pair(interpolate.CubicSpline, x, y, bc_type=bc_type)
        agree(BSpline.from_power_basis(device, bc_type).c, BSpline.from_power_basis(host, bc_type).c, 1e-8)
    with pytest.raises(TypeError, match="Unknown boundary condition: foo"):
        BSpline.from_power_basis(device, "foo")
    with pytest.raises(NotImplementedError, match="Only CubicSpline objects"):
        BSpline.from_power_basis(interpolate.PchipInterpolator(*on_device((x, y))))


def _agree_sparse(actual, expected):
    assert sparse.issparse(actual)
    assert actual.shape == expected.shape
    agree(actual.toarray(), expected.toarray())


def test_design_matrices():
    for k in (0, 1, 3, 5):
        t = _knots(k)
        x = np.concatenate((np.linspace(t[k], t[12], 9), t[k:12]))
        for points, extrapolate in (
            (x, False),
            (probes(t)[1:].ravel(), True),
            (probes(t)[1:].ravel(), "periodic"),
        ):
            found = BSpline.design_matrix(*on_device((points, t)), k, extrapolate)
            _agree_sparse(found, BSpline.design_matrix(points, t, k, extrapolate))
    make = BSpline.design_matrix
    fails_alike(make, x + 9, t, 5)
    fails_alike(make, x * np.nan, t, 5)
    fails_alike(make, x, t[::-1], 5)
    fails_alike(make, x, t, -1)
    fails_alike(make, x[:3], t, 12)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_design_matrices_of_tensor_products(ndim):
    k = (3, 2, 1)[:ndim]
    t = tuple(_knots(degree, 8) for degree in k)
    low, high = [knots[degree] for knots, degree in zip(t, k, strict=True)], [knots[8] for knots in t]
    points = np.random.default_rng(1).uniform(low, high, (20, ndim))
    make = NdBSpline.design_matrix
    _agree_sparse(make(*on_device((points, t)), k), make(points, t, k))
    fails_alike(make, points, (*t, t[0]), 3)


def test_bad_splines():
    t, c = _knots(3), normal(12)
    fails_alike(BSpline, t, c, -1)
    fails_alike(BSpline, t[:, None], c, 3)
    fails_alike(BSpline, t[:7], c, 3)
    fails_alike(BSpline, t[::-1], c, 3)
    fails_alike(BSpline, 0 * t, c, 3)
    fails_alike(BSpline, np.where(np.arange(16) == 15, np.inf, t), c, 3)
    fails_alike(BSpline, t, c[:5], 3)
    fails_alike(BSpline, t, c, 3, axis=2)
    fails_alike(lambda t, c: BSpline(t, c, 3)(1.0, -1), t, c)
    fails_alike(lambda t, c: BSpline(t, c, 3).derivative(4), t, c)
    fails_alike(lambda t, c: BSpline(t, c, 3).derivative(3), np.sort(np.r_[t[1:], t[6]]), c)
    with pytest.raises(NotImplementedError, match="degrees up to 31"):
        BSpline(gpunp.arange(100.0), gpunp.ones(60), 39)(1.0)


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
def test_tensor_products(ndim):
    points = np.random.default_rng(3).uniform(-1, 11, (5, 6, ndim))
    for k in ((3, 2, 1, 4)[:ndim], (3,) * ndim, (1,) * ndim):
        t = tuple(_knots(degree, 8) for degree in k)
        points[0, 0], points[1, 1, -1] = [knots[5] for knots in t], np.nan
        for c in (normal(*[8] * ndim), normal(*[8] * ndim, 2), normal(*[8] * ndim) + 1j):
            for extrapolate in (True, False):
                made = host, device = pair(NdBSpline, t, c, k, extrapolate=extrapolate)
                agree_at(made, points, 1e-7)
                agree_at(made, points, 1e-6, nu=(1, 0, 1, 2)[:ndim])
            if hasattr(host, "derivative"):
                for nu in ((1, 0, 1, 2), (5, 0, 0, 0)):
                    ours, scipys = device.derivative(nu[:ndim]), host.derivative(nu[:ndim])
                    assert ours.k == scipys.k
                    agree(ours(points), scipys(points), 1e-6)
    agree(device.c, host.c)
    agree(device.t[0], host.t[0])


def test_bad_tensor_products():
    t, c = (_knots(3), _knots(3)), normal(12, 12)
    fails_alike(NdBSpline, t, c, (3, 3, 3))
    fails_alike(NdBSpline, t, c, -1)
    fails_alike(NdBSpline, t, c[0], 3)
    fails_alike(NdBSpline, t, c[1:], 3)
    fails_alike(NdBSpline, (t[0], t[1][:7]), c, 3)
    fails_alike(NdBSpline, (t[0], t[1][:, None]), c, 3)
    fails_alike(NdBSpline, (t[0], t[1][::-1]), c, 3)
    fails_alike(NdBSpline, (t[0], 0 * t[1]), c, 3)
    fails_alike(NdBSpline, (t[0], np.where(np.arange(16) == 0, -np.inf, t[1])), c, 3)
    fails_alike(lambda x: NdBSpline(t, c, 3)(x), np.zeros((4, 3)))
    with pytest.raises(ValueError, match="Expect `t` to be a tuple"):
        NdBSpline(list(on_device(t)), c, 3)
    with pytest.raises(NotImplementedError, match="at most 8 axes"):
        NdBSpline((gpunp.arange(40.0),), gpunp.ones(27), 12)(gpunp.ones((1, 1)))


def test_tensor_products_at_points_that_are_no_rows():
    knots = gpunp.asarray(np.arange(10.0))
    with pytest.raises(ValueError, match="xvals must have two dimensions"):
        interpolate.NdBSpline.design_matrix(gpunp.asarray([1.0, 2.0, 3.0]), (knots,) * 3, 3)

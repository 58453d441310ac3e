"""pint's quantities of device arrays: units as with NumPy's arrays, magnitudes on the device."""

import copy
import pickle

import numpy as np
import pytest

import gpunp

pint = pytest.importorskip("pint")

UNITS = pint.UnitRegistry()
Q = UNITS.Quantity
LENGTHS, TIMES = np.array([1.0, 2.0, 3.5]), np.array([2.0, 4.0, 8.0])
MATRIX = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])

CASES = {
    "add": lambda q, t, m: q + q.to("cm"),
    "subtract": lambda q, t, m: q - Q(10.0, "cm"),
    "multiply": lambda q, t, m: q * t,
    "divide": lambda q, t, m: q / t,
    "reciprocal": lambda q, t, m: 1 / q,
    "power": lambda q, t, m: q**2,
    "negative": lambda q, t, m: abs(-q),
    "matmul": lambda q, t, m: m @ q,
    "host operand": lambda q, t, m: q * np.array([1.0, 2.0, 3.0]),
    "host quantity": lambda q, t, m: Q(np.ones(3), "km") + q,
    "numpy scalar": lambda q, t, m: np.float64(3) * q,
    "compare": lambda q, t, m: q > Q(150.0, "cm"),
    "equal": lambda q, t, m: q == q.to("cm"),
    "sqrt": lambda q, t, m: np.sqrt(q),
    "sin": lambda q, t, m: np.sin(Q(q.magnitude, "degree")),
    "exp": lambda q, t, m: np.exp(q / Q(1.0, "km")),
    "hypot": lambda q, t, m: np.hypot(q, q.to("cm")),
    "arctan2": lambda q, t, m: np.arctan2(q, q.to("mm")),
    "maximum": lambda q, t, m: np.maximum(q, Q(200.0, "cm")),
    "sum": lambda q, t, m: q.sum(),
    "mean": lambda q, t, m: np.mean(q),
    "var": lambda q, t, m: np.var(q),
    "max": lambda q, t, m: q.max(),
    "prod": lambda q, t, m: np.prod(q),
    "median": lambda q, t, m: np.median(q),
    "percentile": lambda q, t, m: np.percentile(q, 25),
    "cumsum": lambda q, t, m: np.cumsum(q),
    "diff": lambda q, t, m: np.diff(q),
    "gradient": lambda q, t, m: np.gradient(q),
    "trapezoid": lambda q, t, m: np.trapezoid(q, t),
    "interp": lambda q, t, m: np.interp(Q(175.0, "cm") + 0 * q, q, t),
    "clip": lambda q, t, m: np.clip(q, Q(1.5, "m"), Q(300.0, "cm")),
    "where": lambda q, t, m: np.where(q > Q(1.5, "m"), q, Q(0.0, "cm")),
    "concatenate": lambda q, t, m: np.concatenate([q, q.to("cm")]),
    "stack": lambda q, t, m: np.stack([q, q.to("cm")]),
    "sort": lambda q, t, m: np.sort(-q),
    "argsort": lambda q, t, m: np.argsort(-q),
    "searchsorted": lambda q, t, m: np.searchsorted(q, Q(200.0, "cm")),
    "dot": lambda q, t, m: np.dot(q, t),
    "cross": lambda q, t, m: np.cross(q, t),
    "einsum": lambda q, t, m: np.einsum("i,j->ij", q, t),
    "norm": lambda q, t, m: np.linalg.norm(q),
    "solve": lambda q, t, m: np.linalg.solve(m, q),
    "isclose": lambda q, t, m: np.isclose(q, q.to("cm")),
    "round": lambda q, t, m: np.round(q),
    "full_like": lambda q, t, m: np.full_like(q, Q(3.0, "m")),
    "index": lambda q, t, m: q[1:],
    "reshape": lambda q, t, m: q.reshape(3, 1).T,
    "to": lambda q, t, m: q.to("mile"),
    "base units": lambda q, t, m: (q.to("inch") / t).to_base_units(),
    "reduced units": lambda q, t, m: (q * q.to("cm")).to_reduced_units(),
    "offset": lambda q, t, m: Q(q.magnitude, "degC").to("kelvin"),
    "dimensionless": lambda q, t, m: (q / q.to("cm")).to(""),
    "wraps": lambda q, t, m: UNITS.wraps("m**2", ["m", "m"])(lambda a, b: a * b)(q, q.to("cm")),
    "deepcopy": lambda q, t, m: copy.deepcopy(q),
    "format": lambda q, t, m: f"{q[0] + Q(0.25, 'm'):~P}",
    "allclose": lambda q, t, m: np.allclose(q, q.to("cm")),
}


def quantities(place=lambda array: array):
    return Q(place(LENGTHS), "m"), Q(place(TIMES), "s"), Q(place(MATRIX), "kg")


@pytest.mark.parametrize("name", CASES)
def test_as_on_the_host(name, device):
    expected = CASES[name](*quantities())
    actual = CASES[name](*quantities(lambda array: gpunp.asarray(array, device=device)))
    assert type(actual) is type(expected) or isinstance(actual, gpunp.ndarray)
    if isinstance(expected, str | bool):
        assert actual == expected
        return
    assert getattr(actual, "units", None) == getattr(expected, "units", None)
    ours = getattr(actual, "magnitude", actual)
    wanted = np.asarray(getattr(expected, "magnitude", expected))
    assert isinstance(ours, gpunp.ndarray)
    assert ours.device == device
    assert ours.dtype == wanted.dtype
    np.testing.assert_allclose(ours.get(), wanted, rtol=1e-12)


def test_making_quantities(device):
    x = gpunp.asarray(LENGTHS, device=device)
    assert Q(x, "m").magnitude is x
    product = x * UNITS.meter
    assert isinstance(product, Q)
    assert product.units == UNITS.meter
    assert isinstance(product.magnitude, gpunp.ndarray)
    left = x * Q(2.0, "m")
    assert left.units == UNITS.meter
    np.testing.assert_array_equal(left.m.get(), 2 * LENGTHS)


def test_in_place(device):
    q = Q(gpunp.asarray(LENGTHS, device=device), "m")
    magnitude = q.magnitude
    q[0] = Q(50.0, "cm")
    q += Q(1.0, "m")
    assert q.magnitude is magnitude
    q.ito("cm")
    np.testing.assert_allclose(q.magnitude.get(), [150, 300, 450])


def test_pickle(device):
    pint.set_application_registry(UNITS)
    q = pickle.loads(pickle.dumps(Q(gpunp.asarray(LENGTHS, device=device), "m")))
    assert isinstance(q.magnitude, gpunp.ndarray)
    np.testing.assert_array_equal(q.magnitude.get(), LENGTHS)


def test_wrong_units(device):
    q = Q(gpunp.asarray(LENGTHS, device=device), "m")
    with pytest.raises(pint.DimensionalityError):
        q + Q(gpunp.asarray(TIMES, device=device), "s")
    with pytest.raises(pint.DimensionalityError):
        np.sin(q)


def test_nothing_waits(device):
    q, t, _ = quantities(lambda array: gpunp.asarray(array, device=device))
    before = device.transfer_counts
    np.sqrt(((q / t).to("km/h") ** 2).mean())
    np.concatenate([q, q.to("cm")])
    assert device.transfer_counts == before

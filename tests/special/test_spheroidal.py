"""Mathieu and spheroidal wave functions, compared with series of 40 digits, and with SciPy where exact."""

import numpy as np
import pytest
import wave_references as waves
from long_functions import accuracy_test, plain

import gpunp

ORDERS, PARAMETERS = [0, 1, 2, 5, 12], [0.125, 2, 30]
MODIFIED = [0.125, 30]
DEGREES, WAVE_NUMBERS = [2, 3, 9], [0.25, 4, 20]
SHAPES = {"pro": True, "obl": False}
NEAR, FAR = {"pro": 1.25, "obl": 0.25}, 4

REFERENCES = {
    "mathieu_a": (waves.mathieu_value(False), (ORDERS, [*PARAMETERS, 400]), None),
    "mathieu_b": (waves.mathieu_value(True), (ORDERS[1:], [*PARAMETERS, 400]), None),
    "mathieu_cem": (waves.mathieu_periodic(False), (ORDERS, PARAMETERS, [-50, 35, 80]), None),
    "mathieu_sem": (waves.mathieu_periodic(True), (ORDERS[1:], PARAMETERS, [-50, 35, 80]), None),
}
for kind in (1, 2):
    for family, sines in (("cem", False), ("sem", True)):
        REFERENCES[f"mathieu_mod{family}{kind}"] = (
            waves.mathieu_modified(sines, kind),
            (ORDERS[1:4] if sines else ORDERS[:4], MODIFIED, [-0.5, 0.25, 1.5]),
            None,
        )
for shape, prolate in SHAPES.items():
    orders = ([0, 2], DEGREES, WAVE_NUMBERS)
    places = [NEAR[shape], FAR]
    REFERENCES |= {
        f"{shape}_cv": (waves.spheroidal_value(prolate), orders, None),
        f"{shape}_ang1": (waves.spheroidal_angle(prolate), (*orders, [-0.375, 0.75]), None),
        f"{shape}_rad1": (waves.spheroidal_radius(prolate, 1), (*orders, places), None),
        f"{shape}_rad2": (waves.spheroidal_radius(prolate, 2), ([0, 1], [1, 4], [1, 8], places), None),
    }
WITH_VALUES = [f"{shape}_{kind}_cv" for shape in SHAPES for kind in ("ang1", "rad1", "rad2")]
COMPARED_OTHERWISE = frozenset(WITH_VALUES)
# Beside the zeros of functions of large orders.
TOLERANCES = dict.fromkeys(REFERENCES, 1e-12)

test_accuracy = accuracy_test(REFERENCES, TOLERANCES)


def on_device(name, *operands):
    """Call a ufunc with arrays on the device and return its results on the host, as a tuple."""
    found = plain(name)(*[gpunp.asarray(x) for x in np.broadcast_arrays(*operands)])
    return tuple(x.get() for x in found) if isinstance(found, tuple) else (found.get(),)


def grid(*points):
    return [x.ravel() for x in np.meshgrid(*[np.array(p, float) for p in points])]


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("name", WITH_VALUES)
def test_given_characteristic_values(name, char, device):
    """The functions with a characteristic value are the others, to its rounding error."""
    shape = name[:3]
    m, n, c, x = (g.astype(char) for g in grid([0, 2], DEGREES, WAVE_NUMBERS, [NEAR[shape], FAR]))
    if "ang1" in name:
        x = 1 / (1 + x)
    value = on_device(f"{shape}_cv", m, n, c)[0]
    for actual, wanted in zip(
        on_device(name, m, n, c, value, x), on_device(name.removesuffix("_cv"), m, n, c, x), strict=True
    ):
        assert actual.dtype == char
        np.testing.assert_allclose(actual, wanted, rtol=2e-3 if char == "f" else 1e-11)


@pytest.mark.parametrize("shape", SHAPES)
def test_wronskian_of_the_radius(shape, device):
    """DLMF 30.11.6, also where the functions are far from each other in size."""
    m, n, c, x = grid([0, 1, 4], [4, 5, 11, 40], [0.5, 6, 45], [1.001, 1.3, 3, 30])
    if shape == "obl":
        x -= 1
    first, second = on_device(f"{shape}_rad1", m, n, c, x), on_device(f"{shape}_rad2", m, n, c, x)
    found = c * (x * x + (1 if shape == "obl" else -1)) * (first[0] * second[1] - first[1] * second[0])
    np.testing.assert_allclose(found[np.isfinite(second[0])], 1, rtol=1e-11)
    assert np.isfinite(second[0]).mean() > 0.9


@pytest.mark.parametrize("name", ["cem", "sem"])
def test_wronskian_of_modified_functions(name, device):
    """DLMF 28.20.21."""
    m, q, z = grid([1, 2, 9], [1e-3, 1, 50, 1e4], [0, 1e-8, 0.7, 2.5])
    first, second = (on_device(f"mathieu_mod{name}{kind}", m, q, z) for kind in (1, 2))
    np.testing.assert_allclose(first[0] * second[1] - first[1] * second[0], 2 / np.pi, rtol=1e-9)


@pytest.mark.parametrize("m", [0, 1, 2, 3, 6, 7])
def test_mathieu_functions_of_negative_parameters(m, device):
    q, x = grid([-0.3, -7.0], [-400, 0, 12, 90, 200])
    for name in ("cem", "sem"):
        for actual, wanted in zip(
            on_device(f"mathieu_{name}", float(m), q, x), plain(f"mathieu_{name}")(m, q, x), strict=True
        ):
            np.testing.assert_allclose(actual, wanted, atol=1e-10)
    for name in "ab" if m else "a":
        actual = on_device(f"mathieu_{name}", float(m), q)[0]
        np.testing.assert_allclose(actual, plain(f"mathieu_{name}")(m, q), rtol=1e-11)


def test_large_parameters(device):
    """SciPy's values of a_1 and b_1 for q = 1e6 belong to other orders."""
    q = np.array([1e6, 1e9, 1e14, 1e300])
    for name in "ab":
        order = 1 if name == "b" else 0
        found = on_device(f"mathieu_{name}", float(order), q)[0]
        np.testing.assert_allclose(found, -2 * q + 2 * np.sqrt(q), rtol=1e-6)
    c = np.array([1e3, 1e5, 1e8, 1e100])
    np.testing.assert_allclose(on_device("pro_cv", 0.0, 0.0, c)[0], c - 0.75, rtol=1e-6)
    np.testing.assert_allclose(on_device("obl_cv", 0.0, 0.0, c)[0], 2 * c - c * c - 1, rtol=1e-6)
    # The terms of order q^2 and q^3 of the series for small q, and the next order of a_0.
    small = np.array([1e-200, 1e-8, 1e-3])
    np.testing.assert_allclose(on_device("mathieu_a", 0.0, small)[0], -(small**2) / 2, rtol=1e-6)


def test_characteristic_values_interlace(device):
    """a_0 < b_1 < a_1 < b_2 < ... for q > 0, until neighbours agree in all digits (DLMF 28.2)."""
    q = np.array([0.5, 20.0, 3000.0])[:, None]
    m = np.arange(60.0)
    a, b = on_device("mathieu_a", m, q)[0], on_device("mathieu_b", m + 1, q)[0]
    # The degenerate ones differ by rounding errors of q.
    assert (b - a > -1e-14 * q).all()
    assert (a[:, 1:] - b[:, :-1] > -1e-14 * q).all()
    for name in ("pro_cv", "obl_cv"):
        c = np.array([0.5, 30.0, 500.0])[:, None]
        assert (np.diff(on_device(name, 3.0, m + 3, c)[0]) > -1e-14 * c * c).all()


INVALID = {
    "mathieu_a": [(-1, 1), (0.5, 1), (2, np.nan), (2, np.inf)],
    "mathieu_b": [(0, 1), (-1, 1), (1.5, 1), (2, np.nan)],
    "mathieu_cem": [(-1, 1, 5), (0.5, 1, 5), (1, np.nan, 5), (1, 1, np.nan), (1, 1, np.inf)],
    "mathieu_sem": [(-1, 1, 5), (0.5, 1, 5), (1, np.nan, 5), (1, 1, np.inf)],
    "mathieu_modcem1": [(-1, 1, 1), (0.5, 1, 1), (1, -1, 1), (1, np.nan, 1), (1, 1, np.nan)],
    "mathieu_modcem2": [(-1, 1, 1), (0.5, 1, 1), (1, -1, 1), (1, np.nan, 1), (1, 1, np.nan)],
    "mathieu_modsem1": [(0, 1, 1), (0.5, 1, 1), (1, -1, 1), (1, np.nan, 1), (1, 1, np.nan)],
    "mathieu_modsem2": [(0, 1, 1), (0.5, 1, 1), (1, -1, 1), (1, np.nan, 1), (1, 1, np.nan)],
}
for shape in SHAPES:
    bad = [(-1, 1, 1), (0.5, 1, 1), (0, 0.5, 1), (2, 1, 1), (0, 199, 1), (0, 1, np.nan), (0, 1, np.inf)]
    INVALID[f"{shape}_cv"] = bad
    for kind, outside in (("ang1", (1, -1, 2, np.nan, np.inf)), ("rad1", (-0.5, np.nan, np.inf))):
        INVALID[f"{shape}_{kind}"] = [(*b, 0.5 if kind == "ang1" else 1.5) for b in bad]
        INVALID[f"{shape}_{kind}"] += [(0, 1, 1, x) for x in outside]
    INVALID[f"{shape}_rad2"] = INVALID[f"{shape}_rad1"]


@pytest.mark.parametrize("name", sorted(INVALID))
def test_outside_of_the_domain(name, device):
    """SciPy returns NaN too, but ends the process if q or c is NaN or infinite."""
    for result in on_device(name, *np.array(INVALID[name], float).T):
        assert np.isnan(result).all()


def test_limits(device):
    """At q = 0 or c = 0, at negative arguments, and for functions too large or too small for float64."""
    assert on_device("mathieu_sem", 0.0, 3.0, 20.0) == (0, 0)
    np.testing.assert_allclose(on_device("mathieu_cem", 0.0, 0.0, 20.0), (np.sqrt(0.5), 0))
    np.testing.assert_allclose(on_device("mathieu_cem", 2.0, 0.0, 30.0), (0.5, -np.sqrt(3)))
    assert on_device("mathieu_a", 3.0, 0.0) == (9,)
    assert on_device("pro_cv", 1.0, 3.0, 0.0) == on_device("obl_cv", 1.0, 3.0, 0.0) == (12,)
    for name in ("pro_rad1", "obl_rad1"):
        assert on_device(name, 0.0, 0.0, 0.0, 1.5) == (1, 0)
        assert on_device(name, 0.0, 150.0, 0.01, 1.5) == (0, 0)
    for name in ("pro_rad2", "obl_rad2"):
        assert on_device(name, 0.0, 150.0, 0.01, 1.5) == (-np.inf, np.inf)
    for name in ("pro_ang1", "obl_ang1"):
        np.testing.assert_allclose(on_device(name, 1.0, 2.0, 0.0, 0.5), (1.5 * np.sqrt(0.75), np.sqrt(3)))
        left, right = on_device(name, 1.0, 4.0, 3.0, -0.5), on_device(name, 1.0, 4.0, 3.0, 0.5)
        assert (left[0], left[1]) == (-right[0], right[1])
    # The functions of the radius of even degree and first kind are even in c, the others odd.
    for kind, sign in (("rad1", 1), ("rad2", -1)):
        left, right = (on_device(f"pro_{kind}", 0.0, 2.0, c, 1.5) for c in (-2.0, 2.0))
        np.testing.assert_array_equal(left, sign * np.array(right))

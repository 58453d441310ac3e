"""Every level of vector instructions gives the same bits, and functions computed in blocks are accurate."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gpunp

LEVELS = ("baseline", "v3", "v4")
# A process of each level prints a digest per call.
PROGRAM = """
import hashlib
import numpy as np
import scipy.special
import gpunp
rng = np.random.default_rng(5)
device = gpunp.Device("cpu")
print("level", device.vector_level)
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 5e-324, 1e300, -745.2, 1e9, 88.8, 1.0, -1.0, 1e-10]
UNARY = "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arctan sqrt cbrt floor rint absolute "
UNARY += "sign square reciprocal isnan negative sum prod max argmin var cumsum any all count_nonzero "
UNARY += "erf erfc ndtr"
BINARY = "add subtract multiply divide power hypot arctan2 maximum fmin less equal floor_divide remainder "
BINARY += "copysign"
np.seterr(all="ignore")
for dtype in "?bhilefdFD":
    size = 4099
    if dtype in "efdFD":
        host = [np.concatenate([SPECIAL, rng.standard_normal(size) * scale]) for scale in (30, 2)]
        if dtype in "FD":
            host = [x + 1j * x[::-1] for x in host]
    else:
        host = [rng.integers(1, 100, size) for _ in range(2)]
    a, b = (gpunp.asarray(x.astype(dtype), device=device) for x in host)
    for name in (UNARY + " " + BINARY).split():
        f = getattr(np, name, None) or getattr(scipy.special, name)
        try:
            result = f(a, b) if name in BINARY.split() else f(a)
        except TypeError:
            continue
        values = gpunp.asnumpy(result)
        if values.dtype.kind in "fc":
            # Which of two NaNs is kept is not promised.
            values = np.where(values == values, values, np.array(np.nan, values.dtype))
        print(dtype, name, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest())
    for target in "?bilefdD":
        with np.errstate(all="ignore"):
            values = gpunp.asnumpy(a.real.astype(target) if dtype in "FD" else a.astype(target))
        if values.dtype.kind in "fc":
            values = np.where(values == values, values, np.array(np.nan, values.dtype))
        print(dtype, "astype", target, hashlib.sha256(values.tobytes()).hexdigest())
"""


def _run(level):
    return subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", PROGRAM],
        env={**os.environ, "GPUNP_CPU_LEVEL": level, "GPUNP_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_levels_have_the_same_bits():
    highest = LEVELS.index(gpunp.Device("cpu").vector_level)
    if "GPUNP_CPU_LEVEL" not in os.environ and highest == 0:
        pytest.skip("this processor or build has only the baseline")
    lines = {}
    for level in LEVELS[: highest + 1]:
        process = _run(level)
        assert process.returncode == 0, process.stderr
        first, *lines[level] = process.stdout.splitlines()
        assert first == f"level {level}"
        assert len(lines[level]) > 250
    for level, found in lines.items():
        assert found == lines["baseline"], level


def test_unknown_level():
    process = _run("v9")
    assert process.returncode != 0
    assert "GPUNP_CPU_LEVEL is 'v9'" in process.stderr


# Functions with block forms: a range of arguments, and the greatest error in units of the last place.
BLOCKS = (
    ("exp", -80, 80, 1),
    ("exp", -3, 3, 1),
    ("exp2", -100, 100, 1),
    ("expm1", -20, 80, 1.1),
    ("log", 1e-3, 1e3, 1),
    ("log", 0.94, 1.07, 1),
    ("log2", 1e-3, 1e3, 1),
    ("log10", 1e-3, 1e3, 1),
    ("log1p", -0.999, 1e3, 1),
    ("tanh", -8, 8, 2),
    # Angles of float32 are reduced in float32 up to 400.
    ("sin", -1000, 1000, 1),
    ("cos", -1000, 1000, 1),
    ("sin", -399, 399, 1),
    ("cos", -399, 399, 1),
)
NAMES = sorted({record[0] for record in BLOCKS})
SPECIAL = (
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, -1e-40, 5e-324, 1e300, -1e300, 88.8, -103.5),
    *(-110.0, 709.9, -745.0, 1e9, -1e22, 1e-20, -1e-10, 2.0, 1e-5, 1e6, 1000001.0),
)


@pytest.fixture
def operands(device, rng):
    def make(dtype, low, high):
        host = np.concatenate([rng.uniform(low, high, 3001), rng.uniform(0.5, 1.5, 1000)]).astype(dtype)
        return host, gpunp.asarray(host, device=device)

    return make


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize(("name", "low", "high", "most"), BLOCKS)
def test_accuracy(operands, device, dtype, name, low, high, most):
    host, a = operands(dtype, low, high)
    f = getattr(np, name)
    if np.finfo(np.longdouble).eps >= np.finfo("d").eps:
        pytest.skip("long double has no more digits here")
    exact = f(host.astype(np.longdouble))
    error = np.abs(gpunp.asnumpy(f(a)) - exact) / np.spacing(np.abs(exact.astype(dtype)))
    # CUDA's functions are its own: theirs err by up to two units.
    assert error.max() < (most if device.is_cpu else 2.5)


def test_angles_next_to_multiples_of_half_pi(device):
    multiples = (np.arange(1, 255) * (np.longdouble(np.pi) / 2)).astype("f")
    host = np.concatenate([multiples, np.nextafter(multiples, np.float32(0))])
    a = gpunp.asarray(host, device=device)
    for f in (np.sin, np.cos):
        exact = f(host.astype("d"))
        error = np.abs(gpunp.asnumpy(f(a)) - exact) / np.spacing(np.abs(exact.astype("f")))
        assert error.max() < (1 if device.is_cpu else 2.5)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", NAMES)
def test_special_values(device, dtype, name):
    f = getattr(np, name)
    with np.errstate(all="ignore"):
        host = np.array(SPECIAL).astype(dtype)
        expected = f(host)
    found = gpunp.asnumpy(f(gpunp.asarray(host, device=device)))
    info = np.finfo(dtype)
    np.testing.assert_allclose(found, expected, rtol=4 * info.eps, atol=info.smallest_subnormal)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", NAMES)
def test_layouts_have_the_same_bits(operands, dtype, name):
    f = getattr(np, name)
    host, a = operands(dtype, 0.1, 2e6)
    expected = gpunp.asnumpy(f(a))
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[::3])), expected[::3])
    np.testing.assert_array_equal(gpunp.asnumpy(f(a[:5])), expected[:5])
    chosen = gpunp.asarray(host > 1, device=a.device)
    out = gpunp.asarray(np.zeros_like(host), device=a.device)
    f(a, out=out, where=chosen)
    np.testing.assert_array_equal(gpunp.asnumpy(out), np.where(host > 1, expected, 0))
    f(a, out=a)
    np.testing.assert_array_equal(gpunp.asnumpy(a), expected)


@pytest.mark.parametrize(("char", "most", "on_gpu"), [("d", 600, 2.5), ("f", 70, 8)])
def test_powers(device, rng, char, most, on_gpu):
    if np.finfo(np.longdouble).eps >= np.finfo("d").eps:
        pytest.skip("long double has no more digits here")
    base, exponent = rng.uniform(0.5, 2, 4001).astype(char), rng.uniform(-most, most, 4001).astype(char)
    exact = np.power(base.astype(np.longdouble), exponent.astype(np.longdouble))
    ours, by = (gpunp.asarray(x, device=device) for x in (base, exponent))
    found = gpunp.asnumpy(ours**by)
    error = np.abs(found - exact) / np.spacing(exact.astype(char))
    assert error.max() < ((1 if char == "d" else 0.51) if device.is_cpu else on_gpu)
    if device.is_cpu:
        # Single elements, and a result that replaces an argument.
        np.testing.assert_array_equal(gpunp.asnumpy(ours[::3] ** by[::3]), found[::3])
        np.testing.assert_array_equal(gpunp.asnumpy(np.power(ours, by, out=by)), found)


@pytest.mark.parametrize("char", "fd")
def test_powers_of_integers_are_exact(device, char):
    base, exponent = np.meshgrid(np.arange(1, 400), np.arange(25))
    exact = base.astype(object) ** exponent.astype(object)
    fits = exact < 2 ** (np.finfo(char).nmant + 1)
    base, exponent = (gpunp.asarray(x[fits].astype(char), device=device) for x in (base, exponent))
    np.testing.assert_array_equal(gpunp.asnumpy(base**exponent), exact[fits].astype(char))


@pytest.mark.parametrize("char", "fd")
def test_special_powers(device, char):
    with np.errstate(all="ignore"):
        values = np.array([*SPECIAL, 3.0, -3.0, 0.5, -0.5, 1024.0, -1074.5, 2.0, -149.0]).astype(char)
    tolerance = {"rtol": 1e-15 if char == "d" else 1e-6, "atol": 5e-324 if char == "d" else 1e-44}
    base, exponent = (x.ravel() for x in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = base**exponent
    found = gpunp.asnumpy(gpunp.asarray(base, device=device) ** gpunp.asarray(exponent, device=device))
    np.testing.assert_allclose(found, expected, **tolerance)
    for scalar in values:
        with np.errstate(all="ignore"):
            expected = base**scalar
        found = gpunp.asnumpy(gpunp.asarray(base, device=device) ** scalar)
        np.testing.assert_allclose(found, expected, **tolerance)

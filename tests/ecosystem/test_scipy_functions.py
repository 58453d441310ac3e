"""SciPy's array API functions (SCIPY_ARRAY_API=1): results on the device agree with those on the host."""

import dataclasses
import importlib

import numpy as np
import pytest
from scipy_calls import BEYOND, CALLS, UNLISTED

import gpunp

scipy = pytest.importorskip("scipy", minversion="1.17")
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
# The cases are those of SciPy 1.18; earlier releases support some of them on the host only.
NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
# Other entries of SciPy's table: tested in other modules, private, or not functions of arrays.
ELSEWHERE = {
    *("Rotation", "RigidTransform", "Slerp", "normalize_dual_quaternion", "RBFInterpolator", "impulse"),
    *("LinearOperator", "aslinearoperator", "power", "qmc_quad", "to_tree"),
    "filtfilt",  # calls lfilter, which supports the host only
    "orthogonal_procrustes",  # ours; its test is in tests/scipy_linalg
    *("_broadcast_concatenate", "_xp_mean", "_xp_var", "_xp_searchsorted"),
}
MODULES = [
    "stats",
    "signal",
    "signal.windows",
    "integrate",
    "differentiate",
    "cluster.hierarchy",
    "cluster.vq",
    "optimize",
    "optimize.elementwise",
    "spatial.transform",
    "spatial.distance",
    "ndimage",
    "interpolate",
    "linalg",
    "fft",
    "special",
    "constants",
    "sparse.linalg",
]


def find(path):
    """Return the function with a dotted path below scipy."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"scipy.{module}"), name)


def to_device(value):
    """Move host arrays in an argument to the device."""
    if isinstance(value, np.ndarray):
        return gpunp.asarray(value)
    if isinstance(value, tuple):
        return tuple(to_device(each) for each in value)
    return value


def parts(result):
    """List the arrays and numbers of a result, whatever its container."""
    if isinstance(result, np.ndarray | np.generic | gpunp.ndarray | int | float | complex | str | None):
        return [result]
    if dataclasses.is_dataclass(result):
        names = [field.name for field in dataclasses.fields(result) if not field.name.startswith("_")]
        result = [getattr(result, name) for name in names]
    elif isinstance(result, dict):
        # Error estimates at rounding level vary, and so do the iteration counts that depend on them.
        rounded = ("error", "nfev", "nit")
        result = [result[key] for key in sorted(result) if key[0] != "_" and key not in rounded]
    elif not isinstance(result, list | tuple):
        result = [value for key, value in sorted(getattr(result, "__dict__", {}).items()) if key[0] != "_"]
    return [part for each in result if not callable(each) for part in parts(each)]


def assert_agree(actual, expected, device, tolerance=1e-10):
    """Assert that arrays are on the device, and that dtypes, shapes and values agree with the host's."""
    actual, expected = parts(actual), parts(expected)
    assert len(actual) == len(expected)
    for ours, wanted in zip(actual, expected, strict=True):
        if isinstance(ours, gpunp.ndarray):
            assert ours.device == device
            assert ours.dtype == np.asarray(wanted).dtype
            ours = ours.get()
            scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0) if np.ndim(wanted) else 0
            np.testing.assert_allclose(ours, wanted, rtol=tolerance, atol=tolerance * scale + 1e-13)
        else:
            assert not isinstance(wanted, np.ndarray), f"{ours!r} is not on the device"
            assert ours == wanted or ours == pytest.approx(wanted, rel=tolerance, nan_ok=True)


def is_generic(what):
    """Return whether an entry of SciPy's table allows arrays of any library and device."""
    return not (what["np_only"] or what["cpu_only"] or what["out_of_scope"])


def takes_device_arrays(path):
    """Return whether the installed SciPy has a function and supports device arrays in it."""
    if NEWEST or path in BEYOND | UNLISTED:
        return NEWEST
    table = pytest.importorskip("scipy._lib._array_api").xp_capabilities_table
    try:
        return is_generic(table[find(path)])
    except (AttributeError, KeyError):
        return False


@pytest.mark.parametrize("path", sorted(CALLS | BEYOND | UNLISTED))
def test_as_on_the_host(path, device):
    if not takes_device_arrays(path):
        pytest.skip(f"SciPy {scipy.__version__} has scipy.{path} for the host only, or not at all")
    function, call = find(path), (CALLS | BEYOND | UNLISTED)[path]
    there = {"xp": gpunp, "device": device} if call.xp else {}
    expected = function(*call.args, **call.kwargs)
    actual = function(
        *map(to_device, call.args), **{k: to_device(v) for k, v in call.kwargs.items()}, **there
    )
    assert_agree(actual, expected, device)


@pytest.mark.skipif(not NEWEST, reason="the calls are those of SciPy 1.18")
def test_every_function_of_the_table_is_called():
    table = pytest.importorskip("scipy._lib._array_api").xp_capabilities_table
    public = {}
    for name in MODULES:
        module = importlib.import_module(f"scipy.{name}")
        public |= {
            id(getattr(module, each)): f"{name}.{each}" for each in dir(module) if not each.startswith("_")
        }
    generic = {
        public.get(id(function), function.__name__) for function, what in table.items() if is_generic(what)
    }
    called = {public.get(id(find(path))) for path in CALLS}
    missing = {path for path in generic - called if path.rpartition(".")[2] not in ELSEWHERE}
    assert missing == set()

"""SciPy's generic code runs for device arrays, with SCIPY_ARRAY_API and without; mixtures raise."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.signal

import gpunp
import gpunp_scipy

pytest.importorskip("scipy", minversion="1.17")
chooser = pytest.importorskip("scipy._lib._array_api")
NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
ECOSYSTEM = Path(__file__).parents[1] / "ecosystem"


@pytest.fixture
def x():
    return gpunp.asarray([1.0, 2.0, 4.0, 8.0])


def run(*command, mode, device):
    """Run Python without SciPy's array API mode (an empty variable), or with it."""
    return subprocess.run(
        [sys.executable, "-P", *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SCIPY_ARRAY_API": mode, "GPUNP_DEVICE": str(device)},
    )


def test_every_generic_function_without_the_variable(device):
    names = [str(ECOSYSTEM / name) for name in ("test_scipy_functions.py", "test_scipy_objects.py")]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--device={device}"]
    done = run("-m", "pytest", *options, *names, mode="", device=device)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("mode", ["", "1"])
def test_names_imported_before_gpunp(mode, device):
    program = (
        "from scipy.stats import zscore\n"
        "from scipy._lib._array_api import array_namespace, scipy_namespace_for\n"
        "import numpy, gpunp, gpunp_scipy\nx = gpunp.asarray([1.0, 2.0, 4.0])\n"
        "assert type(zscore(x)) is gpunp.ndarray\nassert type(zscore([1.0, 2.0])) is numpy.ndarray\n"
        "assert array_namespace(x, 1.0, None) is gpunp\nassert scipy_namespace_for(gpunp) is gpunp_scipy\n"
        "assert array_namespace(numpy.ones(2)) is array_namespace([1, 2]) is not gpunp\n"
    )
    done = run("-c", program, mode=mode, device=device)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("other", [np.arange(4.0), [1.0, 2.0, 3.0, 5.0], np.array(2.0)])
def test_mixtures_raise(x, other):
    with pytest.raises(TypeError, match=r"[Mm]ultiple namespaces"):
        chooser.array_namespace(x, other)
    with pytest.raises(TypeError, match=r"[Mm]ultiple namespaces"):
        chooser.array_namespace(other, x)


def test_what_the_mode_refuses(x):
    with pytest.raises(TypeError, match="MaskedArray"):
        chooser.array_namespace(x, np.ma.masked_array([1.0]))
    with pytest.raises(TypeError, match="only boolean and numerical dtypes"):
        chooser.array_namespace(x, np.array(["a"]))


def test_scalars_of_the_device_are_numbers_for_host_arrays(x):
    host = np.arange(4.0)
    assert chooser.array_namespace(host, x.max()) is chooser.array_namespace(host)
    assert chooser.array_namespace(x, x.max()) is gpunp
    assert chooser.array_namespace(x.max()) is gpunp
    assert chooser.array_namespace(x, True, 1, 2.0, 3j, None) is gpunp


def test_numbers_of_numpy_are_numbers_for_device_arrays(x):
    numbers = np.float64(2), np.float32(2), np.int64(3), np.bool_(True), np.complex64(1j)
    assert chooser.array_namespace(x, *numbers) is gpunp
    # SciPy 1.17 has them for the host only.
    for name in ("sawtooth", "square") if NEWEST else ():
        function, args = getattr(scipy.signal, name), (np.float64(0.3),)
        np.testing.assert_allclose(function(x, *args).get(), function(x.get(), *args), atol=1e-14)
    fs = np.float64(2)
    b, a = gpunp.asarray([1.0, 0.5]), np.float64(1)
    expected = scipy.signal.freqz(b.get(), a, 9, fs=fs)
    for actual, reference in zip(scipy.signal.freqz(b, a, np.int64(9), fs=fs), expected, strict=True):
        np.testing.assert_allclose(actual.get(), reference, rtol=1e-14)
    with pytest.raises(TypeError, match=r"[Mm]ultiple namespaces|boolean and numerical"):
        chooser.array_namespace(x, np.str_("a"))


def test_disabled(x):
    with gpunp_scipy.disabled():
        assert chooser.scipy_namespace_for(gpunp) is None
    gpunp_scipy.disable()
    assert chooser.scipy_namespace_for(gpunp) is None
    gpunp_scipy.enable()
    assert chooser.scipy_namespace_for(gpunp) is gpunp_scipy


def test_disabled_outside_the_mode(device):
    program = (
        "import numpy, gpunp, gpunp_scipy\nfrom scipy.stats import zscore\nx = gpunp.asarray([1.0, 2.0])\n"
        "def refused():\n    try:\n        zscore(x)\n    except TypeError as error:\n"
        "        return 'gpunp.asnumpy' in str(error)\n"
        "assert not refused()\nwith gpunp_scipy.disabled():\n    assert refused()\n"
        "gpunp_scipy.disable()\nassert refused()\ngpunp_scipy.enable()\nassert not refused()\n"
    )
    done = run("-c", program, mode="", device=device)
    assert done.returncode == 0, done.stderr

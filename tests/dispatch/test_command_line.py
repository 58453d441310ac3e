import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from gpunp import cuda, information
from gpunp.__main__ import main
from gpunp.dispatch.coverage import overridable_ufuncs, paths
from gpunp.dispatch.registry import REGISTRATIONS
from gpunp.namespace import kernel_names

ROOT = Path(__file__).parents[2]


def test_info(capsys):
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    for topic in ("gpunp", "NumPy", "current device", "CUDA"):
        assert topic in text


def test_info_names_the_cuda_version(monkeypatch):
    if importlib.util.find_spec("gpunp.cuda.driver") is None:
        assert "not built in" in dict(information.configuration())["CUDA"]
        return
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    monkeypatch.setattr(cuda, "driver_version", lambda: (13, 0))
    monkeypatch.setattr(cuda, "device_count", lambda: 0)
    assert dict(information.configuration())["CUDA driver"] == "supports CUDA 13.0"


def test_where_names_files_that_exist():
    names = [*REGISTRATIONS, *overridable_ufuncs()]
    names += ["matmul", "random.normal", "random.Generator.integers", "scipy.special.erf"]
    names += kernel_names()
    wrong = {}
    for name in names:
        found = paths(name) or [("nothing", "nothing")]
        missing = [path for _, path in found if not (ROOT / path.split(" ")[0]).exists()]
        if missing:
            wrong[name] = missing
    assert wrong == {}


def test_where(capsys):
    assert main(["where", "transpose"]) == 0
    text = capsys.readouterr().out
    assert "gpunp/manipulation/axes.py" in text
    assert "tests/manipulation/test_axes.py" in text
    assert main(["where", "np.add"]) == 0
    assert "gpunp/ufunc/table/arithmetic.py" in capsys.readouterr().out
    assert main(["where", "linalg.matmul"]) == 0
    assert "kernels/include/gpunp/linalg/matmul_integer.h" in capsys.readouterr().out
    assert main(["where", "nothing"]) == 1


def test_where_names_files_of_functions_of_scipy():
    coverage = pytest.importorskip("gpunp_scipy.routing.coverage", exc_type=ImportError)
    pytest.importorskip("scipy")
    wrong = {}
    for module in ("fft", "fftpack", "linalg", "ndimage", "signal", "special"):
        _, names = coverage.native(f"scipy.{module}")
        assert names
        for name in [*names, *coverage.native_methods(f"scipy.{module}")]:
            path = f"scipy.{module}.{name}"
            found = paths(path) or coverage.paths(path) or [("nothing", "nothing")]
            missing = [path for _, path in found if not (ROOT / path.split(" ")[0]).exists()]
            if missing:
                wrong[path] = missing
    assert wrong == {}
    for path in ("scipy", "scipy.", "scipy.ndimage", "scipy.ndimage.nothing", "scipy.nothing.label"):
        assert coverage.paths(path) is None


def test_where_of_scipy(capsys):
    pytest.importorskip("scipy")
    assert main(["where", "scipy.ndimage.label"]) == 0
    text = capsys.readouterr().out
    assert "gpunp_scipy/ndimage/labels.py" in text
    assert "tests/scipy_ndimage/" in text
    assert main(["where", "scipy.ndimage.nothing"]) == 1
    assert "coverage scipy" in capsys.readouterr().err


def test_coverage(capsys):
    assert main(["coverage"]) == 0
    text = capsys.readouterr().out
    assert "  numpy.reshape\n" in text.split("functions not handled")[0]
    assert "numpy.busday_count" not in text
    assert "ufuncs: " in text


@pytest.mark.parametrize("module", ["scipy", "cuda", "numpy.fft", "numpy.polynomial", "gpunp.demo"])
def test_import_is_lean(module):
    code = f"import sys, gpunp; sys.exit({module!r} in sys.modules)"
    environment = {"GPUNP_DEVICE": "cpu"}
    import os

    assert (
        subprocess.run([sys.executable, "-P", "-c", code], env={**os.environ, **environment}).returncode == 0
    )

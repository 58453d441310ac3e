"""Functions wait for the device only if the shape or dtype of their result depends on the data.

Every record of every test module is called with small inputs, and its transfers and waits are counted.
The counts are the same on the CPU device, where a wait takes no time.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from records import LAYOUTS, Record, find, make_values, outcome

import gpunp
from gpunp.dispatch.registry import REGISTRATIONS

TESTS = Path(__file__).parents[1]
# How often a function may wait: the shape or dtype of its result depends on the data, or the result is a
# Python bool or int. Three functions on sets count the elements of each set first.
WAITS = {
    "allclose": 1,
    "array_equal": 1,
    "array_equiv": 1,
    "average": 1,
    "bincount": 1,
    "compress": 1,
    "count_nonzero": 1,
    "extract": 1,
    "intersect1d": 3,
    # Boolean arguments only: their nonzero elements are counted.
    "ix_": 1,
    # Checks that the matrix is finite, and before NumPy 2.5 whether the eigenvalues are real.
    "linalg.eig": 2,
    "linalg.eigvals": 2,
    # The rank determines the shape of the residuals.
    "linalg.lstsq": 1,
    **{
        f"lib.scimath.{name}": 1
        for name in ("arccos", "arcsin", "arctanh", "log", "log10", "log2", "power", "sqrt")
    },
    "lib.scimath.logn": 2,
    "nanargmax": 1,
    "nanargmin": 1,
    "nonzero": 1,
    "argwhere": 1,
    "flatnonzero": 1,
    # One wait for each callable piece.
    "piecewise": 3,
    "place": 1,
    "poly": 4,
    "polydiv": 1,
    "polymul": 2,
    "real_if_close": 1,
    # The rank, and whether the fit is poorly conditioned.
    "polyfit": 2,
    # The zeros at the ends, the eigenvalues, and whether they are real (twice before NumPy 2.5).
    "roots": 4,
    "setdiff1d": 2,
    "setxor1d": 3,
    "tril_indices_from": 1,
    "trim_zeros": 1,
    "triu_indices_from": 1,
    "union1d": 1,
    "unique": 1,
    "unique_all": 1,
    "unique_counts": 1,
    "unique_inverse": 1,
    "unique_values": 1,
    # With one argument, where it is the same as nonzero.
    "where": 1,
}
# The most uploads of host operands and scalars per call; an upload does not wait.
UPLOADS = 4
# On the CPU device NumPy's BLAS, LAPACK and FFT use the arrays' memory, after a wait for queued work.
PRODUCTS = {
    *(
        f"fft.{name}"
        for name in (
            "fft",
            "fft2",
            "fftn",
            "hfft",
            "ifft",
            "ifft2",
            "ifftn",
            "ihfft",
            "irfft",
            "irfft2",
            "irfftn",
            "rfft",
            "rfft2",
            "rfftn",
        )
    ),
    "einsum",
    *(
        f"linalg.{name}"
        for name in (
            "cholesky",
            "cond",
            "det",
            "eig",
            "eigh",
            "eigvals",
            "eigvalsh",
            "inv",
            "lstsq",
            "matrix_norm",
            "matrix_power",
            "matrix_rank",
            "multi_dot",
            "norm",
            "pinv",
            "qr",
            "slogdet",
            "solve",
            "svd",
            "svdvals",
            "tensorinv",
            "tensorsolve",
        )
    ),
    # These use eigenvalues or least squares.
    "poly",
    "polyfit",
    "roots",
    "corrcoef",
    "cov",
    "dot",
    "inner",
    "linalg.matmul",
    "linalg.tensordot",
    "matmul",
    "outer",
    "tensordot",
    "vdot",
}


def _modules():
    for path in sorted(TESTS.rglob("test_*.py")):
        if "RECORDS" not in path.read_text() or path == Path(__file__):
            continue
        module = sys.modules.get(path.stem)
        if module is None:
            specification = importlib.util.spec_from_file_location(f"records_of_{path.stem}", path)
            module = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(module)
        yield path.stem, module


def _records():
    for stem, module in _modules():
        for index, record in enumerate(getattr(module, "RECORDS", ())):
            if isinstance(record, Record) and not record.raises:
                yield pytest.param(record, id=f"{stem}-{index}-{record.name}")


def _arguments(record):
    """Small host arrays for which NumPy gives a result; those with elements and dimensions first."""
    function = find(record.name)
    shapes = sorted(record.shapes, key=lambda shape: (0 in shape, shape == (), len(shape)))
    for layout in record.layouts:
        for shape in shapes:
            for char in reversed(record.dtypes):
                values = [
                    LAYOUTS[layout](np, make_values(char, shape, seed)) for seed in range(record.arrays)
                ]
                copies = [value.copy() for value in values]
                if outcome(lambda arrays=copies: record.call(function, *arrays))[1] is None:
                    return function, values
    return function, None


def _counts(device):
    waits, uploads, downloads = device.transfer_counts
    return waits + downloads, uploads


@pytest.mark.parametrize("record", list(_records()))
def test_calls_do_not_wait(record, device):
    function, values = _arguments(record)
    if values is None:
        pytest.skip("NumPy raises for every input")
    # The first call may load kernels and tables: the second one is counted.
    for arrays in ([gpunp.asarray(value) for value in values] for _ in range(2)):
        before = _counts(device)
        result, error = outcome(lambda arrays=arrays: record.call(function, *arrays))
        after = _counts(device)
    assert error is None
    waits = after[0] - before[0]
    assert after[1] - before[1] <= UPLOADS, f"{record.name} uploaded {after[1] - before[1]} times"
    if not (device.is_cpu and record.name in PRODUCTS):
        assert waits <= WAITS.get(record.name, 0), f"{record.name} waited {waits} times for {result!r}"


def test_the_doors_are_counted(device):
    a = gpunp.arange(3)
    for door in (lambda: a[0].item(), lambda: bool(a[0]), lambda: gpunp.asnumpy(a), device.synchronize):
        before = _counts(device)[0]
        door()
        assert _counts(device)[0] == before + 1
    before = _counts(device)[1]
    gpunp.asarray(np.arange(3))
    assert _counts(device)[1] == before + 1


@pytest.mark.parametrize("name", sorted({*WAITS, *PRODUCTS}))
def test_the_exceptions_exist_and_are_documented(name):
    assert name in REGISTRATIONS or hasattr(gpunp, name), f"{name} is no longer a function"
    if name in WAITS:
        documented = (TESTS.parent / "docs" / "transfers-and-devices.md").read_text()
        assert f"`{name}`" in documented

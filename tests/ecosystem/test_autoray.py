"""autoray: its functions on device arrays, found by the class of the arrays or the name of the library."""

import numpy as np
import pytest

import gpunp

autoray = pytest.importorskip("autoray", reason="autoray is not installed")

RANDOM = np.random.default_rng(8)
TALL = RANDOM.normal(size=(5, 3))
POSITIVE = TALL.T @ TALL + np.eye(3)
CASES = {
    "astype": lambda do, a, p: autoray.astype(a, "complex64"),
    "complex": lambda do, a, p: do("complex", a, 2 * a),
    "dag": lambda do, a, p: autoray.dag(do("complex", a, -a)),
    "einsum": lambda do, a, p: do("einsum", "ij,kj->ik", a, a),
    "linalg.cholesky": lambda do, a, p: do("linalg.cholesky", p),
    "linalg.eigh": lambda do, a, p: do("linalg.eigh", p)[0],
    "linalg.expm": lambda do, a, p: do("linalg.expm", p),
    "linalg.norm": lambda do, a, p: do("linalg.norm", a),
    "linalg.qr": lambda do, a, p: do("abs", do("linalg.qr", a)[1]),
    "linalg.solve": lambda do, a, p: do("linalg.solve", p, a.T),
    "linalg.svd": lambda do, a, p: do("abs", do("linalg.svd", a)[0]),
    "pad": lambda do, a, p: do("pad", a, ((1, 0), (0, 2))),
    "real": lambda do, a, p: autoray.real(a),
    "reshape": lambda do, a, p: autoray.reshape(a, (3, 5)),
    "scipy.linalg.solve_triangular": lambda do, a, p: do(
        "scipy.linalg.solve_triangular", do("tril", p), a.T, lower=True
    ),
    "split": lambda do, a, p: do("split", a, [2])[1],
    "stack": lambda do, a, p: do("stack", (a, a), axis=1),
    "tensordot": lambda do, a, p: do("tensordot", a, p, 1),
    "transpose": lambda do, a, p: autoray.transpose(a),
    "where": lambda do, a, p: do("where", a > 0, a, -a),
}


@pytest.mark.parametrize("name", CASES)
def test_as_on_the_host(name, device):
    expected = CASES[name](autoray.do, TALL, POSITIVE)
    found = CASES[name](autoray.do, *(gpunp.asarray(each, device=device) for each in (TALL, POSITIVE)))
    assert isinstance(found, gpunp.ndarray)
    assert (found.device, found.dtype, found.shape) == (device, expected.dtype, expected.shape)
    np.testing.assert_allclose(autoray.to_numpy(found), expected, rtol=1e-12, atol=1e-13)


def test_copies_between_host_and_device(device):
    name = "cpu" if device.is_cpu else f"cuda:{device.id}"
    x = autoray.do("from_numpy", TALL, device=name, dtype="float32", like="gpunp")
    assert (x.device, x.dtype) == (device, np.float32)
    assert autoray.infer_backend(x) == "gpunp"
    assert autoray.do("to_device", x, name).device == device
    assert autoray.do("to_device", x, None) is x
    host = autoray.to_numpy(x)
    assert type(host) is np.ndarray
    np.testing.assert_array_equal(host, TALL.astype("f4"))


@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_random_numbers_of_a_dtype(name):
    drawn = autoray.do(f"random.{name}", 2.0, 3.0, size=(4, 3), dtype="float32", like="gpunp")
    assert isinstance(drawn, gpunp.ndarray)
    assert (drawn.dtype, drawn.shape) == (np.float32, (4, 3))
    assert np.unique(drawn).size == 12

"""What dask requires of device arrays besides operations: creation, sizes, tokens, conversions."""

import pickle
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import gpunp

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def backend():
    """Make the creation functions of dask.array create device arrays."""
    with dask.config.set({"array.backend": "gpunp", "scheduler": "sync"}):
        yield


def check(array, expected):
    """Assert that a dask array has device chunks and these values."""
    assert isinstance(array._meta, gpunp.ndarray)
    found = array.compute()
    assert isinstance(found, gpunp.ndarray)
    assert found.dtype == array.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(gpunp.asnumpy(found), expected)


def test_creation(backend):
    check(da.ones((4, 4), chunks=2), np.ones((4, 4)))
    check(da.zeros(5, chunks=2, dtype="f4"), np.zeros(5, "f4"))
    check(da.full((3, 2), 7, chunks=2), np.full((3, 2), 7))
    check(da.arange(1, 10, 2, chunks=3), np.arange(1, 10, 2))
    assert da.empty((4, 4), chunks=2).compute().shape == (4, 4)
    check(da.tri(3), np.tri(3))
    check(da.indices((2, 3), chunks=2), np.indices((2, 3)))
    check(da.fromfunction(lambda i: i * 2, shape=(4,), dtype=float), np.arange(4.0) * 2)


def test_places_need_the_backend(backend):
    host = np.arange(12).reshape(3, 4) % 3
    a = da.from_array(gpunp.asarray(host), chunks=2)
    for found, expected in (
        (da.argwhere(a), np.argwhere(host)),
        (da.nonzero(a)[1], np.nonzero(host)[1]),
        (da.where(a)[0], np.nonzero(host)[0]),
        (da.flatnonzero(a), np.flatnonzero(host)),
    ):
        assert isinstance(found.compute(), gpunp.ndarray)
        np.testing.assert_array_equal(gpunp.asnumpy(found.compute()), expected)


def test_other_backends_are_as_before():
    assert isinstance(da.ones(3).compute(), np.ndarray)
    assert isinstance(da.random.default_rng(0).normal(size=3).compute(), np.ndarray)


def test_random(backend):
    rng = da.random.default_rng(5)
    normal = rng.normal(size=(6, 4), chunks=3)
    assert isinstance(normal._meta, gpunp.ndarray)
    again = da.random.default_rng(5).normal(size=(6, 4), chunks=3)
    check(again, gpunp.asnumpy(normal.compute()))
    blocks = [gpunp.asnumpy(block) for block in dask.compute(*normal.to_delayed().ravel())]
    assert len(np.unique(np.concatenate([block.ravel() for block in blocks]))) == 24
    assert set(rng.integers(0, 3, size=100, chunks=50).compute().tolist()) == {0, 1, 2}
    assert sorted(rng.permutation(da.arange(10, chunks=5)).compute().tolist()) == list(range(10))
    assert rng.choice(10, size=6, chunks=3).compute().shape == (6,)
    state = da.random.RandomState(3)
    assert isinstance(state.uniform(size=5, chunks=2).compute(), gpunp.ndarray)
    assert isinstance(da.random.random(4).compute(), gpunp.ndarray)


def test_generator_without_the_backend():
    rng = da.random.default_rng(gpunp.random.default_rng(3))
    assert isinstance(rng.normal(size=4, chunks=2).compute(scheduler="sync"), gpunp.ndarray)


def test_to_backend():
    host = da.from_array(np.arange(6.0), chunks=2)
    moved = host.to_backend("gpunp")
    check(moved, np.arange(6.0))
    assert moved.to_backend("gpunp") is moved
    back = moved.to_backend("numpy").compute(scheduler="sync")
    assert isinstance(back, np.ndarray)
    np.testing.assert_array_equal(back, np.arange(6.0))


def test_arrays_of_collections(device):
    x = da.from_array(gpunp.arange(6.0), chunks=2)
    for computed in (
        gpunp.asarray(x),
        gpunp.asarray(x + 0, device=device),
        np.asarray(x, like=gpunp.empty(())),
    ):
        assert type(computed) is gpunp.ndarray
        assert computed.device is device
        assert computed.tolist() == [0, 1, 2, 3, 4, 5]
    assert gpunp.asarray(x, dtype="i2").dtype == np.int16
    assert gpunp.asnumpy(x).tolist() == gpunp.asnumpy(da.arange(6, chunks=2)).tolist() == [0, 1, 2, 3, 4, 5]
    assert gpunp.asarray(da.arange(6, chunks=2)).tolist() == [0, 1, 2, 3, 4, 5]
    target = gpunp.zeros(6)
    target[...] = x
    assert target.tolist() == [0, 1, 2, 3, 4, 5]


def test_entry_point():
    # Read pyproject.toml, from which the metadata of the installed package is made.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["dask.array.backends"]["gpunp"].partition(":")
    entry = getattr(__import__(module, fromlist=[name]), name)
    assert issubclass(entry, dask.array.backends.ArrayBackendEntrypoint)
    assert type(da.backends.array_creation_dispatch.dispatch("gpunp")) is entry


def test_size():
    x = gpunp.ones((3, 4))
    assert dask.sizeof.sizeof(x) == 96
    assert dask.sizeof.sizeof(x[:, ::2]) == 48
    assert dask.sizeof.sizeof(gpunp.broadcast_to(x, (100, 3, 4))) == 96


def test_tokens_are_of_the_contents():
    tokenize = dask.tokenize.tokenize
    x = gpunp.arange(9.0).reshape(3, 3)
    token = tokenize(x)
    assert token == tokenize(x.copy()) == tokenize(x.copy(order="F")) == tokenize(x[::-1][::-1])
    others = x + 1, x.T, x.reshape(9), x.astype("f4"), gpunp.asnumpy(x), x[:, :0], x[0, 0]
    assert len({token, *map(tokenize, others)}) == 8
    with dask.config.set({"tokenize.ensure-deterministic": True}):
        assert da.from_array(x, chunks=2).name == da.from_array(x.copy(), chunks=2).name


def test_digests():
    # The token of a large GPU array is this digest, so its contents are not copied; it works on every device.
    from gpunp.interop.dask_objects import digest

    host = np.random.default_rng(1).integers(0, 256, 4005, dtype="u1")
    x = gpunp.asarray(host)
    after_one = gpunp.asarray(np.concatenate([host[:1], host]))
    assert digest(x) == digest(after_one[1:])
    others = []
    for place in (0, 8, 2000, 3999, 4004):
        changed = host.copy()
        changed[place] ^= 1
        others.append(changed)
    swapped = host.copy()
    swapped[:8], swapped[8:16] = host[8:16], host[:8]
    others += [swapped, host[:-1], np.zeros_like(host), np.ones_like(host), np.roll(host, 8)]
    assert len({digest(x), *(digest(gpunp.asarray(other)) for other in others)}) == 11
    words = np.arange(1 << 17)
    mixed = np.arange(len(words), dtype="u8") * np.uint64(0x9E3779B97F4A7C15) ^ words.view("u8")
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor)
    total = int(mixed.sum())
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    assert digest(gpunp.asarray(words)) == (
        total,
        int(np.bitwise_xor.reduce(mixed ^ mixed >> np.uint64(29))),
        "",
    )


def test_tokens_of_large_arrays():
    tokenize = dask.tokenize.tokenize
    x = gpunp.arange(1 << 18).reshape(512, 512)
    assert tokenize(x) == tokenize(x.copy(order="F"))
    assert (
        len({tokenize(x), tokenize(x.T), tokenize(x.ravel()), tokenize(x.view("u8")), tokenize(x + 1)}) == 5
    )


def test_operators_with_device_arrays():
    x = gpunp.arange(6.0)
    a = da.from_array(x, chunks=2)
    for sum_ in (a + x, x + a, np.add(x, a), da.from_array(np.arange(6.0), chunks=3) + x):
        assert isinstance(sum_, da.Array)
        check(sum_, np.arange(6.0) * 2)
    check(da.concatenate([a, x]), np.tile(np.arange(6.0), 2))
    check(da.stack([x, x]), np.tile(np.arange(6.0), (2, 1)))
    assert "gpunp.ndarray" in repr(a)
    assert "<table>" in a._repr_html_()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_schedulers(scheduler):
    host = np.arange(64.0).reshape(8, 8)
    a = da.from_array(gpunp.asarray(host), chunks=3)
    found = (a @ a.T).sum(axis=0).compute(scheduler=scheduler, num_workers=2)
    np.testing.assert_array_equal(gpunp.asnumpy(found), (host @ host.T).sum(axis=0))
    again = pickle.loads(pickle.dumps(a))
    assert float(again.sum().compute(scheduler=scheduler)) == host.sum()


def test_host_values_are_asked_for():
    a = da.from_array(gpunp.arange(4.0), chunks=2)
    for call in (lambda: np.asarray(a), lambda: da.store(a, np.empty(4), scheduler="sync")):
        with pytest.raises(TypeError, match=r"gpunp\.asnumpy"):
            call()
    out = np.empty(4)
    da.store(a.to_backend("numpy"), out, scheduler="sync")
    np.testing.assert_array_equal(out, np.arange(4.0))


PROGRAM = """
import warnings
warnings.simplefilter("error")
{imports}
import dask.sizeof
x = gpunp.arange(6.0)
assert dask.sizeof.sizeof(x) == 48
percentile = da.percentile(da.from_array(x, chunks=3), [50], method="lower").compute(scheduler="sync")
assert type(percentile) is gpunp.ndarray, percentile
assert type((da.ones(6) + x).compute(scheduler="sync")) is gpunp.ndarray
"""


@pytest.mark.parametrize(
    "imports", ["import gpunp; import dask.array as da", "import dask.array as da; import gpunp"]
)
def test_orders_of_import(imports):
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM.format(imports=imports)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_linear_algebra_of_numpy_is_as_before():
    a = da.from_array(np.diag([4.0, 9.0, 16.0, 25.0]), chunks=2)
    p, lower, upper = da.linalg.lu(a)
    assert isinstance((p @ lower @ upper).compute(scheduler="sync"), np.ndarray)
    np.testing.assert_allclose(da.linalg.cholesky(a).compute(scheduler="sync"), np.diag([2.0, 3.0, 4.0, 5.0]))
    with pytest.raises(ValueError, match="square"):
        da.linalg.lu(da.from_array(gpunp.ones((4, 4)), chunks=(2, 1)))

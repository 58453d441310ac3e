"""Products and triangular systems through cuSPARSE: the order of its calls, work areas, its errors."""

import ctypes
import importlib.metadata
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

# The stand-in library is found only if the real one is not installed.
REAL = any(d.name == "nvidia-cusparse" for d in importlib.metadata.distributions())
pytestmark = [
    pytest.mark.fake_driver(),
    pytest.mark.skipif(REAL, reason="the real cuSPARSE is installed, and needs the real driver"),
]


def rows(seed, shape, dtype):
    rng = np.random.default_rng(seed)
    made = sp.random_array(shape, density=0.3, rng=rng, format="csr")
    made.data = np.round(4 * made.data) + 1  # no sum is 0, as SciPy would not store it
    return made.astype(dtype)


def multiplied(a, b, device, **options):
    """The parts of a product, and the arrays that the library wrote."""
    import gpunp
    from gpunp.cuda import cusparse

    parts = [
        [
            gpunp.asarray(each, device=device)
            for each in (m.indptr.astype("i4"), m.indices.astype("i4"), m.data)
        ]
        for m in (a, b)
    ]
    made = [gpunp.empty(a.shape[0] + 1, "i4", device=device)]

    def place(count):
        made.extend(gpunp.empty(count, dtype, device=device) for dtype in ("i4", a.dtype))
        return made[1].data_address, made[2].data_address

    described = ((len(each[1]), *(part.data_address for part in each)) for each in parts)
    shape = *a.shape, b.shape[1]
    cusparse.multiply(device, shape, *described, made[0].data_address, place, dtype=a.dtype.char, **options)
    return [gpunp.asnumpy(each) for each in made]


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_products(cuda_device, dtype, in_parts):
    for shape in ((20, 15, 25), (1, 1, 1), (0, 4, 3), (4, 0, 3), (4, 5, 0)):
        a, b = rows(0, shape[:2], dtype), rows(1, shape[1:], dtype)
        expected = a @ b
        expected.sort_indices()
        indptr, indices, data = multiplied(a, b, cuda_device, in_parts=in_parts)
        np.testing.assert_array_equal(indptr, expected.indptr)
        np.testing.assert_array_equal(indices, expected.indices)
        np.testing.assert_array_equal(data, expected.data)


def test_products_that_are_too_large(cuda_device):
    """What has too many products of entries is computed in parts."""
    a = rows(0, (80, 80), "d")
    with pytest.raises(MemoryError, match="INSUFFICIENT_RESOURCES"):
        multiplied(a, a, cuda_device)
    indptr, indices, data = multiplied(a, a, cuda_device, in_parts=True)
    found = sp.csr_array((data, indices, indptr), shape=a.shape)
    np.testing.assert_array_equal(found.toarray(), (a @ a).toarray())


def test_the_library_is_found(cuda_device):
    from gpunp.cuda import cusparse

    assert cusparse.is_available()


def triangle(n, dtype):
    """A matrix with entries on both sides of a dominant diagonal."""
    rng = np.random.default_rng(n)
    made = sp.random_array((n, n), density=0.3, rng=rng)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * sp.random_array((n, n), density=0.3, rng=rng)
    return sp.csr_array((made + 4 * sp.eye_array(n)).astype(dtype))


def plan_of(a, device, *, index="i4", columns=1, **options):
    import gpunp
    from gpunp.cuda import cusparse

    parts = a.indptr.astype(index), a.indices.astype(index), a.data
    parts = tuple(gpunp.asarray(each, device=device) for each in parts)
    addresses = tuple(part.data_address for part in parts)
    wide = index == "i8"
    return cusparse.TriangularPlan(
        device, a.shape[0], a.nnz, addresses, parts, columns, wide=wide, dtype=a.dtype.char, **options
    )


def solved(plan, b, device):
    import gpunp

    b = gpunp.asarray(b, device=device)
    x = gpunp.empty_like(b)
    plan.solve(b.data_address, x.data_address)
    return gpunp.asnumpy(x)


@pytest.fixture
def library(cuda_device):
    """The test functions of the stand-in library; None outside the process that runs a marked test."""
    if cuda_device is None:
        return None
    found = ctypes.CDLL("libcusparse.so.12")
    found.fake_analyses.restype = found.fake_living_descriptions.restype = ctypes.c_long
    return found


@pytest.mark.parametrize(("dtype", "index"), [("f", "i4"), ("d", "i8"), ("F", "i8"), ("D", "i4")])
def test_triangular_systems(cuda_device, library, dtype, index):
    """One analysis of a triangle serves all systems with it; the other triangle is ignored."""
    a = triangle(12, dtype)
    for lower, unit, trans, columns in itertools.product((True, False), (True, False), "NTH", (1, 3)):
        dense = np.tril(a.toarray()) if lower else np.triu(a.toarray())
        if unit:
            np.fill_diagonal(dense, 1)
        dense = {"N": dense, "T": dense.T, "H": dense.conj().T}[trans]
        before = library.fake_analyses()
        options = {"lower": lower, "unit": unit, "trans": trans}
        plan = plan_of(a, cuda_device, index=index, columns=columns, **options)
        for seed in range(3):
            b = np.random.default_rng(seed).random((columns, 12)).astype(dtype)
            np.testing.assert_allclose(
                solved(plan, b, cuda_device).T, np.linalg.solve(dense, b.T), rtol=1e-3, atol=1e-3
            )
        assert library.fake_analyses() == before + 1
        del plan
        assert library.fake_living_descriptions() == 0


def test_plans_keep_the_parts_of_the_matrix(cuda_device, fake, library):
    """The memory is used until the plan is gone, whoever has freed the arrays."""
    import gpunp

    a = triangle(300, "d")
    plan = plan_of(a, cuda_device, lower=True, unit=False)
    # Freed memory would be used again.
    parts = a.indptr, a.indices, a.data
    others = [gpunp.asarray(np.full_like(each, 7), device=cuda_device) for each in parts]
    b = np.ones(300)
    np.testing.assert_allclose(solved(plan, b, cuda_device), np.linalg.solve(np.tril(a.toarray()), b))
    del others


def test_plans_on_several_streams(cuda_device, fake, library):
    """A stream waits for what others do with the memory of a plan, and so does the one that frees it."""
    from gpunp.cuda import Stream

    a = triangle(5, "d")
    plan = plan_of(a, cuda_device, lower=True, unit=False)
    b = np.arange(5.0)
    waits = fake.fake_calls(b"cuStreamWaitEvent")
    expected = solved(plan, b, cuda_device)
    assert fake.fake_calls(b"cuStreamWaitEvent") == waits
    with Stream(device=cuda_device, non_blocking=True):
        np.testing.assert_array_equal(solved(plan, b, cuda_device), expected)
        assert fake.fake_calls(b"cuStreamWaitEvent") == waits + 1
        np.testing.assert_array_equal(solved(plan, b, cuda_device), expected)
        assert fake.fake_calls(b"cuStreamWaitEvent") == waits + 1
        del plan
    assert fake.fake_calls(b"cuStreamWaitEvent") == waits + 2


def test_plans_in_cycles_and_other_threads(cuda_device, library):
    import gc
    import threading

    plan = plan_of(triangle(5, "d"), cuda_device, lower=True, unit=False)
    found = []

    def run(used):
        found.append(solved(used, np.arange(5.0), cuda_device))

    thread = threading.Thread(target=run, args=(plan,))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], solved(plan, np.arange(5.0), cuda_device))
    cycle = [plan]
    cycle.append(cycle)
    del plan, cycle, thread
    gc.collect()
    assert library.fake_living_descriptions() == 0

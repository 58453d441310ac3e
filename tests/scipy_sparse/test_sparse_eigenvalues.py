"""Eigenvalues and singular values of ``scipy.sparse.linalg`` on the device, against those on the host."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from solvers import Waits
from sparse_arrays import on_device

import gpunp

N, K = 60, 5
TOLERANCES = {"f": 2e-4, "F": 2e-4, "d": 1e-10, "D": 1e-10}
KEYS = {
    "LM": lambda w: -abs(w),
    "SM": abs,
    "LA": lambda w: -w.real,
    "LR": lambda w: -w.real,
    "SA": lambda w: w.real,
    "SR": lambda w: w.real,
}


def matrix(dtype="d", hermitian=True, shape=(N, N)):
    rng = np.random.default_rng(5)
    a = sp.random_array(shape, density=0.1, rng=rng)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * sp.random_array(shape, density=0.1, rng=rng)
    return (a + a.conj().T if hermitian else a).tocsr().astype(dtype)


def weights(dtype="d"):
    """A positive definite matrix."""
    return sp.diags_array(1 + np.random.default_rng(6).random(N)).tocsc().astype(dtype)


def assert_pairs(a, found, m=None, tolerance=1e-10):
    """Vectors are those of the eigenvalues, up to rounding errors."""
    w, v = found
    assert type(w) is type(v) is gpunp.ndarray
    w, v = w.get(), v.get()
    scale = abs(a).max()
    np.testing.assert_allclose(a @ v, (v if m is None else m @ v) * w, atol=20 * tolerance * scale)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
def test_hermitian(which, dtype, device):
    a = matrix(dtype)
    if which == "BE" and dtype in "FD":
        with pytest.raises(ValueError, match="which"):
            splinalg.eigsh(on_device(a), k=K, which=which)
        return
    if which == "SM":
        # Within a spectrum, Lanczos' method may miss eigenvalues, also that of ARPACK.
        a = (a + 10 * sp.eye_array(N)).tocsr().astype(dtype)
    found = splinalg.eigsh(on_device(a), k=K, which=which, rng=1)
    tolerance = TOLERANCES[dtype]
    assert_pairs(a, found, tolerance=tolerance)
    w = np.linalg.eigvalsh(a.toarray().astype("D"))
    if which == "BE":
        expected = np.concatenate((w[:2], w[-3:]))
    else:
        expected = np.sort(w[np.argsort(KEYS[which](w))[:K]])
    assert found[0].dtype == dtype.lower()
    assert found[1].dtype == dtype
    np.testing.assert_allclose(found[0].get(), expected, atol=20 * tolerance)
    # Vectors are orthonormal.
    v = found[1].get()
    np.testing.assert_allclose(v.conj().T @ v, np.eye(K), atol=20 * tolerance)


@pytest.mark.usefixtures("direct_solver")
@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("which", ["LM", "LA", "SA", "BE"])
@pytest.mark.parametrize(
    ("sigma", "mode"), [(None, "normal"), (0.3, "normal"), (0.3, "buckling"), (0.3, "cayley")]
)
def test_generalized_and_order(sigma, mode, which, vectors, device):
    """The eigenvalues and their order are SciPy's, also with a second matrix and a shift."""
    a, m = matrix(), weights()
    if mode == "buckling":
        a = (a + 8 * sp.eye_array(N)).tocsr()
    options = {"k": K, "which": which, "sigma": sigma, "mode": mode, "return_eigenvectors": vectors}
    expected = splinalg.eigsh(a, M=m, **options)
    found = splinalg.eigsh(on_device(a), M=on_device(m), **options)
    if vectors:
        assert_pairs(a, found, m)
        found, expected = found[0], expected[0]
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)


@pytest.mark.usefixtures("direct_solver")
@pytest.mark.parametrize("form", ["dense", "csc", "coo", "operator"])
@pytest.mark.parametrize("sigma", [None, 0.3])
def test_forms(form, sigma, device):
    a = matrix()
    options = {"k": K, "sigma": sigma, "v0": gpunp.ones(N)}
    if form == "operator":
        x = on_device(a)
        inverse = gpunp.asarray(np.linalg.inv(a.toarray() - 0.3 * np.eye(N)))

        def operator(matrix):
            def product(v):
                assert type(v) is gpunp.ndarray
                return matrix @ v

            return splinalg.LinearOperator(a.shape, matvec=product, dtype=a.dtype)

        options |= {} if sigma is None else {"OPinv": operator(inverse)}
        found = splinalg.eigsh(operator(x), **options)
    else:
        x = gpunp.asarray(a.toarray()) if form == "dense" else on_device(a.asformat(form))
        found = splinalg.eigsh(x, **options)
    assert_pairs(a, found)
    np.testing.assert_allclose(found[0].get(), splinalg.eigsh(a, k=K, sigma=sigma)[0], atol=1e-9)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("which", ["LM", "SM", "LR", "SR", "LI", "SI"])
def test_general(which, dtype, device):
    if which == "SI" and dtype in "fd":
        pytest.skip("real eigenvalues inside a spectrum are found by chance")
    a = matrix(dtype, hermitian=False)
    if which == "SM":
        a = (a + 10 * sp.eye_array(N)).tocsr().astype(dtype)
    tolerance = TOLERANCES[dtype]
    found = splinalg.eigs(on_device(a), k=K, which=which, rng=1)
    assert_pairs(a, found, tolerance=tolerance)
    assert found[0].dtype == found[1].dtype == dtype.upper()
    w = np.linalg.eigvals(a.toarray().astype("D"))
    if which in ("LI", "SI"):
        imaginary = abs(w.imag) if dtype in "fd" else w.imag
        key = -imaginary if which == "LI" else imaginary
        ours = found[0].get().imag
        ours = abs(ours) if dtype in "fd" else ours
        expected = np.sort(imaginary[np.argsort(key)[:K]])
        np.testing.assert_allclose(np.sort(ours), expected, atol=20 * tolerance)
    else:
        key = KEYS[which]
        expected = np.sort(key(w))[:K]
        np.testing.assert_allclose(np.sort(key(found[0].get())), expected, atol=20 * tolerance)


@pytest.mark.usefixtures("direct_solver")
@pytest.mark.parametrize("part", [None, "i"])
@pytest.mark.parametrize("sigma", [0.3, 0.3 + 0.4j])
@pytest.mark.parametrize("generalized", [False, True])
def test_general_shifts(generalized, sigma, part, device):
    a, m = matrix(hermitian=False), weights() if generalized else None
    if part and not np.iscomplex(sigma):
        with pytest.raises(ValueError, match="OPpart"):
            splinalg.eigs(on_device(a), k=K, sigma=sigma, OPpart=part)
        return
    options = {"k": K, "sigma": sigma, "OPpart": part}
    expected = splinalg.eigs(a, M=m, **options)[0]
    found = splinalg.eigs(on_device(a), M=on_device(m) if generalized else None, **options)
    assert_pairs(a, found, m)
    distances = np.minimum(
        abs(found[0].get()[:, None] - expected), abs(found[0].get().conj()[:, None] - expected)
    )
    assert distances.min(1).max() < 1e-9


def test_invariant_subspaces(device):
    """A basis goes on where a product adds nothing new."""
    a = sp.diags_array(np.repeat([1.0, 2.0, 5.0], 20)).tocsr()
    w, v = splinalg.eigsh(on_device(a), k=4)
    np.testing.assert_allclose(w.get(), 5, atol=1e-12)
    np.testing.assert_allclose(v.get().T @ v.get(), np.eye(4), atol=1e-12)
    zero = splinalg.eigsh(gpunp.zeros((20, 20)), k=3)[0]
    np.testing.assert_allclose(zero.get(), 0, atol=1e-300)
    w = splinalg.eigs(on_device(a), k=4, which="SM", return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), 1, atol=1e-12)


def test_no_convergence(device):
    a = sp.diags_array([-np.ones(499), np.full(500, 2.0), -np.ones(499)], offsets=[-1, 0, 1]).tocsr()
    with pytest.raises(splinalg.ArpackNoConvergence, match=r"No convergence \(3 iterations") as caught:
        splinalg.eigsh(on_device(a), k=6, maxiter=3, which="SM")
    assert len(caught.value.eigenvalues) < 6
    assert caught.value.eigenvectors.shape == (500, len(caught.value.eigenvalues))
    with pytest.raises(splinalg.ArpackNoConvergence):
        splinalg.eigs(on_device(a), k=6, maxiter=2, which="SM")


ERRORS = [
    ("eigsh", {"k": 0}, ValueError, "k must be"),
    ("eigsh", {"which": "LR"}, ValueError, "which"),
    ("eigsh", {"ncv": 3}, ValueError, "ncv"),
    ("eigsh", {"maxiter": 0}, ValueError, "maxiter"),
    ("eigsh", {"OPinv": 1}, ValueError, "OPinv"),
    ("eigsh", {"sigma": 1.0, "mode": "other"}, ValueError, "mode"),
    ("eigsh", {"v0": np.zeros(N)}, splinalg.ArpackError, "vector is zero"),
    ("eigs", {"which": "LA"}, ValueError, "which"),
    ("eigs", {"sigma": 1.0, "Minv": 1}, ValueError, "Minv"),
    ("svds", {"which": "LA"}, ValueError, "which"),
    ("svds", {"k": N}, ValueError, "k"),
    ("svds", {"solver": "other"}, ValueError, "solver"),
]


@pytest.mark.parametrize(("name", "options", "error", "match"), ERRORS)
def test_errors(name, options, error, match, device):
    with pytest.raises(error, match=match):
        getattr(splinalg, name)(on_device(matrix()), **options)


def test_all_eigenvalues(device):
    """As SciPy, dense solvers compute all eigenvalues, and sparse arrays are refused."""
    a = matrix().toarray()[:8, :8]
    with pytest.warns(RuntimeWarning, match="k >= N"):
        w, v = splinalg.eigsh(gpunp.asarray(a), k=8)
    np.testing.assert_allclose(w.get(), scipy.linalg.eigvalsh(a), atol=1e-12)
    assert type(v) is gpunp.ndarray
    with pytest.warns(RuntimeWarning), pytest.raises(TypeError, match="sparse"):
        splinalg.eigsh(on_device(sp.csr_array(a)), k=8)


def test_not_finite(device):
    a = matrix()
    a.data[3] = np.nan
    with pytest.raises(splinalg.ArpackError):
        splinalg.eigsh(on_device(a), k=3)


@pytest.mark.parametrize("shape", [(80, 50), (50, 80), (60, 60)])
@pytest.mark.parametrize("solver", ["arpack", "propack"])
@pytest.mark.parametrize("which", ["LM", "SM"])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_singular_values(dtype, which, solver, shape, device):
    a = matrix(dtype, hermitian=False, shape=shape)
    if which == "SM":
        # No values that are zero up to rounding: a Krylov space has one vector for all of them.
        a = (a + 3 * sp.eye_array(*shape)).tocsr().astype(dtype)
    u, s, vh = splinalg.svds(on_device(a), k=K, which=which, solver=solver, rng=0)
    expected = np.linalg.svd(a.toarray(), compute_uv=False)[::-1]
    expected = expected[-K:] if which == "LM" else expected[:K]
    tolerance = 20 * TOLERANCES[dtype]
    assert u.dtype == vh.dtype == dtype
    assert s.dtype == dtype.lower()
    np.testing.assert_allclose(s.get(), expected, atol=tolerance)
    np.testing.assert_allclose(a @ vh.get().conj().T, u.get() * s.get(), atol=tolerance)
    np.testing.assert_allclose(u.get().conj().T @ u.get(), np.eye(K), atol=tolerance)
    only = splinalg.svds(on_device(a), k=K, which=which, solver=solver, rng=0, return_singular_vectors=False)
    np.testing.assert_allclose(only.get(), expected, atol=tolerance)
    u, _, vh = splinalg.svds(on_device(a), k=K, which=which, solver=solver, return_singular_vectors="u")
    assert vh is None
    assert u.shape == (shape[0], K)


def test_low_rank(device):
    """Values that are zero have vectors, too; bidiagonalisation does not square the others."""
    rng = np.random.default_rng(7)
    a = rng.random((40, 3)) @ rng.random((3, 30))
    u, s, vh = splinalg.svds(gpunp.asarray(a), k=5, solver="propack")
    np.testing.assert_allclose(s.get()[:2], 0, atol=1e-13)
    np.testing.assert_allclose((u.get() * s.get()) @ vh.get(), a, atol=1e-12)
    np.testing.assert_allclose(u.get().T @ u.get(), np.eye(5), atol=1e-12)


LOBPCG = [{}, {"largest": False}, {"M": True}, {"B": True}, {"Y": True}, {"retResidualNormsHistory": True}]


@pytest.mark.parametrize("options", LOBPCG)
def test_lobpcg(options, device):
    diagonal = np.arange(1.0, 101)
    a = sp.diags_array(diagonal).tocsr()
    start = np.random.default_rng(8).random((100, 3))
    others = {
        "M": sp.diags_array(1 / diagonal).tocsr(),
        "B": sp.diags_array(1 + diagonal / 100).tocsr(),
        "Y": np.eye(100, 3),
    }
    options = {"largest": False, "tol": 1e-7, "maxiter": 200} | options
    options |= {name: others[name] for name in ("M", "B", "Y") if name in options}
    moved = {name: on_device(value) if name in others else value for name, value in options.items()}
    found = splinalg.lobpcg(on_device(a), on_device(start), **moved)
    expected = splinalg.lobpcg(a, start, **options)
    assert type(found[0]) is type(found[1]) is gpunp.ndarray
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-8)
    if "retResidualNormsHistory" in options:
        assert len(found[2]) == len(expected[2])


def operand(matrix, kind):
    """A matrix as one of the kinds of operands that lobpcg takes."""
    if kind == "dense":
        return matrix.toarray() if isinstance(matrix, sp.sparray) else matrix
    if kind == "function":
        return lambda x: matrix @ x
    if kind == "aslinearoperator":
        return splinalg.aslinearoperator(matrix)
    if kind in ("matvec", "matmat"):
        functions = dict.fromkeys(("matvec", kind), lambda x: matrix @ x)
        return splinalg.LinearOperator(matrix.shape, dtype=matrix.dtype, **functions)
    return matrix.asformat(kind)


@pytest.mark.parametrize("preconditioner", [None, "csr", "function", "matvec", "matmat"])
@pytest.mark.parametrize("kind", ["csr", "dia", "dense", "function", "aslinearoperator", "matvec", "matmat"])
def test_lobpcg_operands(kind, preconditioner, device):
    """Operands and preconditioners as sparse arrays, functions and linear operators, each on its side."""
    diagonal = np.arange(1.0, 101)
    a, inverse = sp.diags_array(diagonal).tocsr(), sp.diags_array(1 / diagonal).tocsr()
    start = np.random.default_rng(8).random((100, 3))
    results = []
    for move in (lambda x: x, on_device):
        m = operand(move(inverse), preconditioner) if preconditioner else None
        results.append(
            splinalg.lobpcg(operand(move(a), kind), move(start), M=m, tol=1e-7, maxiter=200, largest=False)
        )
    (values, vectors), found = results
    assert all(type(each) is gpunp.ndarray for each in found)
    np.testing.assert_allclose(found[0].get(), values, rtol=1e-8)
    np.testing.assert_allclose(abs(found[1].get()), abs(vectors), atol=1e-5)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_lobpcg_that_does_not_converge(dtype, device):
    """SciPy's warnings and histories, which have arrays on the device."""
    a = sp.diags_array(np.arange(1.0, 101)).tocsr().astype(dtype)
    start = np.random.default_rng(8).random((100, 3)).astype(dtype)
    histories = []
    for move in (lambda x: x, on_device):
        with pytest.warns(UserWarning, match="Exited at iteration 3.*|Exited postprocessing.*"):
            histories.append(
                splinalg.lobpcg(
                    move(a),
                    move(start),
                    tol=1e-12,
                    maxiter=3,
                    retLambdaHistory=True,
                    retResidualNormsHistory=True,
                )
            )
    tolerances = {"rtol": 1e-5, "atol": 1e-4} if dtype in "fF" else {"rtol": 1e-6, "atol": 1e-9}
    for expected, found in zip(*histories, strict=True):
        assert len(expected) == len(found)
        for one, other in zip(expected, found, strict=True):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
    for expected, found in list(zip(*histories, strict=True))[2:]:
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_allclose(other.get(), one, **tolerances)


def test_lobpcg_of_a_small_problem(device):
    """A dense solver takes problems that are small beside the number of vectors."""
    a = sp.diags_array(np.arange(1.0, 9)).tocsr()
    start = np.random.default_rng(8).random((8, 3))
    with pytest.warns(UserWarning, match="dense eigensolver"):
        values, _ = splinalg.lobpcg(on_device(a), on_device(start))
    np.testing.assert_allclose(values.get(), [8, 7, 6])
    with pytest.raises(ValueError, match="rank-2"):
        splinalg.lobpcg(on_device(a), on_device(start[:, 0]))


def test_waits(device):
    """The basis is extended without waits: there are some for the start and some for each restart."""
    a = on_device(matrix())
    splinalg.eigsh(a, k=3)
    with Waits(device) as short:
        splinalg.eigsh(a, k=3, ncv=20, maxiter=100, tol=1e-3, v0=gpunp.ones(N))
    assert short.count < 20

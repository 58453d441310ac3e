"""Solvers that do several steps between two waits: where they stop, breakdowns, and how often they wait."""

import numpy as np
import pytest
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as splinalg
from solvers import Waits, host
from sparse_arrays import on_device

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.linalg import step_blocks

LEAST_SQUARES = ("lsmr", "lsqr")
N = 80
NEWEST = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"


@pytest.fixture(autouse=True, params=["blocks", "default"])
def steps(request, device, monkeypatch):
    """Blocks on each device, and what the device does otherwise."""
    if request.param == "blocks":
        monkeypatch.setattr(step_blocks, "saves_time", lambda device: True)
    elif not device.is_cpu:
        pytest.skip("blocks are what a GPU does")
    return request.param


def matrix(shape, kind):
    rng = np.random.default_rng(5)
    a = sp.random_array(shape, density=6 / shape[1], rng=rng) * 0.3 + 4 * sp.eye_array(*shape)
    if kind == "symmetric":
        a = (a + a.T) / 2 - sp.diags_array(9.0 * (rng.random(shape[0]) < 0.05))
    return (a * (1 + 0.3j) if kind == "complex" else a).tocsr()


def right(n, kind="real"):
    b = np.random.default_rng(n).normal(size=n)
    return b + 1j if kind == "complex" else b


def uploaded(value):
    if sp.issparse(value):
        return on_device(value)
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def outcome(solve, *args, **options):
    """What a solver returns, or the error that it raises."""
    with np.errstate(all="ignore"):
        try:
            return solve(*args, **options)
        except ValueError as error:
            return error


def compare(name, a, b, options, *, rtol=1e-5):
    expected = outcome(getattr(splinalg, name), a, b, **options)
    options = {key: uploaded(value) for key, value in options.items()}
    found = outcome(getattr(gpunp_scipy.sparse.linalg, name), uploaded(a), uploaded(b), **options)
    if isinstance(expected, ValueError):
        assert str(found) == str(expected)
        return
    assert found[0].dtype == expected[0].dtype
    assert [type(host(value)) for value in found[1:3]] == [type(value) for value in expected[1:3]]
    assert found[1:3] == expected[1:3]
    for one, other in zip((found[0], *found[3:]), (expected[0], *expected[3:]), strict=True):
        np.testing.assert_allclose(host(one), other, rtol=rtol, atol=1e-7)


OPTIONS = [
    {},
    {"damp": 0.5},
    {"x0": right(40)},
    {"atol": 1e-9, "btol": 1e-9},
    {"conlim": 1.5},
    {"limit": 0},
    {"limit": 1},
    {"limit": 7},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", LEAST_SQUARES)
@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("rows", [40, 90])
def test_least_squares(device, name, options, kind, rows):
    if name == "lsmr" and kind == "complex" and "x0" in options:
        pytest.skip("SciPy's lsmr adds complex numbers to a real x0")
    options = dict(options)
    if "limit" in options:
        options["iter_lim" if name == "lsqr" else "maxiter"] = options.pop("limit")
    # The estimates of the condition number react to rounding errors.
    compare(name, matrix((rows, 40), kind), right(rows, kind), options, rtol=2e-2)


@pytest.mark.parametrize("options", [{}, {"x0": right(N)}, {"calc_var": True}], ids=str)
def test_variances(device, options):
    compare("lsqr", matrix((N + 9, N), "real"), right(N + 9), options | {"calc_var": True})


SYMMETRIC_OPTIONS = [
    *({}, {"x0": right(N)}, {"maxiter": 0}, {"maxiter": 1}, {"maxiter": 5}, {"rtol": 1e-11}),
    *({"shift": 0.5}, {"check": True}, {"M": sp.diags_array(np.linspace(1, 2, N)).tocsr()}, {"rtol": 0.5}),
]


@pytest.mark.parametrize("options", SYMMETRIC_OPTIONS, ids=str)
def test_minres(device, options):
    compare("minres", matrix((N, N), "symmetric"), right(N), options)


# Solvers of systems that are not symmetric.
SQUARE = {
    "gcrotmk": [
        {},
        {"m": 5},
        {"m": 4, "k": 3, "truncate": "smallest"},
        {"m": 5, "maxiter": 2, "discard_C": True},
    ],
    "gmres": [{}, {"restart": 5}, {"restart": 7, "maxiter": 3}, {"restart": 200}],
    "lgmres": [
        {},
        {"inner_m": 5},
        {"inner_m": 4, "prepend_outer_v": True},
        {"inner_m": 6, "store_outer_Av": False},
    ],
    "qmr": [{}, {"rtol": 0.1}],
    "tfqmr": [{}, {"rtol": 0.1}],
}
FOR_ALL = [{"x0": True}, {"M": True}, {"maxiter": 1}, {"maxiter": 2}, {"atol": 1e3}, {"rtol": 1e-11}]


def square_options(kind):
    """Options of solvers, with a starting vector and a preconditioner."""
    diagonal = matrix((N, N), kind).diagonal()
    made = {"x0": right(N) * diagonal[0], "M": sp.diags_array(1 / diagonal).tocsr()}
    for name, own in SQUARE.items():
        for options in own + FOR_ALL:
            options = {
                key: made[key] if value is True and key in made else value for key, value in options.items()
            }
            if name == "qmr" and "M" in options:
                options = {}
            yield pytest.param(name, options, id=f"{name}-{kind}-{'-'.join(options)}")


@pytest.mark.parametrize(("name", "options"), [*square_options("real"), *square_options("complex")])
def test_square_systems(device, name, options, request):
    kind = "complex" if "-complex-" in request.node.callspec.id else "real"
    compare(name, matrix((N, N), kind), right(N, kind), options, rtol=1e-6)


@pytest.mark.parametrize("name", ["gcrotmk", "gmres", "lgmres", "qmr", "tfqmr"])
@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_single_precision(device, name, dtype):
    a, b = matrix((N, N), "real").astype(dtype), right(N).astype(dtype)
    found = getattr(splinalg, name)(on_device(a), gpunp.asarray(b), rtol=1e-3)
    expected = getattr(splinalg, name)(a, b, rtol=1e-3)
    assert found[1] == expected[1]
    assert found[0].dtype == dtype
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("options", [{}, {"x0": True}, {"damp": 0.5}, {"limit": 7}], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("name", LEAST_SQUARES)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")  # SciPy's lsmr
def test_least_squares_in_single_precision(device, name, dtype, options):
    """Numbers and reasons to stop are those of single precision; solutions add up in double precision."""
    options = dict(options)
    if "limit" in options:
        options["iter_lim" if name == "lsqr" else "maxiter"] = options.pop("limit")
    if "x0" in options:
        if dtype == "c8":
            pytest.skip("SciPy's lsmr adds complex numbers to a real x0")
        options["x0"] = right(40).astype(dtype)
    a, b = matrix((90, 40), "complex" if dtype == "c8" else "real").astype(dtype), right(90).astype(dtype)
    expected = getattr(splinalg, name)(a, b, **options)
    found = getattr(splinalg, name)(
        on_device(a), gpunp.asarray(b), **{k: uploaded(v) for k, v in options.items()}
    )
    assert found[0].dtype == expected[0].dtype
    assert found[1] == expected[1]
    assert abs(found[2] - expected[2]) <= 2
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("options", [{}, {"maxiter": 5}, {"check": True}, {"shift": 0.5}], ids=str)
def test_minres_in_single_precision(device, options):
    a, b = matrix((N, N), "symmetric").astype("f4"), right(N).astype("f4")
    expected = splinalg.minres(a, b, rtol=1e-3, **options)
    found = splinalg.minres(on_device(a), gpunp.asarray(b), rtol=1e-3, **options)
    assert found[1] == expected[1]
    # SciPy 1.17 computes in double precision, blocks of steps do not.
    assert found[0].dtype == expected[0].dtype or not NEWEST
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("options", [{}, {"maxiter": 1}, {"maxiter": 6}, {"rtol": 1e-10}], ids=str)
@pytest.mark.parametrize("name", ["minres", "qmr", "tfqmr"])
def test_callbacks(device, name, options):
    """Each step calls back with its solution, also the last one."""
    a, b = matrix((N, N), "symmetric" if name == "minres" else "real"), right(N)
    calls = [], []
    found = getattr(splinalg, name)(
        on_device(a), gpunp.asarray(b), callback=lambda x: calls[0].append(x.copy()), **options
    )
    expected = getattr(splinalg, name)(a, b, callback=lambda x: calls[1].append(x.copy()), **options)
    assert found[1] == expected[1]
    assert len(calls[0]) == len(calls[1])
    for one, other in zip(*calls, strict=True):
        np.testing.assert_allclose(one.get(), other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["minres", "qmr", "tfqmr"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_callbacks_of_breakdowns(device, name):
    for a, b in SMALL.values():
        if a.dtype.kind != "f" or np.isinf(a).any():
            continue
        calls = [], []
        with np.errstate(all="ignore"):
            getattr(splinalg, name)(
                gpunp.asarray(a),
                gpunp.asarray(b),
                maxiter=9,
                callback=lambda x, to=calls[0]: to.append(x.copy()),
            )
            getattr(splinalg, name)(a, b, maxiter=9, callback=lambda x, to=calls[1]: to.append(x.copy()))
        assert len(calls[0]) == len(calls[1])


@pytest.mark.parametrize("kind", ["pr_norm", "x", "legacy", None])
@pytest.mark.parametrize("options", [{}, {"restart": 4}, {"restart": 4, "maxiter": 6}], ids=str)
@pytest.mark.filterwarnings("ignore:scipy.sparse.linalg.gmres called:DeprecationWarning")
def test_calls_of_gmres(device, kind, options):
    a, b = matrix((N, N), "real"), right(N)
    calls = [], []
    ours = splinalg.gmres(
        on_device(a),
        gpunp.asarray(b),
        callback=lambda value: calls[0].append(host(value)),
        callback_type=kind,
        **options,
    )
    expected = splinalg.gmres(
        a, b, callback=lambda value: calls[1].append(np.copy(value)), callback_type=kind, **options
    )
    assert ours[1] == expected[1]
    assert len(calls[0]) == len(calls[1])
    np.testing.assert_allclose(calls[0], calls[1], rtol=1e-6)


def test_kinds_of_calls(device):
    a, b = on_device(matrix((N, N), "real")), gpunp.asarray(right(N))
    with pytest.warns(DeprecationWarning, match="callback_type"):
        splinalg.gmres(a, b, callback=lambda norm: None)
    with pytest.raises(ValueError, match="Unknown callback_type"):
        splinalg.gmres(a, b, callback_type="all")


def test_preconditioners_of_both_sides(device):
    a, b = matrix((N, N), "complex"), right(N, "complex")

    def operator(scale):
        return splinalg.LinearOperator(
            a.shape, matvec=lambda v: scale * v, rmatvec=lambda v: scale.conj() * v, dtype=complex
        )

    scale = 1 / a.diagonal()
    expected = splinalg.qmr(a, b, M1=operator(scale), M2=operator(np.sqrt(scale)))
    x = gpunp.asarray(scale)
    found = splinalg.qmr(on_device(a), gpunp.asarray(b), M1=operator(x), M2=operator(np.sqrt(x)))
    assert found[1] == expected[1] == 0
    np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-7)


def test_vectors_that_lose_their_length(device):
    """Each product of a matrix near the identity is nearly a vector before: it is made orthogonal twice."""
    a = (sp.eye_array(N) + 1e-3 * matrix((N, N), "real")).tocsr()
    for name in ("gcrotmk", "gmres", "lgmres"):
        expected = getattr(splinalg, name)(a, right(N), rtol=1e-13)
        found = getattr(splinalg, name)(on_device(a), gpunp.asarray(right(N)), rtol=1e-13)
        assert found[1] == expected[1] == 0
        np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-11)


def test_recycled_vectors(device):
    """Vectors that gcrotmk and lgmres leave and take again."""
    a, b = matrix((N, N), "real"), right(N)
    for name, key, options in (("gcrotmk", "CU", {"m": 4}), ("lgmres", "outer_v", {"inner_m": 4})):
        kept = [], []
        for _ in range(2):
            expected = getattr(splinalg, name)(a, b, **options, **{key: kept[0]})
            found = getattr(splinalg, name)(on_device(a), gpunp.asarray(b), **options, **{key: kept[1]})
            assert found[1] == expected[1]
            np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-6)
        assert len(kept[0]) == len(kept[1])


SMALL = {
    "identity": (np.eye(4), np.ones(4)),
    "right side of zeros": (np.eye(4), np.zeros(4)),
    "matrix of zeros": (np.zeros((3, 3)), np.ones(3)),
    "not a number": (np.diag([1.0, 2, np.nan]), np.ones(3)),
    "infinity": (np.diag([1.0, 2, np.inf]), np.ones(3)),
    "one direction": (2 * np.eye(3), np.array([8.0, 2, 2])),
    "exchange": (np.array([[0, 1.0], [1, 0]]), np.array([1.0, 0])),
    "rotation": (np.array([[0, 1.0], [-1, 0]]), np.array([1.0, 0])),
    "one number": (np.ones((1, 1)), np.array([5.0])),
    "integers": (np.eye(3, dtype=int), np.ones(3, int)),
}


@pytest.mark.parametrize("options", [{}, {"x0": True}, {"M": -1}], ids=str)
@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize("name", ["minres", *LEAST_SQUARES, *SQUARE])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_breakdowns(device, name, case, options):
    a, b = SMALL[case]
    if "M" in options and name in (*LEAST_SQUARES, "qmr"):
        pytest.skip("no preconditioners")
    values = {"x0": np.ones(len(b)), "M": -np.eye(len(b))}
    compare(name, a, b, {key: values[key] for key in options})


def test_a_block_that_ends_early(device):
    """A number that is not positive in the middle of a block: the steps before it count."""
    a, b = sp.diags_array(np.repeat([1.0, 2, 5], 5)).tocsr(), np.ones(15)
    for name in ("minres", *LEAST_SQUARES):
        tight = {"rtol": 1e-300} if name == "minres" else {"atol": 0, "btol": 0, "conlim": 0}
        expected = getattr(splinalg, name)(a, b, **tight)
        found = getattr(splinalg, name)(on_device(a), on_device(b), **tight)
        np.testing.assert_allclose(found[0].get(), expected[0], rtol=1e-9)


def test_not_symmetric(device):
    with pytest.raises(ValueError, match="non-symmetric"):
        splinalg.minres(on_device(matrix((N, N), "real")), gpunp.asarray(right(N)), check=True)


# How often solvers wait in steps 11 to 20, where a block has two to five.
WAITS = {"gcrotmk": 8, "gmres": 5, "lgmres": 8, "lsmr": 8, "lsqr": 8, "minres": 8, "qmr": 8, "tfqmr": 5}
# What has cycles of this many steps instead: waits for another one.
CYCLES = {"gcrotmk": {"m": 10}, "gmres": {"restart": 10}, "lgmres": {"inner_m": 10}}


@pytest.mark.parametrize("kind", ["f8", "f4", "callback"])
@pytest.mark.parametrize("name", WAITS)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")  # as in SciPy's lsmr
def test_waits_between_steps(device, steps, name, kind):
    if steps != "blocks":
        pytest.skip("the CPU device has no waits")
    if kind == "callback" and (name in LEAST_SQUARES or name in CYCLES):
        pytest.skip("no callbacks, or one in a cycle")
    # Slow to converge, so that no solver stops before.
    dtype = "f4" if kind == "f4" else "f8"
    a = on_device(sp.diags_array(np.linspace(1, 1e3, N)).tocsr().astype(dtype))
    b = gpunp.asarray(right(N).astype(dtype))
    tight = {"atol": 0, "btol": 0, "conlim": 0} if name in LEAST_SQUARES else {"rtol": 0.0}
    if kind == "callback":
        tight["callback"] = lambda x: None
    option = "iter_lim" if name == "lsqr" else "maxiter"
    getattr(splinalg, name)(a, b)
    counts = []
    for limit in (1, 2) if name in CYCLES else (10, 20):
        with Waits(device) as count:
            getattr(splinalg, name)(a, b, **tight, **CYCLES.get(name, {}), **{option: limit})
        counts.append(count.count)
    assert 0 < counts[1] - counts[0] <= WAITS[name]

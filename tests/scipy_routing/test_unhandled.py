"""SciPy's functions that gpunp does not handle: refused, or tried, with errors that say what to do."""

import importlib
import inspect
import warnings

import numpy as np
import pytest
from scipy_calls import BEYOND, CALLS, UNLISTED

import gpunp
import gpunp_scipy
from gpunp.dispatch import hooks
from gpunp.interop._on_import import SCIPY
from gpunp_scipy.routing import decisions, handlers
from gpunp_scipy.routing.functions import native, objects, public

pytest.importorskip("scipy", minversion="1.18")
from scipy import integrate, interpolate, linalg, optimize, signal, sparse, spatial, special, stats

HOST = np.array([4.0, 1.0, 2.0, 8.0])
MODULES = {name: importlib.import_module(name) for name in SCIPY}
# Tested in other modules: tests/ecosystem/test_scipy_objects.py, tests/scipy_signal, below.
OBJECTS = {
    *("signal.windows.dpss", "sparse.linalg.LinearOperator"),
    *(
        "sparse.linalg.aslinearoperator",
        "spatial.Rectangle",
        "signal.lti",
        "signal.dlti",
        "integrate.quad_vec",
        "integrate.qmc_quad",
    ),
    # tests/scipy_stats
    *("stats.bayes_mvs", "stats.ecdf", "stats.ks_2samp", "stats.kstest", "stats.lmoment", "stats.logrank"),
    *("stats.CensoredData", "stats.binomtest", "stats.mvsdist", "stats.quantile_test", "stats.ranksums"),
    # tests/scipy_interpolate
    *("interpolate.barycentric_interpolate", "interpolate.interp2d", "interpolate.krogh_interpolate"),
    "interpolate.pchip_interpolate",
    # tests/scipy_optimize
    *("optimize.OptimizeResult", "optimize.bisect", "optimize.bracket", "optimize.brent", "optimize.brenth"),
    *("optimize.brentq", "optimize.brute", "optimize.fminbound", "optimize.golden", "optimize.ridder"),
    *("optimize.minimize_scalar", "optimize.root_scalar", "optimize.toms748"),
}


@pytest.fixture
def x():
    return gpunp.asarray(HOST)


def test_generic_functions_are_those_that_were_called():
    listed = {f"{module}.{name}" for module, names in decisions.GENERIC.items() for name in names}
    called = {f"scipy.{path}" for path in CALLS | BEYOND | UNLISTED} | {f"scipy.{path}" for path in OBJECTS}
    # `signal` also has the function of `signal.windows`.
    called.add("scipy.signal.get_window")
    assert listed - called == set()
    rest = {path.rpartition(".")[::2] for path in called - listed}
    assert {(module, name) for module, name in rest if name not in native(module)[1]} == set()


def test_tables_name_what_exists():
    for module, names in decisions.GENERIC.items():
        assert names <= set(public(MODULES[module])), module
    for path in decisions.HOST:
        module, _, name = path.rpartition(".")
        assert name == "*" or name in public(MODULES[module]), path


def test_no_function_has_two_decisions():
    for path in decisions.HOST:
        module, _, name = path.rpartition(".")
        assert not decisions.is_generic(module, name), path


@pytest.mark.parametrize("module", SCIPY)
def test_every_function_is_hooked_or_generic(module):
    for name, value in public(MODULES[module]).items():
        for function in objects(value):
            expected = not decisions.is_generic(module, name) or name in native(module)[1]
            if hooks.is_hooked(function) != expected:
                # Public in another module, where it is generic.
                assert any(
                    value is public(MODULES[other]).get(name)
                    for other, names in decisions.GENERIC.items()
                    if name in names
                ), f"{module}.{name}"


REFUSED = {
    "scipy.interpolate.splrep: it is FITPACK's": lambda x: interpolate.splrep(x, x),
    "scipy.interpolate.UnivariateSpline: it is FITPACK's": lambda x: interpolate.UnivariateSpline(x, x),
    "scipy.linalg.schur: the Schur": lambda x: linalg.schur(x[:, None] * x),
    "scipy.linalg.get_blas_funcs: it concerns BLAS": lambda x: linalg.get_blas_funcs(("gemm",), (x,)),
    "scipy.optimize.linprog: HiGHS": lambda x: optimize.linprog(x),
    "scipy.signal.place_poles: it places poles": lambda x: signal.place_poles(np.eye(2), x[:, None], x),
    "scipy.sparse.lil_array: its rows or items": lambda x: sparse.lil_array(x[:, None]),
    "scipy.sparse.dok_array: its rows or items": lambda x: sparse.dok_array(x[:, None]),
    "scipy.spatial.ConvexHull: Qhull": lambda x: spatial.ConvexHull(x.reshape(2, 2)),
    "scipy.stats.mstats.hdquantiles: masked": lambda x: stats.mstats.hdquantiles(x),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message, x):
    with pytest.raises(TypeError, match=rf"gpunp does not handle {message}.*gpunp\.asnumpy.*fallback"):
        REFUSED[message](x)


def test_tried(x):
    # What happens to functions without a decision: SciPy's code runs, and fails here.
    tried = handlers.Unhandled(interpolate.splrep, "scipy.splrep")
    with pytest.raises(TypeError, match=r"gpunp does not handle scipy\.splrep\. Convert") as error:
        tried(x, x)
    assert isinstance(error.value.__cause__, TypeError)


def test_objects_that_are_functions(x):
    expected = special.sph_harm_y(1, 0, HOST, 0.5)
    with gpunp.config.using(fallback="numpy"):
        np.testing.assert_allclose(special.sph_harm_y(1, 0, x, 0.5).get(), expected, rtol=1e-13)
    with gpunp_scipy.disabled(), pytest.raises(TypeError, match="Implicit conversion"):
        special.sph_harm_y(1, 0, x, 0.5)
    if "sph_harm_y" not in native("scipy.special")[1]:
        with pytest.raises(TypeError, match=r"gpunp does not handle scipy\.special\.sph_harm_y\."):
            special.sph_harm_y(1, 0, x, 0.5)


def test_a_method_of_an_object_on_the_host(x):
    spline = interpolate.UnivariateSpline(HOST.cumsum(), HOST)
    with pytest.raises(TypeError, match=r"not handle scipy\.interpolate\.\w+\.__call__: it is FITPACK"):
        spline(x)
    with gpunp.config.using(fallback="numpy"):
        assert type(spline(x)) is gpunp.ndarray
    np.testing.assert_array_equal(spline(HOST), spline(HOST.tolist()))


def test_errors_of_the_program_stay(x):
    with pytest.raises(TypeError, match="unexpected keyword argument 'no_such'"):
        linalg.hessenberg(x, no_such=1)
    with pytest.raises(ValueError, match="square"):
        linalg.hessenberg(np.ones((2, 3)), x.max() > 0)


def test_callbacks_may_have_device_arrays(x):
    def residual(p, data):
        return float(((p[0] - data) ** 2).sum())

    found = optimize.minimize(residual, np.zeros(1), args=(x,), method="Nelder-Mead")
    assert found.x[0] == pytest.approx(HOST.mean(), abs=1e-3)
    assert integrate.quad(lambda t, data: float(data.sum()) * t, 0, 1, args=(x,))[0] == pytest.approx(7.5)


def test_scalars_of_the_device_are_numbers(x):
    poles = signal.butter(3, x.max() / 16)[1]
    assert isinstance(poles, np.ndarray)
    np.testing.assert_array_equal(poles, signal.butter(3, 0.5)[1])
    assert isinstance(stats.norm.pdf(HOST, x.max()), np.ndarray)


def test_fallback(x, device):
    matrix = x[:, None] * x + gpunp.eye(4)
    with gpunp.config.using(fallback="numpy"):
        t, z = linalg.schur(matrix)
        assert t.device == device
        np.testing.assert_allclose(gpunp.asnumpy(z @ t @ z.T), gpunp.asnumpy(matrix), atol=1e-12)
        np.testing.assert_allclose(stats.norm.pdf(x).get(), stats.norm.pdf(HOST))
        spline = interpolate.UnivariateSpline(gpunp.arange(4.0), x)
    np.testing.assert_allclose(spline(1.5), interpolate.UnivariateSpline(np.arange(4.0), HOST)(1.5))
    with (
        gpunp.config.using(fallback="warn"),
        pytest.warns(gpunp.FallbackWarning, match=r"scipy\.linalg\.schur: it runs on host copies"),
    ):
        linalg.schur(matrix)


def test_disabled_leaves_the_error_to_scipy(x):
    with gpunp_scipy.disabled(), pytest.raises(TypeError, match="Implicit conversion"):
        interpolate.splrep(x, x)


def test_host_calls_stay():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stats.norm.pdf(0.0) == pytest.approx(0.3989422804014327)
        assert interpolate.CubicSpline([0.0, 1, 2], [1.0, 2, 4])(0.5) == pytest.approx(1.375)
    assert list(inspect.signature(stats.norm.pdf).parameters) == ["x", "args", "kwds"]
    assert not sparse.issparse(gpunp.zeros(3))


def test_linear_operator(x, device):
    from scipy.sparse.linalg import aslinearoperator

    product = aslinearoperator(x[:, None] * x) @ x
    assert product.device == device
    np.testing.assert_allclose(product.get(), np.outer(HOST, HOST) @ HOST)

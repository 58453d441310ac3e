"""Initial value problems on the device, compared with SciPy on the host."""

import numpy as np
import pytest
import scipy.integrate
from scipy.integrate import solve_ivp
from solvers import Waits, assert_same_result, host

import gpunp

METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF")
methods = pytest.mark.parametrize("method", METHODS)
START = np.array([10.0, 5.0])


def predators(t, y):
    return np.stack([1.5 * y[0] - y[0] * y[1], -3 * y[1] + y[0] * y[1]])


def robertson(t, y):
    slow, fast, fastest = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.stack([fast - slow, slow - fast - fastest, fastest])


def oscillator(t, y, stiffness=50.0):
    return np.stack([y[1], stiffness * (1 - y[0] ** 2) * y[1] - y[0]])


def of_oscillator(t, y, stiffness=50.0):
    zero = 0 * y[0]
    return np.stack(
        [
            np.stack([zero, zero + 1]),
            np.stack([-2 * stiffness * y[0] * y[1] - 1, stiffness * (1 - y[0] ** 2)]),
        ]
    )


def compare(fun, span, start, within=1e-7, **options):
    """Solve on the host and on the device; return the solution on the device."""
    expected = solve_ivp(fun, span, start, **options)
    actual = solve_ivp(fun, span, gpunp.asarray(start), **options)
    assert isinstance(actual.y, gpunp.ndarray)
    assert isinstance(actual.t, gpunp.ndarray)
    exact = ("nfev", "njev", "nlu", "status", "message", "success")
    assert_same_result(actual, expected, fields=("t", "y"), exact=exact, rtol=1e-6, atol=within)
    return actual, expected


@methods
def test_every_step(method):
    compare(predators, (0, 5), START, method=method)


@methods
def test_given_times(method):
    actual, _ = compare(predators, (0, 5), START, method=method, t_eval=np.linspace(0, 5, 11))
    on_device = gpunp.asarray(np.linspace(0, 5, 11))
    again = solve_ivp(predators, (0, 5), gpunp.asarray(START), method=method, t_eval=on_device)
    np.testing.assert_array_equal(host(again.y), host(actual.y))


@methods
def test_backwards_with_a_solution(method):
    tolerances = {"rtol": 1e-5, "atol": np.array([1e-7, 1e-6])}
    actual, expected = compare(predators, (5, 0), START, method=method, dense_output=True, **tolerances)
    times = np.array([4.0, 0.3, 0.3, 4.9, 5.0, 0.0])
    for t in (times, gpunp.asarray(times), times[:1].repeat(3), 2.5):
        found = actual.sol(t)
        assert isinstance(found, gpunp.ndarray)
        np.testing.assert_allclose(host(found), expected.sol(host(t)), 1e-6, 1e-7)
    assert isinstance(actual.sol, scipy.integrate.OdeSolution)
    assert isinstance(actual.sol.interpolants[0], scipy.integrate.DenseOutput)


@methods
def test_events(method):
    def falls(t, y):
        return y[0] - 2.0

    def third_rise(t, y):
        return y[0] - 3.0

    falls.direction = -1.0
    third_rise.terminal, third_rise.direction = 2, 1.0
    actual, expected = compare(predators, (0, 9), START, method=method, events=[falls, third_rise])
    for one, other in zip(
        actual.t_events + actual.y_events, expected.t_events + expected.y_events, strict=True
    ):
        assert isinstance(one, gpunp.ndarray)
        np.testing.assert_allclose(host(one), other, 1e-6, 1e-7)
    assert actual.status == 1
    # Without a list, and an event that never happens.
    compare(predators, (0, 1), START, method=method, events=lambda t, y: y[0] + 1.0)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "BDF"])
def test_complex_states(method):
    compare(lambda t, y: 1j * y, (0, 5), np.array([1 + 0j, 2j]), method=method)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_stiff_systems(method):
    compare(robertson, (0, 1e2), np.array([1.0, 0, 0]), within=1e-4, method=method)
    options = {"method": method, "args": (40.0,)}
    compare(oscillator, (0, 12), np.array([2.0, 0]), jac=of_oscillator, within=1e-5, **options)
    compare(lambda t, y: -y, (0, 2), np.array([2.0, 0]), method=method, vectorized=True)


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_constant_jacobians(method):
    matrix = np.array([[-3.0, 1.0], [0.5, -20.0]])
    on_device = gpunp.asarray(matrix)
    expected = solve_ivp(lambda t, y: matrix @ y, (0, 2), START, method=method, jac=matrix)
    for jac in (matrix, on_device):
        found = solve_ivp(lambda t, y: on_device @ y, (0, 2), gpunp.asarray(START), method=method, jac=jac)
        np.testing.assert_allclose(host(found.y), expected.y, 1e-7)
        assert (found.nfev, found.njev, found.nlu) == (expected.nfev, expected.njev, expected.nlu)


def test_derivatives_may_be_lists_or_on_the_host():
    expected = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1), [1.0, 0.0])
    for fun in (lambda t, y: [y[1], -y[0]], lambda t, y: np.array([float(y[1]), -float(y[0])])):
        found = solve_ivp(fun, (0, 1), gpunp.asarray([1.0, 0.0]))
        assert isinstance(found.y, gpunp.ndarray)
        np.testing.assert_allclose(host(found.y), expected.y, 1e-9)


def test_options():
    compare(predators, (0, 1), START, first_step=0.01, max_step=0.05)
    compare(predators, (0, 1), START, args=None, rtol=np.array([1e-4, 1e-5]))
    compare(lambda t, y, a, b: a * y + b, (0, 1), START, args=(0.5, -1.0))
    compare(predators, (0, 0), START)
    compare(lambda t, y: y, (0, 1), np.zeros(0), dense_output=False)
    with pytest.warns(UserWarning, match="`rtol` is too small"):
        solve_ivp(predators, (0, 0.01), gpunp.asarray(START), rtol=1e-20)
    with pytest.warns(UserWarning, match="have no effect"):
        solve_ivp(predators, (0, 0.01), gpunp.asarray(START), jac=None, nothing=1)


def test_no_given_time_is_reached():
    def at_once(t, y):
        return y[0] - 9.9

    at_once.terminal = True
    found = solve_ivp(predators, (0, 5), gpunp.asarray(START), t_eval=[4.0, 5.0], events=at_once)
    assert (found.t, found.y, found.status) == ([], [], 1)


def test_failing_steps():
    # The solution grows without bounds at t = 1.
    with np.errstate(all="ignore"):
        expected = solve_ivp(lambda t, y: y**2, (0, 2), [1.0])
        found = solve_ivp(lambda t, y: y**2, (0, 2), gpunp.asarray([1.0]))
    assert (found.status, found.success, found.message) == (-1, False, expected.message)
    np.testing.assert_allclose(host(found.t)[-1], expected.t[-1], 1e-6)


@pytest.mark.parametrize(
    ("error", "match", "start", "options"),
    [
        (ValueError, "must be 1-dimensional", np.ones((2, 2)), {}),
        (ValueError, "must be finite", np.array([1.0, np.nan]), {}),
        (ValueError, "complex domain", np.array([1j, 1]), {"method": "Radau"}),
        (ValueError, "`method` must be one of", START, {"method": "Euler"}),
        (ValueError, "not within `t_span`", START, {"t_eval": np.array([2.0])}),
        (ValueError, "not properly sorted", START, {"t_eval": np.array([0.5, 0.25])}),
        (ValueError, "`atol` must be positive", START, {"atol": -1.0}),
        (ValueError, "`atol` has wrong shape", START, {"atol": np.ones(3)}),
        (ValueError, "`max_step` must be positive", START, {"max_step": -1}),
        (ValueError, "`first_step` exceeds bounds", START, {"first_step": 3}),
        (ValueError, "`jac` is expected to have shape", START, {"jac": np.ones((3, 3)), "method": "BDF"}),
        (TypeError, "cannot be unpacked", START, {"args": 3}),
    ],
)
def test_errors(error, match, start, options):
    for y0 in (start, gpunp.asarray(start)):
        with pytest.raises(error, match=match):
            solve_ivp(predators, (0, 1), y0, **options)


def test_what_stays_on_the_host():
    start = gpunp.asarray(START)
    sparse = scipy.sparse.eye_array(2)
    with pytest.raises(TypeError, match="ODEPACK"):
        solve_ivp(predators, (0, 1), start, method="LSODA")
    with pytest.raises(TypeError, match="ODEPACK"):
        scipy.integrate.LSODA(predators, 0, start, 1)
    with pytest.raises(TypeError, match="SuperLU"):
        solve_ivp(predators, (0, 1), start, method="BDF", jac_sparsity=sparse)
    for jac in (sparse, lambda t, y: sparse):
        with pytest.raises(TypeError, match="SuperLU"):
            solve_ivp(predators, (0, 1), start, method="Radau", jac=jac)
    with pytest.raises(TypeError, match="ODEPACK"):
        scipy.integrate.odeint(lambda y, t: -y, start, np.linspace(0, 1, 3))
    with pytest.raises(TypeError, match="ODEPACK"):
        scipy.integrate.ode(predators).set_initial_value(start)
    with pytest.raises(TypeError, match="SuperLU"):
        scipy.integrate.solve_bvp(predators, predators, start, gpunp.ones((2, 2)))
    # Scalars of the device are numbers.
    assert scipy.integrate.quad(lambda x: x, 0.0, gpunp.asarray([1.0, 2.0]).max())[0] == pytest.approx(2.0)


@methods
def test_solver_classes(method):
    cls = getattr(scipy.integrate, method)
    host_solver, solver = cls(predators, 0, START, 1), cls(predators, 0, gpunp.asarray(START), 1)
    assert isinstance(solver, cls)
    assert isinstance(solver, scipy.integrate.OdeSolver)
    assert type(solver).__name__ == method
    while solver.status == "running":
        host_solver.step()
        solver.step()
        middle = (solver.t + solver.t_old) / 2
        np.testing.assert_allclose(
            host(solver.dense_output()(middle)), host_solver.dense_output()(middle), 1e-6
        )
    assert isinstance(solver.y, gpunp.ndarray)
    np.testing.assert_allclose(host(solver.y), host_solver.y, 1e-6)
    assert (solver.t, solver.nfev) == (pytest.approx(host_solver.t), host_solver.nfev)
    with pytest.raises(RuntimeError, match="failed or finished"):
        solver.step()
    by_class = solve_ivp(predators, (0, 1), gpunp.asarray(START), method=cls)
    np.testing.assert_allclose(host(by_class.y[:, -1]), host_solver.y, 1e-6)


class Euler(scipy.integrate.OdeSolver):
    """A solver of a user."""

    def __init__(self, fun, t0, y0, t_bound, vectorized=False, **options):
        super().__init__(fun, t0, y0, t_bound, vectorized)

    def _step_impl(self):
        step = min(0.125, self.t_bound - self.t)
        self.y = self.y + step * self.fun(self.t, self.y)
        self.t += step
        return True, None

    def _dense_output_impl(self):
        raise NotImplementedError


class Limited(scipy.integrate.RK45):
    """A solver derived from one of SciPy's."""

    def __init__(self, fun, t0, y0, t_bound, **options):
        super().__init__(fun, t0, y0, t_bound, **{**options, "max_step": 0.25})


@pytest.mark.parametrize("cls", [Euler, Limited])
def test_solver_classes_of_users(cls):
    actual, _ = compare(predators, (0, 1), START, method=cls)
    assert isinstance(cls(predators, 0, gpunp.asarray(START), 1), cls)
    assert actual.t.size > 4


def test_solutions_of_the_host_at_times_on_the_device():
    expected = solve_ivp(predators, (0, 1), START, dense_output=True).sol
    times = np.array([0.75, 0.0, 0.5])
    for evaluate in (expected, expected.interpolants[0]):
        found = evaluate(gpunp.asarray(times))
        assert isinstance(found, gpunp.ndarray)
        np.testing.assert_array_equal(host(found), evaluate(times))


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853"])
def test_explicit_steps_wait_once(method, device):
    class Counted(getattr(scipy.integrate, method)):
        attempts = 0

        def _estimate_error_norm(self, K, h, scale):
            Counted.attempts += 1
            return super()._estimate_error_norm(K, h, scale)

    with Waits(device) as waits:
        found = solve_ivp(predators, (0, 5), gpunp.asarray(START), method=Counted)
    assert Counted.attempts >= found.t.size - 1
    # To begin with, four more: whether the state is finite, and three norms for the first step.
    assert waits.count <= Counted.attempts + 4


@pytest.mark.parametrize("method", ["BDF", "Radau"])
@pytest.mark.parametrize(
    ("fun", "span", "start"), [(robertson, (0, 1e2), [1.0, 0, 0]), (predators, (0, 5), START)]
)
def test_steps_of_implicit_methods_wait_once_for_all_iterations(
    method, fun, span, start, device, monkeypatch
):
    from gpunp_scipy.integrate import steps

    tries, further, evaluations = 0, 0, 0

    def counted(iterations, tol, limit, ahead):
        nonlocal tries, further
        found = newton(iterations, tol, limit, ahead)
        tries, further = tries + 1, further + max(found[1] - ahead, 0)
        return found

    def derivative(t, y):
        nonlocal evaluations
        evaluations += y.ndim == 1
        return fun(t, y)

    newton = steps.newton
    monkeypatch.setattr(steps, "newton", counted)
    with Waits(device) as waits:
        found = solve_ivp(derivative, span, gpunp.asarray(start), method=method)
    assert tries >= found.t.size - 1
    # Few steps take more iterations than the one before. Jacobians look at their differences, and the start
    # waits four times. The second error of a rejected step of Radau waits as well.
    assert further < tries / 2
    assert waits.count <= tries + further + found.njev + 4 + (method == "Radau")
    # Evaluations that turn out not to be needed are not counted, nor are those for Jacobians.
    assert found.nfev <= evaluations - found.njev * len(start) < 1.2 * found.nfev

"""Responses of linear systems to inputs on the device, against SciPy."""

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, both, compare

import gpunp
from gpunp_scipy import signal
from gpunp_scipy.signal.state_recursion import states

BUTTER = scipy.signal.butter(3, 2.0, analog=True)
SPACE = (
    np.array([[-0.5, 1.0, 0.0], [-1.0, -0.5, 0.25], [0.0, 0.0, -2.0]]),
    np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]),
    np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]]),
    np.array([[0.0, 0.5], [0.25, 0.0]]),
)
SISO = (np.array([[-1.0, 0.5], [0.0, -2.0]]), np.ones((2, 1)), np.array([[1.0, 0.0]]), np.array([[0.5]]))
ZEROS = (np.array([-1.0]), np.array([-0.5, -2.0]), 3.0)
DIGITAL = (*scipy.signal.butter(3, 0.2), 0.5)
DIGITAL_SPACE = (*(np.array(each) / 4 for each in SPACE), 0.1)
STATE = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 1000, 5000])
def test_states(count, rng):
    matrix = rng.normal(size=(3, 3)) / 3
    start, forced = rng.normal(size=3), rng.normal(size=(count, 3))
    expected = [start]
    for row in forced:
        expected.append(expected[-1] @ matrix + row)
    found = states(matrix, gpunp.asarray(start), count, gpunp.asarray(forced))
    assert_close(found, np.array(expected), 1e-13)
    free = states(matrix, gpunp.asarray(start), count)
    assert_close(free, np.array([start @ np.linalg.matrix_power(matrix, k) for k in range(count + 1)]), 1e-13)


def test_states_that_grow_beyond_all_numbers():
    found = states(np.array([[1e40, 0.0], [0.0, 0.5]]), gpunp.asarray([0.0, 1.0]), 200).get()
    assert not found[:, 0].any()
    np.testing.assert_allclose(found[:, 1], 0.5 ** np.arange(201))


@pytest.mark.parametrize("system", [BUTTER, ZEROS, SPACE], ids=["ba", "zpk", "space"])
@pytest.mark.parametrize("interp", [True, False])
def test_lsim(system, interp, rng):
    T = np.arange(300) * 0.05
    U = rng.normal(size=(300, 2) if system is SPACE else 300)
    compare(*both("lsim"), system, U, T, interp=interp)
    compare(*both("lsim"), system, U, T + 0.25, np.arange(2.0 if system is ZEROS else 3.0), interp=interp)
    compare(*both("lsim"), system, None, T, np.arange(2.0 if system is ZEROS else 3.0), interp=interp)


def test_lsim_refuses():
    T, U = np.arange(9.0), np.ones(9)
    compare(*both("lsim"), BUTTER, U, T**2)
    compare(*both("lsim"), BUTTER, U[1:], T)
    compare(*both("lsim"), BUTTER, U, T - 1)
    compare(*both("lsim"), BUTTER, U, np.ones((2, 2)))
    compare(*both("lsim"), SPACE, np.ones((9, 3)), T)
    compare(*both("lsim"), BUTTER, U[:1], T[:1])
    compare(*both("lsim"), BUTTER, U[:0], T[:0])
    compare(*both("lsim"), scipy.signal.dlti(*DIGITAL[:2]), U, T)


@pytest.mark.parametrize("name", ["impulse", "step"])
def test_responses(name):
    T = np.linspace(0, 5, 40)
    for system in (BUTTER, ZEROS):
        compare(*both(name), system, T=T)
        assert_close(getattr(signal, name)(gpunp_system(system), N=30), both(name)[1](system, N=30))
    compare(*both(name), BUTTER, STATE, T)


def gpunp_system(system):
    return tuple(gpunp.asarray(each) for each in system)


@pytest.mark.parametrize("name", ["freqresp", "bode"])
def test_frequency_responses(name):
    w = np.geomspace(0.01, 50, 60)
    for system in (BUTTER, ZEROS, SISO):
        compare(*both(name), system, w)
        assert_close(getattr(signal, name)(gpunp_system(system), n=20), both(name)[1](system, n=20))
    compare(*both(name), SPACE, w)
    compare(*both(name), scipy.signal.dlti(*DIGITAL[:2]), w)


@pytest.mark.parametrize("system", [DIGITAL, DIGITAL_SPACE], ids=["ba", "space"])
def test_dlsim(system, rng):
    inputs = 2 if system is DIGITAL_SPACE else 1
    u, t = rng.normal(size=(200, inputs)), np.arange(200) * system[-1]
    compare(*both("dlsim"), system, u)
    compare(*both("dlsim"), system, u, x0=STATE)
    compare(*both("dlsim"), system, u[::10].copy(), t[::10].copy(), STATE)
    compare(*both("dlsim"), system, u[:9].copy(), t)
    compare(*both("dlsim"), scipy.signal.lti(*BUTTER), u)


@pytest.mark.parametrize("name", ["dimpulse", "dstep"])
def test_discrete_responses(name):
    t = np.arange(50) * 0.5
    for system in (DIGITAL, DIGITAL_SPACE):
        device_system = tuple(gpunp.asarray(each) if np.ndim(each) else each for each in system)
        assert_close(getattr(signal, name)(device_system), both(name)[1](system))
        assert_close(getattr(signal, name)(device_system, n=20), both(name)[1](system, n=20))
        compare(*both(name), system, x0=STATE, t=t)


@pytest.mark.parametrize("name", ["dfreqresp", "dbode"])
def test_discrete_frequency_responses(name):
    w = np.linspace(0.01, 3, 30)
    systems = (
        DIGITAL,
        (*scipy.signal.butter(3, 0.2, output="zpk"), 0.5),
        (*(each / 4 for each in SISO), 0.5),
    )
    for system in systems:
        compare(*both(name), system, w)
        device_system = tuple(gpunp.asarray(each) if np.ndim(each) else each for each in system)
        assert_close(getattr(signal, name)(device_system, n=20), both(name)[1](system, n=20))


def test_objects(rng):
    """Systems that SciPy's classes make of coefficients on the device have them on the host."""
    U, T = rng.normal(size=100), np.arange(100) * 0.1
    for system in (BUTTER, ZEROS, SISO):
        ours = scipy.signal.lti(*gpunp_system(system[:2]), *system[2:])
        theirs = scipy.signal.lti(*system)
        assert type(ours) is type(theirs)
        assert_close(ours.output(gpunp.asarray(U), gpunp.asarray(T)), theirs.output(U, T))
        assert_close(ours.impulse(T=gpunp.asarray(T)), theirs.impulse(T=T))
        assert_close(ours.step(T=gpunp.asarray(T)), theirs.step(T=T))
        assert_close(ours.bode(gpunp.asarray(T[1:])), theirs.bode(T[1:]))
    digital = scipy.signal.dlti(*DIGITAL[:2], dt=0.5)
    assert_close(digital.output(gpunp.asarray(U), None), digital.output(U, None))
    assert_close(digital.impulse(t=gpunp.asarray(T * 5)), digital.impulse(t=T * 5))


def test_responses_at_frequencies_on_the_device():
    """With coefficients on the host, in arrays and lists."""
    w = np.linspace(0.1, 3, 20)
    zeros, poles, gain = scipy.signal.butter(3, 0.2, output="zpk")
    sections = scipy.signal.butter(4, 0.3, output="sos")
    for name, args in (
        ("freqs", BUTTER),
        ("freqs", ([1.0], [1.0, 2.0])),
        ("freqs_zpk", (zeros, poles, gain)),
        ("freqz", DIGITAL[:2]),
        ("freqz", ([1.0, 0.5],)),
        ("freqz_zpk", (zeros, poles, gain)),
        ("freqz_sos", (sections,)),
        ("group_delay", (DIGITAL[:2],)),
        ("group_delay", ((1, 1),)),
    ):
        function = getattr(scipy.signal, name)
        option = "w" if name == "group_delay" else "worN"
        assert_close(function(*args, **{option: gpunp.asarray(w)}), function(*args, **{option: w}))
        compare(*both(name), *args, **{option: 16})


@pytest.mark.parametrize("numerator", [1, [1.0, 0.5]])
def test_group_delay_with_a_scalar_of_the_device(numerator, device):
    w, delay = scipy.signal.group_delay((numerator, gpunp.asarray(2.0)), w=16)
    expected = scipy.signal.group_delay((numerator, 2.0), w=16)
    assert type(delay) is gpunp.ndarray
    assert_close(w, expected[0])
    assert_close(delay, expected[1])


@pytest.mark.parametrize("options", [{"w": 9}, {"w": np.array([0, 0.5, np.pi])}])
def test_group_delay_warns_of_singular_frequencies(options):
    """Which the warning names."""
    system = [1.0, 0, -1], [1.0]
    singular = "The group delay is singular at frequencies"
    with pytest.warns(UserWarning, match=singular), np.errstate(all="ignore"):
        expected = scipy.signal.group_delay(system, **options)
    with pytest.warns(UserWarning, match=singular):
        found = scipy.signal.group_delay((gpunp.asarray(system[0]), system[1]), **options)
    assert_close(found, expected)

"""Responses of linear systems. Their coefficients stay on the host; inputs, times and responses do not."""

import math

import numpy
import scipy.linalg
import scipy.signal
from scipy.signal import StateSpace, TransferFunction, dlti, lti

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.signal.design import on_host
from gpunp_scipy.signal.state_recursion import states


def _device(system, *arrays):
    """The device of the arrays, or of the coefficients of a system."""
    return device_of(*arrays, *(system if isinstance(system, tuple | list) else ()), nested=True)


def _continuous(system, name):
    """A system in continuous time from what SciPy's functions take."""
    if isinstance(system, dlti):
        raise AttributeError(f"{name} can only be used with continuous-time systems.")
    return system if isinstance(system, lti) else lti(*on_host(tuple(system)))


def _discrete(system, name):
    """A system in discrete time from what SciPy's functions take."""
    if isinstance(system, lti):
        raise AttributeError(f"{name} can only be used with discrete-time dlti systems.")
    if isinstance(system, dlti):
        return system
    *coefficients, step = on_host(tuple(system))
    return dlti(*coefficients, dt=step)


def _array(values, device, least=0):
    """A device array of at least so many dimensions."""
    values = gpunp.asarray(values, device=device)
    return values.reshape(-1) if least and values.ndim == 0 else values


def _start(state, count, dtype, device):
    """The first state, zero for None."""
    if state is None:
        return gpunp.zeros(count, dtype, device=device)
    start = gpunp.empty(count, dtype, device=device)
    start[...] = _array(state, device)
    return start


def lsim(system, U, T, X0=None, interp=True):
    """Simulate a continuous-time linear system; see `scipy.signal.lsim`.

    Many steps are computed in one product with powers of the matrix exponential, instead of one after the
    other.
    """
    device = _device(system, U, T, X0)
    space = _continuous(system, "lsim")._as_ss()
    T = _array(T, device, least=1)
    if T.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    if T.size == 0:
        raise IndexError("lsim: T has no times; give at least one")
    A, B, C, D = (numpy.asarray(each) for each in (space.A, space.B, space.C, space.D))
    device = T.device
    start = _start(X0, len(A), A.dtype, device)
    first, *second = T[:2].tolist()
    if first < 0:
        raise ValueError("Initial time must be nonnegative")
    if first > 0:
        start = start @ gpunp.asarray(scipy.linalg.expm(A.T * first), device=device)
    if U is not None:
        U = _array(U, device, least=1)
        U = U if numpy.any(U) else None
    outputs = gpunp.asarray(C.T, device=device)
    through = gpunp.asarray(D.T, device=device)
    if not second:
        found = start[None]
        y = numpy.squeeze(found @ outputs)
        return T, y if U is None else y + numpy.squeeze(U @ through), numpy.squeeze(found)
    step = second[0] - first
    if not numpy.allclose(numpy.diff(T), step):
        raise ValueError("Time steps are not equally spaced.")
    if U is None:
        found = states(scipy.linalg.expm(A.T * step), start, T.size - 1)
        return T, numpy.squeeze(found @ outputs), numpy.squeeze(found)
    U = U[:, None] if U.ndim == 1 else U
    if U.shape[0] != T.size:
        raise ValueError("U must have the same number of rows as elements in T.")
    if U.shape[1] != B.shape[1]:
        raise ValueError("System does not define that many inputs.")
    matrix, forced = _held(A, B, U, step) if not interp else _interpolated(A, B, U, step)
    found = states(matrix, start, T.size - 1, forced.astype(A.dtype, copy=False))
    return T, numpy.squeeze(found @ outputs) + numpy.squeeze(U @ through), numpy.squeeze(found)


def _held(A, B, U, step):
    """The matrix of a step, and what inputs add that are constant between steps."""
    n, inputs = B.shape
    generator = numpy.zeros((n + inputs, n + inputs), A.dtype)
    generator[:n] = numpy.hstack([A, B]) * step
    whole = scipy.linalg.expm(generator.T)
    return whole[:n, :n], U[:-1] @ gpunp.asarray(whole[n:, :n], device=U.device)


def _interpolated(A, B, U, step):
    """The matrix of a step, and what inputs add that are linear between steps."""
    n, inputs = B.shape
    generator = numpy.zeros((n + 2 * inputs, n + 2 * inputs), A.dtype)
    generator[:n, : n + inputs] = numpy.hstack([A, B]) * step
    generator[n : n + inputs, n + inputs :] = numpy.eye(inputs)
    whole = scipy.linalg.expm(generator.T)
    later = whole[n + inputs :, :n]
    earlier = whole[n : n + inputs, :n] - later
    both = gpunp.asarray(numpy.vstack([earlier, later]), device=U.device)
    return whole[:n, :n], numpy.concatenate([U[:-1], U[1:]], axis=1) @ both


def _times(space, T, N, device):
    """Given times, or ``N`` of them until the slowest decay of the system."""
    if T is not None:
        return _array(T, device)
    rate = min(abs(numpy.linalg.eigvals(space.A).real)) or 1.0
    return gpunp.linspace(0.0, 7 / rate, 100 if N is None else N, device=device)


def impulse(system, X0=None, T=None, N=None):
    """Impulse response of a continuous-time system; see `scipy.signal.impulse`."""
    device = _device(system, X0, T)
    space = _continuous(system, "impulse")._as_ss()
    start = _array(space.B, device)
    if X0 is not None:
        start = start + _array(X0, device)
    T = _times(space, T, N, device)
    return T, lsim(space, None, T, numpy.squeeze(start), interp=False)[1]


def step(system, X0=None, T=None, N=None):
    """Step response of a continuous-time system; see `scipy.signal.step`."""
    device = _device(system, X0, T)
    space = _continuous(system, "step")._as_ss()
    T = _times(space, T, N, device)
    inputs = gpunp.ones(T.shape, space.A.dtype, device=T.device)
    return lsim(space, inputs, T, X0=X0, interp=False)[:2]


def freqresp(system, w=None, n=10000):
    """Frequency response of a continuous-time system; see `scipy.signal.freqresp`."""
    device = _device(system, w)
    system = _continuous(system, "freqresp")
    if isinstance(system, StateSpace):
        system = system._as_zpk()
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError("freqresp() requires a SISO (single input, single output) system.")
    if isinstance(system, TransferFunction):
        function, coefficients, kind = scipy.signal.freqs, (system.num.ravel(), system.den), "ba"
    else:
        function, coefficients, kind = scipy.signal.freqs_zpk, (system.zeros, system.poles), "zp"
    if w is None:
        w = scipy.signal.findfreqs(*coefficients, n, kind=kind)
    arrays = [_array(each, device, least=1) for each in coefficients]
    gain = () if kind == "ba" else (_gain(system),)
    return function(*arrays, *gain, worN=_array(w, device, least=1))


def _gain(system):
    """The gain as a number."""
    return numpy.asarray(system.gain).item()


def bode(system, w=None, n=100):
    """Magnitude and phase of a continuous-time system; see `scipy.signal.bode`."""
    w, y = freqresp(system, w=w, n=n)
    return w, 20.0 * numpy.log10(abs(y)), numpy.unwrap(numpy.arctan2(y.imag, y.real)) * 180.0 / math.pi


def dlsim(system, u, t=None, x0=None):
    """Simulate a discrete-time linear system; see `scipy.signal.dlsim`.

    Many steps are computed in one product with powers of the state matrix, instead of one after the other.
    """
    device = _device(system, u, t, x0)
    system = _discrete(system, "dlsim")
    space = system._as_ss()
    u = _array(u, device, least=1)
    device = u.device
    u = u[:, None] if u.ndim == 1 else u
    if t is None:
        count = len(u)
        stop = (count - 1) * space.dt
    else:
        t = _array(t, device, least=1)
        stop = t[-1].item()
        count = math.floor(stop / space.dt) + 1
    times = gpunp.linspace(0.0, stop, count, device=device)
    u = u if t is None else _interpolate(t, u, times)
    # SciPy's results are real.
    A, B, C, D = (numpy.asarray(each).astype(numpy.float64) for each in (space.A, space.B, space.C, space.D))
    start = _start(x0, len(A), A.dtype, device)
    forced = u[: count - 1] @ gpunp.asarray(B.T, device=device)
    found = states(A.T, start, count - 1, forced.astype(A.dtype, copy=False))
    y = found @ gpunp.asarray(C.T, device=device) + u[:count] @ gpunp.asarray(D.T, device=device)
    y = y.astype(numpy.float64, copy=False)
    return (times, y, found) if isinstance(system, StateSpace) else (times, y)


def _interpolate(t, u, times):
    """Inputs at other times, linear between given ones and beyond them."""
    if t.ndim != 1 or t.size != len(u):
        raise ValueError(f"Shapes of t {t.shape} and u {u.shape} are incompatible")
    if t.size < 2:
        raise ValueError("dlsim interpolates inputs between at least 2 times")
    if not numpy.all(t[1:] > t[:-1]):
        raise ValueError("Expect t to be sorted and not to have duplicates.")
    before = numpy.clip(numpy.searchsorted(t, times, side="right") - 1, 0, t.size - 2)
    share = ((times - t[before]) / (t[before + 1] - t[before]))[:, None]
    return u[before] * (1 - share) + u[before + 1] * share


def _responses(system, name, x0, t, n, impulse):
    """The responses to an impulse or a step of each input."""
    device = _device(system, x0, t)
    space = _discrete(system, name)._as_ss()
    if t is None:
        n = 100 if n is None else n
        t = numpy.linspace(0, n * space.dt, n, endpoint=False)
    t = _array(t, device)
    found = []
    for i in range(space.inputs):
        u = gpunp.zeros((t.size, space.inputs), device=t.device)
        u[slice(1) if impulse else slice(None), i] = 1.0
        times, y, _ = dlsim(space, u, t=t, x0=x0)
        found.append(y)
    return times, tuple(found)


def dimpulse(system, x0=None, t=None, n=None):
    """Impulse response of a discrete-time system; see `scipy.signal.dimpulse`."""
    return _responses(system, "dimpulse", x0, t, n, impulse=True)


def dstep(system, x0=None, t=None, n=None):
    """Step response of a discrete-time system; see `scipy.signal.dstep`."""
    return _responses(system, "dstep", x0, t, n, impulse=False)


def dfreqresp(system, w=None, n=10000, whole=False):
    """Frequency response of a discrete-time system; see `scipy.signal.dfreqresp`."""
    device = _device(system, w)
    system = _discrete(system, "dfreqresp")
    if isinstance(system, StateSpace):
        system = system._as_tf()
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError("dfreqresp requires a SISO (single input, single output) system.")
    options = {"worN": n if w is None else _array(w, device), "whole": whole}
    if not isinstance(system, TransferFunction):
        arrays = [_array(each, device, least=1) for each in (system.zeros, system.poles)]
        return scipy.signal.freqz_zpk(*arrays, _gain(system), **options)
    num, den = TransferFunction._z_to_zinv(system.num.ravel(), system.den)
    return scipy.signal.freqz(_array(num, device), _array(den, device), **options)


def dbode(system, w=None, n=100):
    """Magnitude and phase of a discrete-time system; see `scipy.signal.dbode`."""
    w, y = dfreqresp(system, w=w, n=n)
    step = system.dt if isinstance(system, dlti) else on_host(system[-1])
    return w / step, 20.0 * numpy.log10(abs(y)), numpy.rad2deg(numpy.unwrap(numpy.angle(y)))

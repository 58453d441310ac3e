"""Initial value problems: SciPy's solvers with states on the device.

Times, step sizes and orders are numbers of the host; states, stages, Jacobians and their factors are on the
device.
"""

import functools

import scipy.integrate
from gpunp.device import get_device
from scipy.integrate import DenseOutput, OdeSolution, OdeSolver
from scipy.integrate._ivp import bdf, ivp

import gpunp
from gpunp.array.convert import asnumpy, fetched
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks
from gpunp.dispatch.function_protocol import unhandled
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.integrate import steps
from gpunp_scipy.linalg.general_factors import lu_factor, lu_solve
from gpunp_scipy.twins import Twins

_IVP = "scipy.integrate._ivp"
_SPARSE = "sparse Jacobians are factored by SuperLU on the host"
_SOLVERS = tuple(getattr(scipy.integrate, name) for name in ("RK23", "RK45", "DOP853", "Radau", "BDF"))
_LSODA = "ODEPACK steps on the host; RK45, DOP853, Radau and BDF run on the device"


def _active(g, g_new, direction):
    """`find_active_events` with all values of events in one copy."""
    for values in (g, g_new):
        if any(isinstance(value, gpunp.ndarray) for value in values):
            values[:] = asnumpy(
                gpunp.asarray([gpunp.asarray(value).reshape(()) for value in values])
            ).tolist()
    return ivp.find_active_events(g, g_new, direction)


def _located(event, sol, t_old, t):
    """`solve_event_equation` with an event that may return arrays."""
    return ivp.solve_event_equation(lambda time, y: float(event(time, y)), sol, t_old, t)


@functools.cache
def _twins():
    """The modules of ``scipy.integrate._ivp`` for states on the device."""
    states = Numpy("empty zeros empty_like zeros_like identity full diag")
    common = {"norm": steps.norm, "num_jac": steps.num_jac}
    factors = {"lu_factor": functools.partial(lu_factor, check_finite=False), "lu_solve": _solve}
    twins = Twins(
        {
            f"{_IVP}.base": states,
            f"{_IVP}.common": states,
            f"{_IVP}.rk": states,
            f"{_IVP}.radau": states,
            f"{_IVP}.bdf": Numpy("empty identity"),
            f"{_IVP}.ivp": Numpy(),
        },
        {
            f"{_IVP}.base": {"check_arguments": steps.check_arguments},
            f"{_IVP}.common": common,
            f"{_IVP}.rk": {"rk_step": steps.runge_kutta_step},
            f"{_IVP}.radau": {
                "norm": steps.known_norm,
                "solve_collocation_system": steps.solve_collocation_system,
                **factors,
            },
            f"{_IVP}.bdf": {
                "compute_R": bdf.compute_R,
                "norm": steps.known_norm,
                "solve_bdf_system": steps.solve_bdf_system,
                **factors,
            },
            f"{_IVP}.ivp": {"find_active_events": _active, "solve_event_equation": _located},
        },
    )
    rk = twins[f"{_IVP}.rk"]
    rk.RungeKutta._estimate_error = steps.estimate_error
    rk.DOP853._estimate_error_norm = steps.estimate_error_norm_of_order_8
    return twins


@functools.cache
def _module():
    """The twin of `scipy.integrate._ivp.ivp`."""
    found = _twins()[f"{_IVP}.ivp"]
    found.METHODS = {cls.__name__: _device_class(cls.__name__) for cls in _SOLVERS}
    found.BDF = found.METHODS["BDF"]
    found.OdeSolver = OdeSolver
    found.OdeSolution = _solution_class(_twins()[f"{_IVP}.common"].OdeSolution)
    return found


def _solve(factors, b, overwrite_b=False):
    return lu_solve(factors, b, check_finite=False)


def _solution_class(twin):
    """SciPy's class of solutions, for ones on the device."""

    class Solution(twin, OdeSolution):
        def __call__(self, t):
            return twin.__call__(self, fetched(t))

    Solution.__name__ = Solution.__qualname__ = "OdeSolution"
    return Solution


def _refused(self):
    """The error for sparse Jacobians."""
    return unhandled(f"scipy.integrate.{type(self).__name__} with a sparse Jacobian", _SPARSE)


@functools.cache
def _device_class(name):
    """A solver with states on the device; a subclass of SciPy's of that name.

    SciPy's class of the same name is a base, too, so that `isinstance` holds.
    """
    twin = getattr(_twins()[f"{_IVP}.{'rk' if name[0] in 'D' or name[:2] == 'RK' else name.lower()}"], name)

    def validate(self, jac, sparsity):
        if sparsity is not None:
            raise _refused(self)
        jac, J = twin._validate_jac(self, jac, sparsity)
        if hasattr(J, "tocsc"):
            raise _refused(self)
        return jac, J

    def dense(self):
        return _interpolant(twin.dense_output(self))

    members = {"dense_output": dense, "__doc__": twin.__doc__, "__module__": twin.__module__}
    systems = {"BDF": steps.BdfSystems, "Radau": steps.Systems}.get(name)
    if systems is not None:

        def init(self, *args, **kwargs):
            twin.__init__(self, *args, **kwargs)
            self.solve_lu = systems(self, self.solve_lu)

        members["__init__"] = init
    if hasattr(twin, "_validate_jac"):
        members["_validate_jac"] = validate
    return type(name, (twin, getattr(scipy.integrate, name)), members)


@functools.cache
def _interpolant_class(twin):
    class Interpolant(twin, DenseOutput):
        def __call__(self, t):
            return twin.__call__(self, fetched(t))

    Interpolant.__name__ = Interpolant.__qualname__ = twin.__name__
    return Interpolant


def _interpolant(found):
    found.__class__ = _interpolant_class(type(found))
    return found


@functools.cache
def _derived_class(cls):
    """The class for states on the device of a solver of SciPy, or of one that a user derived from it."""
    base = next((each for each in cls.__mro__ if each in _SOLVERS), None)
    if base is None or cls is base:
        return cls if base is None else _device_class(base.__name__)
    return type(cls.__name__, (cls, _device_class(base.__name__)), {"__module__": cls.__module__})


def construct(self, *args, **kwargs):
    """Construct a solver whose state is on the device: SciPy's, or one that is derived from it.

    Raises
    ------
    TypeError
        If the Jacobian is sparse.
    """
    device = device_of(*args, *kwargs.values(), nested=True)
    self.__class__ = cls = _derived_class(type(self))
    solvers = _module().METHODS.values()
    made = next((each for each in cls.__mro__ if each in solvers), _twins()[f"{_IVP}.base"].OdeSolver)
    with device:
        made.__init__(self, *args, **kwargs)


def evaluate(self, t):
    """Evaluate a solution at times on the device, which are copied to the host to find their segments."""
    return gpunp.asarray(hooks.original(OdeSolution.__call__)(self, fetched(t)), device=t.device)


def interpolate(self, t):
    """Evaluate an interpolant of one step at times on the device, which are copied to the host."""
    return gpunp.asarray(hooks.original(DenseOutput.__call__)(self, fetched(t)), device=t.device)


def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    **options,
):
    """Solve an initial value problem for a system of ODEs; see `scipy.integrate.solve_ivp`.

    ``fun``, ``jac`` and events get states on the device; times are numbers. A step waits once for the device,
    for the norm of its error; one of BDF and Radau once more for each Newton iteration beyond those of the
    step before. Events wait once a step more, and for each evaluation while their time is located.
    """
    arrays = (y0, t_eval, *_arrays(t_span), *_arrays(args), *_arrays(options.values()))
    device = device_of(*arrays, nested=True) or get_device()
    module = _module()
    name = method if isinstance(method, str) else getattr(method, "__name__", "")
    if name == "LSODA":
        raise unhandled("method LSODA of scipy.integrate.solve_ivp", _LSODA)
    if isinstance(method, type) and method is getattr(scipy.integrate, name, None):
        method = module.METHODS.get(name, method)
    with device:
        y0 = gpunp.asarray(y0)
        found = module.solve_ivp(
            fun,
            [float(t) for t in t_span],
            y0,
            method,
            None if t_eval is None else fetched(t_eval),
            dense_output,
            events,
            vectorized,
            args,
            **options,
        )
        if len(found.t):
            # Lists, if no given time was reached.
            found.t, found.y = gpunp.asarray(found.t), gpunp.asarray(found.y)
        for name in ("t_events", "y_events"):
            if found[name] is not None:
                found[name] = [gpunp.asarray(each) for each in found[name]]
    return found


def _arrays(values):
    return values if isinstance(values, tuple | list) else ()

"""The report of ``python -m gpunp coverage scipy``: what happens to each public function of SciPy."""

import importlib
import warnings

import numpy

from gpunp.dispatch.coverage import paths as dispatched_paths
from gpunp.dispatch.registry import find_handler
from gpunp.dispatch.ufunc_protocol import find_ufunc
from gpunp.interop._on_import import SCIPY
from gpunp_scipy.routing.decisions import UNROUTED, host_reason, is_generic
from gpunp_scipy.routing.functions import handler_of, native, native_methods, objects, public
from gpunp_scipy.routing.handlers import Route, Unhandled

KINDS = {
    "native": "gpunp_scipy has the function",
    "generic": "SciPy's own code runs on the device",
    "host": "on the host, by decision",
    "not yet": "SciPy's code is tried; where it fails, the error says so",
}


def status(module, name, value):
    """What happens to calls with device arrays.

    Parameters
    ----------
    module, name : str
        The module of SciPy, which was routed, and the name there.
    value : callable
        What the name refers to.

    Returns
    -------
    kind : {"native", "generic", "host", "not yet"}
    reason : str
        For the host, else empty.
    """
    if module in UNROUTED:
        return "host", UNROUTED[module]
    of_classes = {path.partition(".")[0] for path in native_methods(module)}
    if name in native(module)[1] or name in of_classes or _has_protocol(value):
        return "native", ""
    if is_generic(module, name):
        return "generic", ""
    handlers = [handler_of(function) for function in objects(value)]
    if handlers and not isinstance(handlers[0], Route | Unhandled):
        # Public in another module, too.
        return "generic", ""
    if any(isinstance(handler, Route) for handler in handlers):
        return "native", ""
    reason = host_reason(module, name)
    return ("host", reason) if reason else ("not yet", "")


def _has_protocol(value):
    """Whether calls reach gpunp by a protocol of NumPy; SciPy's array API mode wraps ufuncs."""
    value = getattr(value, "__wrapped__", value)
    if isinstance(value, numpy.ufunc):
        return find_ufunc(value) is not None
    return find_handler(value) is not None


def functions():
    """Map the path of each public function and class of the installed SciPy to its status."""
    found = {}
    with warnings.catch_warnings():
        # Of modules that SciPy deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        for module in sorted((*SCIPY, *UNROUTED)):
            try:
                imported = importlib.import_module(module)
            except ImportError:
                # This release has no such module.
                continue
            for name, value in sorted(public(imported).items()):
                found[f"{module}.{name}"] = status(module, name, value)
    return found


# The tests/benchmarks/bench_*.py that times a module.
_BENCHMARKS = {
    "cluster": "spatial",
    "fft": "fft",
    "interpolate": "interpolate",
    "integrate": "scipy_optimize",
    "linalg": "scipy_linalg",
    "stats": "scipy_stats",
    "optimize": "scipy_optimize",
    "ndimage": "ndimage",
    "signal": "signal",
    "sparse": "scipy_sparse",
    "spatial": "spatial",
}


def paths(path):
    """The files behind a function of SciPy that gpunp_scipy has.

    Parameters
    ----------
    path : str
        Such as ``"scipy.ndimage.label"`` or ``"scipy.signal.ShortTimeFFT.stft"``.

    Returns
    -------
    list of tuple of str, or None
        Pairs of a role and a path.
    """
    # "scipy.spatial.distance" rather than "scipy.spatial".
    home = max((each for each in SCIPY if path.startswith(f"{each}.")), key=len, default="scipy.")
    module, name = home.removeprefix("scipy."), path.removeprefix(f"{home}.")
    ours, names = native(f"scipy.{module}")
    if module == "special":
        # `psi` is a name of `digamma`.
        value = getattr(importlib.import_module(ours), name, None)
        return dispatched_paths(f"special.{getattr(value, '__name__', name)}")
    methods = native_methods(f"scipy.{module}")
    # Of a class, where it is initialized.
    method = methods.get(name) or methods.get(f"{name}.__init__")
    if name in names:
        homes = importlib.import_module(ours).HOMES
        topic = next(topic for topic, names in homes.items() if name in names)
    elif method:
        topic = method.partition(".")[0]
    else:
        return None
    source = f"gpunp_scipy/{module.replace('.', '/')}/{topic}.py"
    module = module.partition(".")[0]
    found = [("source", source), ("test", f"tests/scipy_{module}/")]
    if module in _BENCHMARKS:
        found.append(("benchmark", f"tests/benchmarks/bench_{_BENCHMARKS[module]}.py"))
    return found


def report(missing_only=False):
    """Return the text that the coverage command prints for SciPy."""
    import scipy

    found = functions()
    lines = [f"SciPy {scipy.__version__}: {len(found)} public functions and classes"]
    for kind, meaning in KINDS.items():
        paths = [path for path, (of, _) in found.items() if of == kind]
        lines.append(f"{kind}: {len(paths)} ({meaning})")
        if kind == "not yet" or not missing_only:
            lines += [f"  {path}{': ' * bool(found[path][1])}{found[path][1]}" for path in paths]
    return "\n".join(lines)

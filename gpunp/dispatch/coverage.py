"""Reports on what gpunp handles: ``python -m gpunp where`` and ``python -m gpunp coverage``."""

import importlib
import importlib.util

import numpy

from gpunp.array.numpy_internals import umath
from gpunp.dispatch.registry import REGISTRATIONS, find_handler, public_path
from gpunp.dispatch.ufunc_protocol import find_ufunc
from gpunp.ufunc.table import ROWS

# Modules that register overridable functions when they are imported.
_NUMPY_MODULES = (
    "numpy.fft",
    "numpy.linalg",
    "numpy.polynomial",
    "numpy.polynomial.polynomial",
    "numpy.lib.scimath",
    "numpy.lib.stride_tricks",
)
# Functions of dates, a dtype that no device array has.
_OUT_OF_SCOPE = frozenset({"busday_count", "busday_offset", "is_busday", "datetime_as_string"})
# The tests/benchmarks/bench_*.py that times a chapter or one of its modules; others are not timed.
_BENCHMARKS = {
    "fft": "fft",
    "indexing": "indexing",
    "linalg": "linalg",
    "logic/comparison": "logic",
    "manipulation": "manipulation",
    "math/convolution": "statistics",
    "math/cumulative": "scan",
    "math/interpolation": "sets",
    "math/sums": "reduction",
    "random": "random",
    "sets": "sets",
    "sorting": "sorting",
    "statistics": "statistics",
    "statistics/averages": "reduction",
    "statistics/order": "reduction",
}


def overridable_functions():
    """Map public path to function, for every numeric function that arrays may override."""
    from numpy.testing import overrides

    for module in _NUMPY_MODULES:
        importlib.import_module(module)
    found = {}
    for function in overrides.get_overridable_numpy_array_functions():
        path = public_path(function)
        if function.__name__ in _OUT_OF_SCOPE or path.startswith("numpy.lib.recfunctions"):
            continue
        module = importlib.import_module(function.__module__)
        # Skip the internal functions that handle like= of creation functions; they are not public.
        if getattr(module, function.__name__, None) is function:
            found[path] = function
    return found


def overridable_ufuncs():
    """Map name to ufunc, for every ufunc of NumPy that has a loop for numbers."""
    return {
        name: value
        for name, value in vars(umath).items()
        if isinstance(value, numpy.ufunc) and name == value.__name__ and not _is_foreign(value)
    }


def _is_foreign(ufunc):
    """Whether a ufunc has loops for strings, dates or objects only."""
    numeric = set("?bBhHiIlLqQefdFD")
    return not any(set(loop.replace("->", "")) <= numeric for loop in ufunc.types)


def report(missing_only=False):
    """Return the text that the coverage command prints."""
    lines = []
    functions, ufuncs = overridable_functions(), overridable_ufuncs()
    handled = sorted(path for path, function in functions.items() if find_handler(function))
    missing = sorted(set(functions) - set(handled))
    covered = sorted(name for name, ufunc in ufuncs.items() if find_ufunc(ufunc) is not None)
    absent = sorted(set(ufuncs) - set(covered))
    lines.append(f"functions: {len(handled)} of {len(functions)} handled")
    if not missing_only:
        lines += [f"  {path}" for path in handled]
    lines.append(f"functions not handled: {len(missing)}")
    lines += [f"  {path}" for path in missing]
    lines.append(f"ufuncs: {len(covered)} of {len(ufuncs)} handled")
    if not missing_only:
        lines += [f"  {name}" for name in covered]
    if absent:
        lines.append(f"ufuncs not handled: {len(absent)}")
        lines += [f"  {name}" for name in absent]
    return "\n".join(lines)


def paths(name):
    """Return pairs of a role and a path for a public name, or None."""
    name = name.removeprefix("numpy.").removeprefix("np.")
    registration = REGISTRATIONS.get(name)
    if registration is not None:
        return _module_paths(registration)
    namespace, _, plain = name.rpartition(".")
    for row in ROWS:
        if row.name == plain and row.namespace in ("numpy", "scipy.special") and namespace in row.namespace:
            module = "special" if row.namespace == "scipy.special" else row.family
            return [
                ("row", f"gpunp/ufunc/table/{module}.py"),
                ("kernels", f"kernels/include/gpunp/math/ ({row.family} units, generated)"),
                ("test", "tests/ufunc/"),
                ("benchmark", "tests/benchmarks/bench_ufunc.py"),
            ]
    return _paths_in_namespace(name)


def _paths_in_namespace(name):
    """Return the paths of a public function that NumPy does not dispatch, such as ``random.normal``."""
    package = found = importlib.import_module("gpunp")
    for part in name.split("."):
        found = getattr(found, part, None)
    # A class of the top level says that its module is gpunp.
    module = package._namespace.home(name) or getattr(found, "__module__", None) or ""
    if not callable(found) or not module.startswith("gpunp."):
        return None
    stem = module.replace(".", "/").removeprefix("gpunp/")
    spec = importlib.util.find_spec(module)
    folder = stem.rpartition("/")[0]
    if spec.submodule_search_locations:
        # A public class whose module is a package.
        return [("source", f"gpunp/{stem}/"), ("test", f"tests/{stem}/"), *_benchmark(f"{stem}/")]
    suffix = "py" if spec.origin.endswith(".py") else "pyx"
    return [
        ("source", f"gpunp/{stem}.{suffix}"),
        ("test", f"tests/{folder}/" if folder else "tests/"),
        *_benchmark(stem),
    ]


def _module_paths(registration):
    stem = registration.module.replace(".", "/").removeprefix("gpunp/")
    folder, _, topic = stem.rpartition("/")
    return [
        ("handler", f"gpunp/{stem}.py"),
        *(("kernels", f"kernels/{path}") for path in registration.kernels),
        ("test", f"tests/{folder}/test_{topic}.py"),
        *_benchmark(stem),
    ]


def _benchmark(stem):
    name = _BENCHMARKS.get(stem, _BENCHMARKS.get(stem.rpartition("/")[0]))
    return [] if name is None else [("benchmark", f"tests/benchmarks/bench_{name}.py")]

"""Functions of graphs that a GPU has nothing to win with: SciPy's code runs, on the CPU device only."""

from scipy.sparse import csgraph

import gpunp
from gpunp.dispatch.function_protocol import run_on_host
from gpunp_scipy.rebinding import presented
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.csgraph.sharing import shared, wrapped
from gpunp_scipy.sparse.methods import DeviceSparse

_MASKED = "masked arrays are on the host"
_STEP_BY_STEP = "each step of its search depends on the one before"
REASONS = {
    "csgraph_from_masked": _MASKED,
    "csgraph_masked_from_dense": _MASKED,
    "csgraph_to_masked": _MASKED,
    "depth_first_order": _STEP_BY_STEP,
    "depth_first_tree": _STEP_BY_STEP,
    "maximum_bipartite_matching": "it finds augmenting paths one after another",
    "maximum_flow": "it finds augmenting paths one after another",
    "min_weight_full_bipartite_matching": "it finds augmenting paths one after another",
    "structural_rank": "it finds augmenting paths one after another",
    "yen": "it searches for one path after another",
}


def _fetched(value):
    return value.get() if isinstance(value, DeviceSparse) else value


def _upload(value):
    """Results of SciPy whose sparse arrays become device arrays."""
    if isinstance(value, tuple):
        return tuple(map(_upload, value))
    if hasattr(value, "flow_value"):
        value.flow = _upload(value.flow)
    if hasattr(value, "tocsr"):
        kind = "array" if "array" in type(value).__name__ else "matrix"
        return classes.device_class(f"{value.format}_{kind}")(value)
    return value


def _refused(name, reason):
    return TypeError(
        f"scipy.sparse.csgraph.{name} does not search graphs on a GPU: {reason}. Call it with a copy on the "
        f"host, such as {name}(graph.get()), and upload the result; or set gpunp.config.fallback = 'numpy' "
        "to have gpunp do so in every such call."
    )


def _function(name, reason):
    scipys = getattr(csgraph, name)

    def call(*args, **kwargs):
        device = classes.device_of_parts(*args, *kwargs.values())
        with device:
            if device.is_cpu:
                kwargs = {key: shared(value) for key, value in kwargs.items()}
                return wrapped(scipys(*map(shared, args), **kwargs), device)
            if gpunp.config.fallback == "error":
                raise _refused(name, reason)
            kwargs = {key: _fetched(value) for key, value in kwargs.items()}
            args = tuple(map(_fetched, args))
            return _upload(run_on_host(scipys, args, kwargs, device, f"scipy.sparse.csgraph.{name}"))

    return presented(call, scipys, __name__, f"On a GPU it is refused: {reason}.")


for _name, _reason in REASONS.items():
    globals()[_name] = _function(_name, _reason)

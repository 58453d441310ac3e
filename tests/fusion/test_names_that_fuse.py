"""What fuses: for each name, a small program, its deferred calls and the kernels that they become."""

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import trace, worker

COUNT = 5000
RUNS = 4


def masked(x, y):
    out = x * 2
    np.add(x * y, 1, out=out, where=x > y)
    return out


def into(x, y):
    out = np.empty_like(x)
    np.multiply(x, y, out=out)
    return np.add(out, 1, out=out)


def in_place(x, y):
    x *= 0.9
    x += y
    x -= 0.5
    return x


def through_view(x, y):
    view = x[1:-1]
    view *= 0.5
    view += y[1:-1]
    return x


# name: (function, deferred calls, kernels)
CHAINS = {
    "operators": (lambda x, y: (x * y + 1) / y, 3, 1),
    "ufuncs": (lambda x, y: np.exp(-np.sqrt(np.abs(x - y))), 5, 1),
    "methods": (lambda x, y: (x * 2).clip(0, 1).conj() * y, 3, 1),
    "where=": (masked, 4, 1),
    "out=": (into, 2, 1),
    "in place": (in_place, 3, 1),
    "through a view": (through_view, 2, 1),
    "casts": (lambda x, y: (x.astype("f8") * 2).astype("f4") + y, 4, 1),
    "mixed dtypes": (lambda x, y: x * 2 + y.astype("f8"), 3, 1),
    "broadcasting": (lambda x, y: (x.reshape(50, 100) - y[:100]) / y[:50, np.newaxis], 2, 1),
    "slices": (lambda x, y: (x[2:] - 2 * x[1:-1] + x[:-2]) * y[1:-1], 4, 1),
    "where": (lambda x, y: np.where(x > y, x, y * 2), 3, 1),
    "clip": (lambda x, y: np.clip(x * 2 - 1, 0, 1) + y, 4, 1),
    "comparisons": (lambda x, y: (x > y) & (x < 2 * y), 4, 1),
    "complex": (lambda x, y: (x + 1j * y) * (x - 1j * y), 5, 1),
    "half": (lambda x, y: x.astype("f2") * y.astype("f2") + 1, 4, 1),
    "select": (lambda x, y: np.select([x > y, x < 0.5 * y], [x * 2, y * 2], 0), 8, 1),
    "polyval": (lambda x, y: np.polyval([1, 2, 3.0], x * y), 7, 1),
    "round": (lambda x, y: np.round(x * y, 2) + 1, 5, 1),
    "isclose": (lambda x, y: np.isclose(x * 2, y + 1) & (x > 1), 5, 1),
    "isclose of stored arrays": (lambda x, y: np.isclose(x, y, equal_nan=True) | (x > y), 3, 1),
    # Differences of computed elements: those are stored first.
    "gradient": (lambda x, y: np.gradient(x * 2 + y), 4, 2),
    "gradient of a stored array": (lambda x, y: np.gradient(x), 2, 1),
}

# name: function of the chain (x - y)^2, which is two calls; (calls that it adds, arguments of the chain)
REDUCTIONS = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "any": np.any,
    "all": np.all,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "count_nonzero": np.count_nonzero,
    "norm": np.linalg.norm,
    "norm of order 1": lambda a: np.linalg.norm(a, 1),
    "nansum": np.nansum,
    "average": np.average,
    "sum along an axis": lambda a: np.sum(a.reshape(50, -1), axis=0),
    "sum in float64": lambda a: np.sum(a, dtype="f8"),
}

# Calls that are no kernels of chains: the calls before them become one kernel. (function, deferred calls)
ENDS = {
    "dot": (lambda x, y: np.dot(x * 2 + 1, y - 1), 3),
    "@": (lambda x, y: (x * 2 + 1) @ (y - 1), 3),
    "vdot": (lambda x, y: np.vdot(x * 2 + 1, y - 1), 3),
    "inner": (lambda x, y: np.inner(x * 2 + 1, y - 1), 3),
    "vecdot": (lambda x, y: np.vecdot(x * 2 + 1, y - 1), 3),
    "einsum": (lambda x, y: np.einsum("i,i", x * 2 + 1, y - 1), 3),
    "interp": (lambda x, y: np.interp(x * 2 - 1, np.linspace(0, 2, 9), y[:9]), 2),
    "cumsum": (lambda x, y: np.cumsum((x - y) ** 2), 2),
    "sort": (lambda x, y: np.sort((x - y) ** 2), 2),
}


@pytest.fixture(autouse=True)
def deferring():
    """Calls on the arrays of these tests are deferred, but not on the few elements that functions make."""
    before = fusion.set_least_elements(1000)
    yield
    fusion.set_least_elements(before)


def counted(function, mode, device):
    """The bits that a program leaves, and what fusion counts of it."""
    rng = np.random.default_rng(3)
    x, y = (gpunp.asarray(rng.uniform(0.5, 1.5, COUNT).astype("f4")) for _ in range(2))
    with gpunp.config.using(fusion=mode):
        fusion.flush()
        trace.reset_counts(device)
        left = [gpunp.asnumpy(each).tobytes() for each in (function(x, y), x, y)]
        fusion.flush()
        return left, trace.counts_of(device)


def once_compiled(function, device):
    """The counts of a run after its kernels were compiled; its bits are those without fusion."""
    expected, _ = counted(function, "off", device)
    for _ in range(RUNS):
        found, counts = counted(function, "on", device)
        assert found == expected
        assert worker.wait(PATIENCE)
    assert worker.failures() == []
    return counts


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name, device):
    function, calls, kernels = CHAINS[name]
    counts = once_compiled(function, device)
    found = [counts[key] for key in ("recorded", "fused", "groups", "alone", "dropped")]
    assert found == [calls, calls, kernels, 0, 0]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, device):
    counts = once_compiled(lambda x, y: REDUCTIONS[name]((x - y) ** 2), device)
    assert counts["recorded"] == 2
    if device.is_cpu:
        # In blocks, whether the reduction stores its elements or not.
        assert counts["alone"] == 0
    else:
        assert (counts["reductions"], counts["dropped"], counts["fused"]) == (1, 2, 0)


def test_allclose(device):
    counts = once_compiled(lambda x, y: np.allclose(x * 2, y * 2 + 1e-9), device)
    if device.is_cpu:
        assert (counts["recorded"], counts["alone"]) == (4, 0)
    else:
        # The operands, which the call holds, are stored before a pass that ends early.
        assert (counts["recorded"], counts["reductions"]) == (3, 0)


@pytest.mark.parametrize("name", ENDS)
def test_calls_before_other_kernels(name, device):
    function, calls = ENDS[name]
    counts = once_compiled(function, device)
    found = [counts[key] for key in ("recorded", "fused", "groups", "alone", "dropped")]
    assert found == [calls, calls, 1, 0, 0]


def test_covariance(device):
    counts = once_compiled(lambda x, y: np.cov(x * 2, y + 1), device)
    assert counts["fused"] >= 4
    # Few long rows are divided between the blocks of a GPU, which then cannot subtract the means at once.
    assert counts["alone"] <= (0 if device.is_cpu else 1)
    counts = once_compiled(lambda x, y: np.cov(x.reshape(5, -1).astype("f8")), device)
    assert counts["groups"] == 1 or not device.is_cpu

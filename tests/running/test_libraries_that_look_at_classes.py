"""Libraries that tell arrays by their class work with those of a program."""

import inspect
import sys

import numpy as np
import pytest

import gpunp

# By library: statements that make `result`, from arrays of a program on the device.
STATEMENTS = {
    "ot": """
        import ot
        points = np.random.default_rng(0).random((30, 2))
        weights = np.ones(30) / 30
        cost = ot.dist(points, points + 0.5)
        result = ot.emd2(weights, weights, cost), ot.sinkhorn(weights, weights, cost, 0.5).sum()
        result += (ot.wasserstein_1d(points[:, 0], points[:, 1]),)
        """,
    "awkward": """
        import awkward as ak
        x = np.arange(40.0)
        pairs = ak.unflatten(x, np.full(20, 2))
        result = ak.sum(ak.Array(x)), ak.to_numpy(ak.max(ak.from_numpy(x.reshape(4, 10)), axis=1))[2]
        result += (ak.to_numpy(ak.sum(pairs, axis=1))[3], np.sqrt(ak.Array(x))[9])
        """,
    "unyt": """
        import unyt
        q = unyt.unyt_array(np.arange(1.0, 41), "m")
        result = [*(np.ones(40) * q).to("km").value[:3], unyt.unyt_quantity(np.ones(20).sum(), "m").value]
        result += [np.linspace(q[0], q[1], 40).to("cm").value[-1]]
        x = np.zeros(40)
        same = unyt.unyt_array(x, "m")
        same[1], x[2] = 3 * unyt.m, 7.0
        np.add(q, same, out=same)
        result += [*x[:4], *same.value[:4], unyt.unyt_array([x.sum(), 1.0], "m").value[0]]
        """,
    "quantities": """
        import quantities as pq
        q = pq.Quantity(np.arange(1.0, 41), "m")
        result = [*(np.ones(40) * q).rescale("km").magnitude[:3]]
        result += [np.linspace(q[0], q[1], 40).rescale("cm").magnitude[-1]]
        """,
    "astropy": """
        import astropy.units as u
        q = np.arange(1.0, 41) * u.m
        result = [*(np.ones(40) * q).to_value("km")[:3], (q / (2 * u.s)).mean().to_value("km / h")]
        result += [np.linspace(q[0], q[1], 40).to_value("cm")[-1]]
        x, out = np.zeros(40), np.zeros(40) << u.m
        same = u.Quantity(x, "m", copy=False)
        same[1], x[2] = 3 * u.m, 7.0
        np.add(q, same, out=out, where=q > 2 * u.m)
        result += [x[1], same.value[2], *out.value[:4], u.Quantity(x.sum(), "m").value]
        """,
    "control": """
        import control
        system = control.tf(np.ones(1), np.arange(1.0, 15))
        result = [system(1.0).real, (np.full((1, 1), 2.0) * system)(1.0).real]
        result += [control.lqr(np.eye(4), np.eye(4), np.eye(4), np.eye(4))[0][0, 0]]
        """,
    "sparse": """
        import sparse
        x = np.arange(40.0).reshape(8, 5)
        s = sparse.COO.from_numpy(x * (x > 20))
        result = [(x * s).sum(), (s + x)[5, 2], (s @ x.T)[7, 3], np.dot(x.T, s)[2, 2]]
        result += [np.maximum(x, s).sum()]
        """,
    "autograd": """
        import autograd.numpy as anp
        from autograd import elementwise_grad, grad
        x = np.linspace(0, 1, 50)
        W = np.random.RandomState(0).randn(6, 5)
        result = [*grad(lambda x: anp.sum(anp.sin(x) ** 2 * x))(x)[:3]]
        result += [*grad(lambda W: anp.sum(anp.tanh(anp.dot(W, W.T))))(W)[0]]
        result += [*elementwise_grad(anp.tanh)(x)[:3]]
        """,
}


# A library whose arrays take those of NumPy's class and no others, and one whose arrays are of a subclass.
STRICT_LIBRARY = """
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
class Strict(NDArrayOperatorsMixin):
    def __init__(self, values):
        self.values = values
    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if not all(type(each) in (Strict, np.ndarray, float) for each in inputs):
            return NotImplemented
        inputs = [each.values if type(each) is Strict else each for each in inputs]
        return Strict(getattr(ufunc, method)(*inputs, **keywords))
    def __array_function__(self, func, types, args, kwargs):
        if func is not np.dot or not set(types) <= {Strict, np.ndarray}:
            return NotImplemented
        return Strict(np.dot(*(each.values if type(each) is Strict else each for each in args)))
class Length(np.ndarray):
    pass
"""
# Expressions of one of its arrays `s` and an array `x` on the device.
STRICT = [
    "x + s",
    "s - x",
    "x > s",
    "np.hypot(x, s)",
    "np.multiply(s, x)",
    "np.dot(x, s)",
    "np.dot(s, x)",
    "2.0 ** s",
]
STRICT += [
    "np.add.reduce(s)",
    "np.sum([x, s])",
    "np.linalg.norm(x, s)",
    "np.dot(x, s, out=x[:1].reshape(()))",
]


def _outcome(expression, space):
    """The class and the values of an expression, or the class of its error."""
    try:
        found = eval(expression, space)
    except Exception as error:
        return type(error).__name__, None
    return type(found).__name__, getattr(found, "values", found)


@pytest.fixture
def strict_library(tmp_path_factory, monkeypatch):
    """The library, in a folder that is not the program's."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "strict_arrays.py").write_text(STRICT_LIBRARY)
    monkeypatch.syspath_prepend(folder)
    yield "strict_arrays"
    sys.modules.pop("strict_arrays", None)


@pytest.mark.parametrize("expression", STRICT)
def test_arrays_of_a_library_get_copies_if_they_take_only_numpys(expression, program, strict_library):
    source = f"""
import numpy as np
from {strict_library} import Strict
x, s = np.arange(1.0, 21), Strict(np.linspace(3, 4, 20))
"""
    expected = {}
    exec(source, expected)
    kind, values = _outcome(expression, expected)
    run = program(
        f"{source}\ntry:\n    found = {expression}\nexcept Exception as error:\n    found = error\n"
    )
    found = run["found"]
    assert type(found).__name__ == kind
    if values is not None:
        np.testing.assert_allclose(gpunp.asnumpy(getattr(found, "values", found)), values, rtol=1e-13)


@pytest.mark.parametrize("call", ["np.linspace(q[0:1], q[1:2], 30)", "np.geomspace(q[0:1], q[1:2], 30)"])
def test_functions_of_a_subclass_of_numpys_class_keep_the_class(call, program, strict_library):
    source = f"import numpy as np\nfrom {strict_library} import Length\nq = np.arange(1.0, 21).view(Length)\n"
    expected = {}
    exec(f"{source}\nresult = {call}", expected)
    found = program(f"{source}\nresult = {call}")["result"]
    assert type(found).__name__ == type(expected["result"]).__name__
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected["result"]), rtol=1e-13)


@pytest.mark.parametrize("library", STATEMENTS)
def test_results_are_those_of_numpy(library, program):
    pytest.importorskip(library)
    source = f"import numpy as np\n{inspect.cleandoc(STATEMENTS[library])}\n"
    expected = {}
    exec(source, expected)
    run = program(source)
    found = [float(each) for each in run["result"]]
    np.testing.assert_allclose(found, [float(each) for each in expected["result"]], rtol=1e-9)


def test_assertions_for_masked_arrays_compare_arrays_of_a_program(program):
    run = program(
        """
        import numpy as np
        from numpy.ma.testutils import assert_equal
        x = np.arange(40.0)
        assert_equal(x, np.arange(40.0))
        try:
            assert_equal(x, x + 1)
        except AssertionError:
            differs = True
        """
    )
    assert type(run["x"]) is gpunp.ndarray
    assert run["differs"]


def test_gradients_are_on_the_device(program):
    pytest.importorskip("autograd")
    run = program(
        """
        import numpy as np, autograd.numpy as anp
        from autograd import grad
        slope = grad(lambda x: anp.sum(anp.sin(x)))(np.linspace(0, 1, 50))
        """
    )
    assert type(run["slope"]) is gpunp.ndarray
    np.testing.assert_allclose(gpunp.asnumpy(run["slope"]), np.cos(np.linspace(0, 1, 50)))

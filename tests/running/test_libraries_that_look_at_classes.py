"""Libraries that tell arrays by their class work with those of a program."""

import inspect

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

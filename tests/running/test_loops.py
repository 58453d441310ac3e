"""Arrays that loops visit element by element stay on the host."""

import ast

import numpy as np
import pytest

import gpunp
from gpunp.running.loops import looped

LOOPS = [
    ("for i in range(n):\n    x[i] = y[i - 1] + z[2 * i]", {"x": 1, "y": 1, "z": 1}),
    ("for i in range(n):\n    for j in range(m):\n        a[i, j] += b[j, i]", {"a": 2, "b": 2}),
    ("for i, v in enumerate(xs):\n    self.x[i] = v", {"self.x": 1}),
    ("while i < n:\n    s += x[i]\n    i += 1", {"x": 1}),
    ("for i in range(n):\n    if x[-i] > 0:\n        pass", {"x": 1}),
    ("for i in range(n):\n    u[1:-1] = u[2:] + v[i, :]", {}),
    ("for i in range(3):\n    x[i] = 1", {}),
    ("for i in range(n):\n    x[k] = w[0]", {}),
    ("for k in keys:\n    x[k] = 1", {}),
    ("x[i] = 1", {}),
    ("for i in range(n):\n    def f():\n        return x[i]", {}),
    ("for i in range(n):\n    f(i)[i]", {}),
]


@pytest.mark.parametrize(("source", "expected"), LOOPS)
def test_loops(source, expected):
    assert looped(ast.parse(source)) == expected


def test_where_arrays_are(program):
    run = program(
        """
        import numpy as np
        rng = np.random.default_rng(0)
        n = 50
        x, rows = np.zeros(n), None
        x = np.zeros(n)
        noise = 0.1 * rng.normal(size=n)
        rows = np.ones((n, 20))
        other = np.ones(n)
        kept = other
        grid = np.zeros((8, 8))
        for t in range(1, n):
            x[t] = 0.9 * x[t - 1] + noise[t] + rows[t].sum()
        for i in range(len(grid)):
            for j in range(len(grid)):
                grid[i, j] = i * j
        class Model:
            def __init__(self):
                self.state = np.zeros(40)
                self.large = np.zeros(40)
            def run(self):
                state = self.large.copy()
                for i in range(40):
                    state[i] = i
                return state
        model = Model()
        state = model.run()
        """
    )
    for name in ("x", "noise", "grid"):
        assert type(run[name]) is np.ndarray, name
    assert type(run["rows"]) is type(run["other"]) is gpunp.ndarray
    assert type(run["model"].large) is gpunp.ndarray
    assert float(run["state"].sum()) == 780
    expected = np.zeros(50)
    noise = 0.1 * np.random.default_rng(0).normal(size=50)
    for t in range(1, 50):
        expected[t] = 0.9 * expected[t - 1] + noise[t] + 20
    assert np.allclose(run["x"], expected)


def test_arrays_with_other_names_and_views_stay(program):
    run = program(
        """
        import numpy as np
        base = np.arange(60.0)
        def same(v):
            return v
        x = same(base)
        y = base.reshape(60)
        for i in range(60):
            x[i] = y[i] + 1
        """
    )
    assert type(run["base"]) is gpunp.ndarray
    assert run["base"].tolist() == [i + 1.0 for i in range(60)]

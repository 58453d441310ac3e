"""Arrays whose rows a loop visits come to the host for the loop, if nothing else refers to them."""

import ast

import numpy as np
import pytest

import gpunp
from gpunp.running import counting
from gpunp.running.rows import planned

# Source of a function with loops, and the names that come to the host, with the axes that have numbers as
# bits; those that go back are in capitals.
PLANS = [
    ("for i in range(n):\n    x[i] += y[i - 1, 1:]", {"x": 1, "y": 1}),
    ("for i in range(n):\n    s += x[:, i].sum()", {"x": 2}),
    ("for i in range(n):\n    for j in range(m):\n        d[i, j] = a[i] @ b[j]", {"a": 1, "b": 1, "d": 3}),
    ("for i in range(n):\n    x[i] = x[i, j0:j1].sum()\nreturn x", {"x": 1}),
    ("for i in range(n):\n    x[i] = 1\nreturn x.mean()", {"X": 1}),
    ("while i < n:\n    x[i] = 1\n    i += 1", {"x": 1}),
    ("r = [f(x[i]) for i in range(n)]", {"x": 1}),
    ("for t in range(n):\n    x = y * 2\n    for i in range(m):\n        s += x[i].sum()", {"x": 1}),
    ("if c:\n    for i in range(n):\n        x[i, i] = 1", {"x": 3}),
    ("for i in range(n):\n    x[i] = 1\n    y = x.sum()", {}),
    ("for i in range(n):\n    x[i] = f(x)", {}),
    ("for i in range(n):\n    x[i] = x[:, i]", {}),
    ("for i in range(n):\n    x[i], z = 1, x[1:]", {}),
    ("for i in range(n):\n    x[i], z = 1, x.shape[0] + len(x)", {"x": 1}),
    ("for i in range(n):\n    x[i] = (lambda: x)()", {}),
    ("for i in range(3):\n    x[i] = 1", {}),
    ("for i in range(n):\n    x[k] = 1", {}),
    ("for i in range(n):\n    x[i, None] = 1", {}),
    ("for i in range(n):\n    g[i] = p[i]", {}),
    ("for row in x:\n    s += row.sum()", {"x": 1}),
    ("for i, (u, v) in enumerate(zip(x, y)):\n    s += u @ v", {}),
    ("for u, v in zip(x, y[1:]):\n    s += u @ v", {"x": 1}),
    ("for i, row in enumerate(x):\n    s += row[i] * y[i, i]\nreturn x.T", {"X": 1, "y": 3}),
    ("r = [row.sum() for row in x]", {"x": 1}),
    ("for t in range(n):\n    for row in x:\n        s += row[t]\n    x += 1", {}),
    ("for i in range(n):\n    def f():\n        return x[i]", {}),
]


@pytest.mark.parametrize(("source", "expected"), PLANS)
def test_plans(source, expected):
    text = "def f(n, m, c, j0, j1, k, p):\n    global g\n    x = y = a = b = d = f()\n    "
    found = {}
    for _, _, before, behind in planned(ast.parse(text + source.replace("\n", "\n    ")).body[0]):
        back = {each.body[0].targets[0].id for each in behind}
        for each in before:
            call = each.body[0].body[0].value
            name = call.args[0].id
            found[name.upper() if name in back else name] = call.args[1].value
    assert found == expected


# Programs with a variable `x`: whether it is on the host behind the loop.
PLACES = {
    "rows": ("x = np.ones((60, 4)) * 2\nfor i in range(1, 60):\n    x[i] += x[i - 1]", True),
    "columns": ("x = np.ones((4, 60)) * 2\nfor i in range(1, 60):\n    x[:, i] += x[:, i - 1]", True),
    "elements": ("x, _ = np.modf(np.ones(600) * 2.5)\nfor i in range(1, 600):\n    x[i] += x[i - 1]", True),
    "iteration": ("x = np.ones((60, 4)) * 2\nfor row in x:\n    row[1] += row.sum()", True),
    "large rows": ("x = np.ones((60, 40)) * 2\nfor i in range(1, 60):\n    x[i] += x[i - 1]", False),
    "few rounds": ("x = np.ones((9000, 4)) * 2\nfor i in range(2 - 1):\n    x[i] += 1", False),
    "a view": ("y = np.ones((60, 4)) * 2\nx = y[1:]\nfor i in range(1, 50):\n    x[i] += x[i - 1]", False),
    "another name": ("x = np.ones((60, 4)) * 2\ny = x\nfor i in range(1, 60):\n    x[i] += 1", False),
    "a view of it": ("x = np.ones((60, 4)) * 2\ny = x[1:]\nfor i in range(1, 60):\n    x[i] += 1", False),
    "a weak reference": (
        "import weakref\nx = np.ones((60, 4)) * 2\ny = weakref.ref(x)\n"
        "for i in range(1, 60):\n    x[i] += 1\nassert y() is x",
        False,
    ),
    "no value": (
        "try:\n    for i in range(1, 60):\n        x[i, 1] = 1\nexcept NameError:\n    x = np.ones(600)",
        False,
    ),
    "a list": ("x = [1] * 600\nfor i in range(1, 600):\n    x[i] += x[i - 1]\nx = np.ones(3)", True),
    "back": ("x = np.ones((60, 4)) * 2\nfor i in range(1, 60):\n    x[i] += x[i - 1]\nz = x.mean()", False),
}


@pytest.mark.parametrize("in_function", [False, True], ids=["module", "function"])
@pytest.mark.parametrize("name", PLACES)
def test_places(name, in_function, program, device):
    source, on_host = PLACES[name]
    expected = {"np": np}
    exec(source, expected)
    source = f"import numpy as np\n{source}\n"
    if in_function:
        source = "def f():\n    " + source.replace("\n", "\n    ") + "return x\nx = f()\n"
        # What is returned is placed as every new array.
        on_host = name == "a list"
    run = program(source, threshold=64)
    assert (type(run["x"]) is np.ndarray) == on_host
    assert np.array_equal(gpunp.asnumpy(run["x"]), expected["x"])
    moved = counting.summed("moved to the host").count
    assert moved == (name in ("rows", "columns", "elements", "iteration", "back"))
    assert counting.summed("moved to the device").count == (name == "back")

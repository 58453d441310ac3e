"""``GPUNP_RUN=check`` compares every call with NumPy's, and names the line of the first difference."""

import numpy as np
import pytest

import gpunp
from gpunp.running.checking import Checks, _difference

SOURCE = """
import numpy as np
x = np.arange(30.0)
y = np.linspace(1, 2, 30)
small = np.zeros(3)
z = -x + y * 2 - (x > 3)
z[3:9:2] = 7
z += y
small += z[:3]
part = z[None, 2:5, ...] @ np.ones((3, 4))
w = np.sort(z)[::-1].reshape(5, 6).sum(axis=1)
v = z.cumsum()
z.sort()
text = [f"{value:.1f}" for value in z[:2]]
a, b = np.divmod(x, 7)
rows = [r for r in z.reshape(5, 6)]
def f(v: "np.ndarray", *args, **kwargs) -> "np.ndarray":
    return np.sum(v, *args, **kwargs)
total = f(z.reshape(5, 6), axis=0, keepdims=True)
np.add(z, 1, out=z, where=z > 5)
np.multiply(z[1:], 2, out=z[:-1])
np.add(z, z, z)
"""


@pytest.fixture
def checks():
    made = Checks()
    made.start()
    yield made
    made.stop()


def test_calls_that_agree(program, checks):
    run = program(SOURCE)
    space = {}
    exec(SOURCE, space)
    assert checks.first is None
    assert checks.count > 20
    assert checks.text() == f"gpunp: {checks.count} calls with device arrays agree with NumPy"
    for name in ("z", "small", "part", "w", "v", "total"):
        found = gpunp.asnumpy(run[name]) if isinstance(run[name], gpunp.ndarray) else run[name]
        assert np.allclose(found, space[name])
    assert run["text"] == space["text"]


def test_the_line_of_the_first_difference(program, checks, capsys, monkeypatch):
    from gpunp.dispatch.registry import HANDLERS, find_handler

    original = find_handler(np.cumsum)
    monkeypatch.setitem(HANDLERS, np.cumsum, lambda *args, **kwargs: original(*args, **kwargs) + 1)
    program("import numpy as np\nx = np.ones(20)\ny = x + 1\nz = np.cumsum(y)\nw = np.cumsum(z)\n")
    assert "program.py:4: cumsum: 3.0 in place of 2.0 at [0]" in checks.first
    assert checks.first in checks.text()
    assert capsys.readouterr().err.count("the first difference") == 1


def test_a_difference_in_the_array_itself(program, checks, monkeypatch):
    from gpunp.running import conversions

    def sort(self):
        pass

    monkeypatch.setitem(conversions._METHODS, "sort", sort)
    program("import numpy as np\nx = np.array([3.0, 1.0] * 10)\nx.sort()\n")
    assert "program.py:3: sort: 3.0 in place of 1.0 at [0]" in checks.first


@pytest.mark.parametrize(
    ("found", "expected", "text"),
    [
        (np.ones(3), np.ones(3), None),
        (np.ones(3), np.ones(4), "float64 of shape (3,) in place of float64 of shape (4,)"),
        (np.ones(3), np.ones(3, int), "float64 of shape (3,) in place of int64 of shape (3,)"),
        (np.array([1, 2]), np.array([1, 3]), "2 in place of 3 at [1]"),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), None),
        (np.array([1.0, 1e-14]), np.array([1.0, 0.0]), None),
        (np.float32([1.0]), np.float32([1.00001]), None),
        (np.longdouble([1.0]), np.longdouble([1.0]), None),
        ((np.ones(2), np.zeros(2)), (np.ones(2), np.ones(2)), "0.0 in place of 1.0 at [0]"),
        ((np.ones(2),), (np.ones(2), np.ones(2)), "a tuple in place of 2 values"),
        (3.0, np.float64(3.0), None),
        ("a", "b", None),
    ],
)
def test_differences(found, expected, text):
    assert _difference(found, expected) == text


def test_results_that_cancel():
    assert _difference(np.float64(1e-17), np.float64(-2e-17), 3.0) is None
    assert _difference(np.float64(1e-10), np.float64(-2e-10), 3.0) is not None
    assert _difference((np.float64(1e-17),), (np.float64(-2e-17),), 3.0) is None


def test_other_containers_get_their_items_once(program, checks):
    run = program(
        """
        import numpy as np
        class Once(dict):
            def __setitem__(self, key, value):
                assert key not in self
                super().__setitem__(key, value)
        found = Once()
        found["x"] = np.ones(30)
        names = []
        names += [np.ones(30)]
        """
    )
    assert checks.first is None
    assert len(run["names"]) == 1


def test_classes_of_the_program_and_masked_arrays_are_called_once(program, checks):
    run = program(
        """
        import numpy as np
        class Whole(np.ndarray):
            calls = 0
            def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
                Whole.calls += 1
                plain = [np.asarray(x) for x in inputs]
                return getattr(ufunc, method)(*plain, **kwargs).astype(float).view(Whole)
        x = np.arange(30.0)
        w = x.view(Whole)
        y = w + x
        m = np.ma.array(x, mask=x > 20)
        m += x
        x += 1
        x /= 2
        total = m.sum()
        """
    )
    assert checks.first is None
    assert run["y"].tolist() == [2.0 * i for i in range(30)]
    assert run["x"].tolist()[:3] == [0.5, 1.5, 2.5]
    assert run["m"][3] == 3.5

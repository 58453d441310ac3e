"""Where the arrays of a program are."""

import ast
import sys

import numpy as np
import pytest

import gpunp
from gpunp.running import calls, counting, placement
from gpunp.running.session import least_elements
from gpunp.running.transform import Transformer

# Expressions whose value has ten elements or more, and no name: they are on the device.
LARGE = [
    "np.zeros(10)",
    "np.zeros((2, 5))",
    "np.ones(shape=(5, 5))",
    "np.empty([4, 4])",
    "np.full(20, 3.5)",
    "np.arange(12)",
    "np.arange(2, 30, 2)",
    "np.linspace(0, 1, 20)",
    "np.linspace(0, 1, num=20)",
    "np.linspace(0, 1)",
    "np.logspace(0, 1, 20)",
    "np.eye(4)",
    "np.identity(4)",
    "np.tri(5)",
    "np.array([1.0] * 10)",
    "np.asarray(range(15))",
    "np.array([np.ones(20), np.ones(20)])",
    "np.loadtxt(['1 2 3'] * 10)",
    "np.fromiter(range(20), float)",
    "np.fromfunction(lambda i, j: i + j, (4, 5))",
    "np.frombuffer(bytes(160))[:].copy()",
    "np.outer(np.ones(4), np.ones(4))",
    "np.outer(a=np.ones(4), b=np.ones(4))",
    "np.kron(np.ones(4), np.ones(4))",
    "np.meshgrid(np.ones(4), np.arange(3), indexing='ij')[1]",
    "np.tile(np.ones(3), 5)",
    "np.repeat(2.0, 15)",
    "np.concatenate([np.ones(6), np.ones(6)])",
    "np.meshgrid(np.ones(4), np.ones(4))[0]",
    "np.indices((3, 4))",
    "np.r_[0:12]",
    "np.mgrid[:4, :4]",
    "np.pad(np.ones(6), 3)",
    "np.ones(4)[:, None] * np.ones(5)",
    "np.ones(4)[np.newaxis] - np.ones(5).reshape(5, 1)",
    "np.ones(4)[:, None] < np.ones(5)",
    "np.ones((4, 2)) @ np.ones((2, 4))",
    "np.ones(9).repeat(2)",
    "np.zeros(20, dtype=np.float32).copy()",
    "np.hanning(16)",
    "np.load('a.npy')",
]
# Those that stay NumPy's.
SMALL = [
    "np.zeros(9)",
    "np.zeros((3, 3))",
    "np.array([1, 2, 3])",
    "np.array(['a'] * 20)",
    "np.zeros(20, dtype=object)",
    "np.zeros(20, dtype='datetime64[s]')",
    "np.zeros(20, dtype=[('a', 'i4')])",
    "np.zeros(20, dtype=np.longdouble)",
    "np.ma.zeros(20)",
    "np.ones(4)[:, None] * np.ones(2)",
    "np.arange(5) + 1",
    "np.meshgrid(np.ones(4), np.ones(4), sparse=True)[0]",
    "np.outer(np.ones(4), np.ones(4, dtype=object))",
    "np.outer(np.ones(3), np.ones(3))",
]


@pytest.mark.parametrize("call", ["meshgrid(x, y, indexing='ij')", "outer(x, y)", "kron(x, y)"])
def test_what_combines_small_arrays_is_made_on_the_device(call, program):
    before = counting.summed("upload").nbytes
    run = program(f"import numpy as np\nx, y = np.arange(4.0), np.arange(5.0)\nz = np.{call}")
    expected = eval(f"np.{call}", {"np": np, "x": np.arange(4.0), "y": np.arange(5.0)})
    assert [each.tolist() for each in run["z"]] == [each.tolist() for each in expected]
    # Only arguments are uploaded, of which an array of 20 elements has more.
    assert counting.summed("upload").nbytes - before <= 8 * 9


@pytest.mark.parametrize("expression", LARGE)
def test_large_arrays_are_on_the_device(expression, program, tmp_path):
    np.save(tmp_path / "a.npy", np.ones(30))
    run = program(f"import numpy as np\nx = {expression}")
    assert type(run["x"]) is gpunp.ndarray
    expected = eval(expression.replace("'a.npy'", "file"), {"np": np, "file": tmp_path / "a.npy"})
    if "empty" not in expression:
        assert np.allclose(gpunp.asnumpy(run["x"]), expected)
    assert run["x"].dtype == expected.dtype
    assert run["x"].shape == expected.shape


@pytest.mark.parametrize("expression", SMALL)
def test_others_are_numpys(expression, program):
    run = program(f"import numpy as np\nx = {expression}")
    assert isinstance(run["x"], np.ndarray)


def test_arrays_with_another_name_or_a_view_stay(program):
    run = program(
        """
        import numpy as np
        kept = [np.array(["x"]), None]
        class Holder:
            def __init__(self):
                self.values = memoryview(bytearray(800))
                self.array = np.frombuffer(self.values)
            def get(self):
                return self.array
        holder = Holder()
        x = holder.get()
        y = np.asarray(holder.array)
        y[0] = 5.0
        changed = holder.array[0], bytes(holder.values)[:8] != bytes(8)
        """
    )
    assert type(run["x"]) is type(run["y"]) is np.ndarray
    assert run["changed"] == (5.0, True)


def test_results_of_libraries_are_placed_if_they_are_new(program, tmp_path, monkeypatch):
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "makes_arrays.py").write_text(
        "import numpy as np\nkept = np.zeros(30)\ndef new(): return np.ones(30)\ndef old(): return kept\n"
        "def pair(): return np.ones(30), kept\n"
    )
    monkeypatch.setattr(sys, "path", [sys.path[0], str(library), *sys.path[1:]])
    run = program(
        "import makes_arrays as m\nx = m.new()\ny = m.old()\ny += 1\na, b = m.pair()\nkept = m.kept[0]"
    )
    assert type(run["x"]) is type(run["a"]) is gpunp.ndarray
    assert type(run["y"]) is type(run["b"]) is np.ndarray
    assert run["kept"] == 1


def test_archives_are_read_to_the_device(program, tmp_path):
    np.savez(tmp_path / "a.npz", large=np.arange(40.0), small=np.arange(3))
    run = program("import numpy as np\nwith np.load('a.npz') as a:\n    x, y = a['large'], a['small']")
    assert type(run["x"]) is gpunp.ndarray
    assert type(run["y"]) is np.ndarray


def test_no_memory_on_the_device(program, monkeypatch):
    def refuse(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(gpunp, "asarray", refuse)
    run = program("import numpy as np\nx = np.array([1.0] * 30)")
    assert type(run["x"]) is np.ndarray
    assert counting.summed("no device memory").count >= 1


def test_settings_of_the_threshold(monkeypatch):
    monkeypatch.delenv("GPUNP_RUN_THRESHOLD", raising=False)
    assert least_elements() == placement.LEAST_ELEMENTS
    assert least_elements(5) == 5
    monkeypatch.setenv("GPUNP_RUN_THRESHOLD", "77")
    assert least_elements() == 77
    assert 1024 <= least_elements("auto") <= 2**21
    with pytest.raises(ValueError, match="'auto', not 'many'"):
        least_elements("many")


def test_nothing_moves_without_a_program():
    assert type(calls.place(np.zeros(100_000))) is np.ndarray
    assert type(calls.Maker(np.zeros)(100_000)) is np.ndarray


def test_functions_that_place_their_results_are_called_alone():
    source = (
        "import numpy as np, other\nx = np.zeros(3)\ny = np.sort(x)\nz = other.zeros(3)\nnp.fft = other.f(x)"
    )
    tree = Transformer().visit(ast.parse(source))
    calls_added = [counting.MARK in ast.unparse(statement) for statement in tree.body]
    assert calls_added == [False, False, True, True, True]

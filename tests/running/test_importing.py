"""The modules of a program see a NumPy of their own; others see NumPy's."""

import importlib
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import gpunp
from gpunp.running.importing import Importer

# Statements that make `x`, an array of 20 numbers.
IMPORTS = [
    "import numpy as np\nx = np.zeros(20)",
    "import numpy\nx = numpy.zeros(20)",
    "from numpy import zeros\nx = zeros(20)",
    "from numpy import *\nx = zeros(20)",
    "import numpy.linalg as la, numpy\nx = numpy.ones((4, 5))",
    "import numpy.random\nx = numpy.random.rand(20)",
    "from numpy import random\nx = random.default_rng(0).normal(size=20)",
    "from numpy.random import default_rng\nx = default_rng(0).random(20)",
    "from numpy.fft import fftfreq\nx = fftfreq(20)",
    "import numpy.fft\nx = numpy.fft.rfftfreq(40)",
    "import importlib\nx = importlib.import_module('numpy').arange(20)",
    "from importlib import import_module\nx = import_module('numpy.random').rand(20)",
    "x = __import__('numpy').ones(20)",
    "m = __import__('numpy', fromlist=['x'])\nx = [m.ones(20)][0]",
    "m = __import__(name='numpy.linalg', level=0)\nx = [m.ones(20)][0]",
    "exec('import numpy as np; x = np.ones(20)')",
    "def f():\n    import numpy as np\n    return np.ones(20)\nx = f()",
]


@pytest.mark.parametrize("source", IMPORTS)
def test_imports_of_a_program(source, program):
    assert type(program(source)["x"]) is gpunp.ndarray


@pytest.mark.parametrize("name", ["sum", "reshape", "astype", "clip"])
def test_methods_of_the_class_have_the_signatures_of_numpy(name, program):
    run = program(f"import inspect, numpy as np\nx = inspect.signature(np.ndarray.{name})")
    assert run["x"] == inspect.signature(getattr(np.ndarray, name))


def test_imports_are_as_before_after_a_program(program):
    before = __import__, importlib.import_module
    program("import numpy as np\nx = np.zeros(20)")
    assert (__import__, importlib.import_module) == before
    assert type(np.asarray([0.0] * 20)) is np.ndarray
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(gpunp.zeros(20))


def write_modules(folder, modules):
    """Write the source texts of modules to their paths below a folder."""
    for path, text in modules.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)


def test_modules_and_packages_beside_the_program(program, tmp_path):
    modules = {
        "beside.py": "import numpy as np\ndef make(): return np.ones(30)\n",
        "own_package/__init__.py": "from .inner import make\n",
        "own_package/inner.py": "import numpy as np\ndef make(): return np.ones(40)\n",
    }
    write_modules(tmp_path, modules)
    run = program("import beside, own_package\nx, y = beside.make(), own_package.make()")
    assert type(run["x"]) is type(run["y"]) is gpunp.ndarray
    assert "beside" not in sys.modules
    assert "own_package.inner" not in sys.modules


def test_modules_whose_names_begin_with_numpy(program, tmp_path):
    modules = {
        "numpy_beside.py": "import numpy as np\ndef make(): return np.ones(30)\n",
        "numpypackage/__init__.py": "import numpypackage.linalg\n",
        "numpypackage/linalg.py": "from numpy_beside import make\n",
    }
    write_modules(tmp_path, modules)
    run = program(
        """
        import importlib
        import numpy_beside, numpypackage, numpypackage.linalg as inner
        from numpypackage import linalg
        x = numpy_beside.make()
        names = [m.__name__ for m in (
            numpy_beside, numpypackage, inner, linalg, __import__("numpypackage.linalg"),
            importlib.import_module("numpy_beside"),
        )]
        """
    )
    assert type(run["x"]) is gpunp.ndarray
    modules, parts = ["numpy_beside", "numpypackage"], ["numpypackage.linalg", "numpypackage.linalg"]
    assert run["names"] == [*modules, *parts, "numpypackage", "numpy_beside"]


def test_installed_packages_see_numpy(program, tmp_path, monkeypatch):
    text = "import numpy as np\ndef make(): return np.ones(30)\n"
    write_modules(tmp_path, {"site-packages/a_library.py": text})
    library = tmp_path / "site-packages"
    monkeypatch.setattr(sys, "path", [sys.path[0], str(library), *sys.path[1:]])
    source = "import a_library\nx = [a_library.make()]"
    assert type(program(source)["x"][0]) is np.ndarray
    del sys.modules["a_library"]
    assert type(program(source, names=["a_library"])["x"][0]) is gpunp.ndarray


def test_what_belongs_to_a_program(tmp_path):
    importer = Importer([tmp_path], ["named"], {})
    assert importer.belongs("m", str(tmp_path / "m.py"))
    assert importer.belongs("named.sub", "/anywhere/named/sub.py")
    assert not importer.belongs("m", str(tmp_path / "venv/lib/site-packages/m.py"))
    assert not importer.belongs("json", importlib.util.find_spec("json").origin)
    assert not importer.belongs("gpunp", str(tmp_path / "gpunp/__init__.py"))


def test_the_class_of_arrays(program):
    run = program(
        """
        import numpy as np
        from functools import singledispatch
        class Sub(np.ndarray):
            def twice(self):
                return super().sum() * 2
        x = np.zeros(20)
        facts = [
            isinstance(x, np.ndarray), isinstance(x, (int, np.ndarray)), type(x) is np.ndarray,
            type(x) == np.ndarray, type(x) in (list, np.ndarray), issubclass(type(x), np.ndarray),
            type(x).__name__ == "ndarray", {np.ndarray: 1}[type(x)] == 1, type(np.zeros(3)) is np.ndarray,
            not isinstance(x.sum(), np.ndarray), isinstance(x.sum(), np.floating), isinstance(x.sum(), float),
            type(x.sum()) is np.float64, np.isscalar(x.sum()), isinstance(np.ones(4).view(Sub), Sub),
            np.ones(4).view(Sub).twice() == 8, isinstance(np.ones(4).view(Sub), np.ndarray),
            np.ndarray.sum(x) == 0, np.ndarray((2, 3)).shape == (2, 3), np.ndarray.__add__(x, 1)[3] == 1,
            np.ndarray.__len__(x) == 20, np.ndarray.__getitem__(x[:4], 2) == 0,
            str(np.ndarray) == "<class 'numpy.ndarray'>",
            not isinstance([1], np.ndarray), not isinstance(x, str), Sub.__mro__[1].__name__ == "ndarray",
        ]
        """
    )
    assert all(run["facts"]), [i for i, fact in enumerate(run["facts"]) if not fact]


def test_match_statements_take_scalars_for_numbers(program):
    run = program(
        """
        import numpy as np
        x = np.arange(50.0)
        def kind(value):
            match value:
                case [first, second]:
                    return "two", kind(first), kind(second)
                case float() if value > 1000:
                    return "large"
                case float():
                    return "float"
                case np.integer():
                    return "integer"
                case kind.__class__():
                    return "function"
                case np.ndarray(shape=(rows, columns)):
                    return rows, columns
                case [first, *rest]:
                    return "sequence", len(rest)
        found = [kind(x.sum()), kind(x.max()), kind(x.argmax()), kind(x.reshape(5, 10)), kind(x)]
        found += [kind((x.max(), x.argmax())), kind([x.max(), x.min()])]
        assert kind(kind) == "function"
        match x.mean():
            case 24.5:
                found.append("value")
        values = [x]
        match values:
            case same:
                found.append(same is values)
        """
    )
    # Arrays are sequences of patterns from NumPy 2.5 on.
    match np.zeros(50):
        case [_, *rest]:
            sequence = "sequence", len(rest)
        case _:
            sequence = None
    expected = ["large", "float", "integer", (5, 10), sequence, ("two", "float", "integer")]
    assert run["found"] == [*expected, ("two", "float", "float"), "value", True]


def test_functions_that_dispatch_by_the_class(program):
    run = program(
        """
        import numbers, unittest
        from functools import singledispatch, singledispatchmethod
        import numpy as np
        @singledispatch
        def kind(value):
            return "object"
        kind.register(float, lambda value: "float")
        kind.register(np.ndarray, lambda value: "array")
        kind.register(numbers.Integral, lambda value: "integral")
        class Kinds:
            @singledispatchmethod
            def kind(self, value):
                return "object"
            @kind.register
            def _(self, value: float):
                return "float"
        x = np.arange(50.0)
        values = x, x.sum(), x.argmax(), x.any(), x[:3], np.zeros(2)
        found = [kind(value) for value in values], Kinds().kind(x.sum()), Kinds().kind(x)
        classes = x.__class__ is np.ndarray, x[:2].__class__ is np.ndarray, x.sum().__class__, "".__class__
        unittest.TestCase().assertIsInstance(x.sum(), float)
        """
    )
    assert run["found"] == (["array", "float", "integral", "object", "array", "array"], "float", "object")
    assert run["classes"] == (True, True, np.float64, str)


def test_errors_of_imports_show_no_line_of_the_layer(program):
    run = program(
        """
        import traceback
        try:
            import no_such_module
        except ImportError:
            lines = traceback.format_exc().splitlines()
        """
    )
    assert len([line for line in run["lines"] if line.startswith("  File ")]) == 1


def test_names_of_python_may_be_hidden(program):
    run = program(
        """
        import numpy as np
        def f(type, isinstance):
            return type(3), isinstance(1, 2)
        x = f(lambda v: v + 1, lambda a, b: a + b)
        """
    )
    assert run["x"] == (4, 3)


def test_pickles_need_no_gpunp(program, tmp_path):
    program(
        """
        import pickle
        import numpy as np
        x = np.arange(50.0)
        rng = np.random.default_rng(1)
        with open("made.pickle", "wb") as file:
            pickle.dump([x, x.sum(), np.zeros, np.ndarray, np.asarray, rng, np.random.rand], file)
        """
    )
    found = pickle.loads((tmp_path / "made.pickle").read_bytes())
    assert type(found[0]) is np.ndarray
    assert type(found[1]) is np.float64
    assert found[2] is np.zeros
    assert found[3] is np.ndarray
    assert found[4] is np.asarray
    code = "import pickle, sys; pickle.load(open('made.pickle', 'rb')); print('gpunp' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True) == "False\n"


@pytest.mark.parametrize(
    "draw",
    [
        "np.random.rand(30)",
        "np.random.randn(4, 5)",
        "np.random.randint(0, 9, 40)",
        "np.random.default_rng(5).normal(size=50)",
        "np.random.Generator(np.random.PCG64(3)).integers(0, 9, 30)",
        "np.random.RandomState(3).uniform(size=(5, 5))",
        "np.random.permutation(40)",
        "np.random.default_rng(2).permutation(np.arange(30))",
        "np.random.choice(np.arange(60), 20)",
        "np.random.default_rng(2).multivariate_normal([0, 0], [[1, 0], [0, 1]], 20)",
    ],
)
def test_random_numbers_are_those_of_numpy(draw, program):
    np.random.seed(7)
    expected = eval(draw, {"np": np})
    run = program(f"import numpy as np\nnp.random.seed(7)\nx = {draw}")
    assert type(run["x"]) is gpunp.ndarray
    assert np.array_equal(gpunp.asnumpy(run["x"]), expected)


@pytest.mark.parametrize(
    "draw",
    [
        "np.random.default_rng(x).random()",
        "np.random.default_rng(x.argmax()).random()",
        "np.random.default_rng([x[1], x[2]]).random()",
        "np.random.PCG64(x.max()).random_raw()",
        "np.random.MT19937(seed=x[:4]).random_raw()",
        "np.random.SeedSequence(x, spawn_key=(x[1],)).generate_state(2).tolist()",
        "np.random.default_rng(0).choice(30, p=np.full(30, 1 / 30, 'f4'))",
        "np.random.RandomState(0).choice(30, p=np.full(30, 1 / 30, 'f4'))",
    ],
)
def test_seeds_and_probabilities_on_the_device(draw, program):
    expected = eval(draw, {"np": np, "x": np.arange(40)})
    assert program(f"import numpy as np\nx = np.arange(40)\ny = {draw}")["y"] == expected


def test_classes_with_seeds_are_those_of_numpy(program, tmp_path):
    run = program(
        """
        import copy, pickle
        import numpy as np
        bits, seed = np.random.PCG64(np.arange(30)), np.random.SeedSequence(5)
        facts = [
            isinstance(bits, np.random.PCG64),
            isinstance(np.random.default_rng(1).bit_generator, np.random.PCG64),
            issubclass(np.random.PCG64, np.random.BitGenerator),
            type(seed.spawn(1)[0]).__name__ == "SeedSequence",
            copy.deepcopy(bits).random_raw() == bits.random_raw(),
            seed.entropy == 5,
        ]
        with open("made.pickle", "wb") as file:
            pickle.dump([bits, seed, np.random.PCG64], file)
        """
    )
    assert all(run["facts"]), run["facts"]
    found = pickle.loads((tmp_path / "made.pickle").read_bytes())
    assert [type(each) for each in found[:2]] == [np.random.PCG64, np.random.SeedSequence]
    assert found[2] is np.random.PCG64


@pytest.mark.skipif(
    sys.version_info < (3, 12) or np.lib.NumpyVersion(np.__version__) < "2.5.0",
    reason="NumPy itself ends the process",
)
def test_a_seed_that_contains_itself_is_refused(program):
    with pytest.raises(TypeError, match="nested sequences"):
        program("import numpy as np\nx = [1]\nx.append(x)\nnp.random.default_rng(x)")


def test_an_output_with_gaps_is_refused(program):
    with pytest.raises(ValueError, match="must be contiguous"):
        program("import numpy as np\nnp.random.default_rng(0).random(out=np.zeros(80)[::2])")


def test_random_numbers_into_an_output_and_in_place(program):
    run = program(
        """
        import numpy as np
        rng, x, y = np.random.default_rng(0), np.zeros(30), np.arange(30)
        rng.random(out=x)
        rng.shuffle(y)
        gaps = np.zeros(60)[::2]
        np.random.default_rng(0).permuted(np.arange(30.0), out=gaps)
        """
    )
    rng, y = np.random.default_rng(0), np.arange(30)
    assert np.array_equal(gpunp.asnumpy(run["x"]), rng.random(30))
    rng.shuffle(y)
    assert np.array_equal(gpunp.asnumpy(run["y"]), y)
    assert np.array_equal(gpunp.asnumpy(run["gaps"]), np.random.default_rng(0).permuted(np.arange(30.0)))


def test_random_numbers_of_the_device(program):
    run = program("import numpy as np\nx = np.random.default_rng(3).random(50)", device_random=True)
    assert np.array_equal(gpunp.asnumpy(run["x"]), gpunp.asnumpy(gpunp.random.default_rng(3).random(50)))


def test_tables_by_function_of_classes_with_numpys_protocol(program):
    run = program(
        """
        import numpy as np
        HANDLED = {}
        def handles(function):
            return lambda own: HANDLED.setdefault(function, own)
        class Logged:
            def __array_function__(self, func, types, args, kwargs):
                return HANDLED[func](*args, **kwargs) if func in HANDLED else NotImplemented
        @handles(np.concatenate)
        def concatenated(arrays, axis=0):
            return "concatenated", len(arrays)
        @handles(np.linspace)
        def steps(start, stop, num=50):
            return "steps", num
        x = np.arange(20)
        found = np.concatenate([x, Logged()]), np.linspace(Logged(), 3, 40)
        same = np.linspace == np.linspace, np.linspace != np.concatenate, len({np.zeros, np.ones, np.zeros})
        """
    )
    assert run["found"] == (("concatenated", 2), ("steps", 40))
    assert run["same"] == (True, True, 2)

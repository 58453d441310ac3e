"""What devices lack runs on host copies while a program runs, with the results and errors of NumPy."""

import json
import sys
import types

import numpy as np
import numpy.lib.recfunctions
import pytest

import gpunp
from gpunp.running import counting

# Expressions of `x`, an array of 24 numbers, and `m`, the same as a matrix, that need the host somewhere.
EXPRESSIONS = [
    "x.astype(str)",
    "x.astype(object)",
    "x.astype('datetime64[s]')",
    "np.char.mod('%d', x)",
    "np.array(x, dtype=object)",
    "np.frompyfunc(lambda v: v + 1, 1, 1)(x)",
    "np.ma.masked_array(x, x > 3).sum()",
    "np.asarray(x, dtype='U5')",
    "x == np.array(['a'] * 24)",
    "np.add(x, np.ones(24, dtype=np.longdouble))",
    "x.ctypes.data != 0",
    "np.lib.stride_tricks.as_strided(x, (3, 4))",
    "np.nditer(x).itersize",
    "[v for v in np.ndenumerate(m)][5][0]",
    "x.view(np.recarray).shape",
    "np.apply_along_axis(lambda row: row[::-1], 1, m)",
    "m.tolist()",
    "np.array2string(x)",
    "np.float64(x.sum())",
    "np.einsum('ij,kj->ik', m, m)",
    "np.block([[m, m], [m, m]])",
    "list(map(float, x))",
    "sum(x)",
    "max(x)",
    "'%.2f' % x[3]",
    "f'{x.mean():8.3f}'",
    "x[np.array([True, False] * 12)]",
    "np.ones(30)[x.astype(int)]",
    "np.take(np.arange(50), x.astype(int))",
    "bytes(memoryview(x))",
    "np.c_[x, x].shape",
    "np.r_[x, 1.0, 2.0]",
    "np.array([x[0], x[1], 3.0])",
    "np.fromiter(iter(x), float)",
    "np.polynomial.Polynomial(x[:3])(2.0)",
    "np.isin(5.0, x)",
    "np.__version__",
    "np.bmat([x[:2], x[2:4]])",
    "np.bmat([m, m]).tolist()",
    "np.bmat('m; m').tolist()",
    "np.bmat('m; a', {'m': m, 'a': m + 1}, {}).tolist()",
    "type(np.apply_along_axis(lambda row: np.ma.masked_less(row, 3), 1, m)).__name__",
    "np.lib.recfunctions.merge_arrays(x)",
    "np.lib.recfunctions.merge_arrays((x, x))",
    "type(np.lib.recfunctions.stack_arrays(x)).__name__",
    "x.__array_wrap__(np.ones(3))",
    "x.__array_wrap__(x * 2)",
    "np.testing.assert_almost_equal(np.float16(0.1), (x.astype('f2') * np.float16(0.1))[1], 12)",
]


def same(found, expected):
    if isinstance(found, gpunp.ndarray):
        found = gpunp.asnumpy(found)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression, program):
    x = np.arange(24.0)
    expected = eval(expression, {"np": np, "x": x, "m": x.reshape(4, 6)})
    run = program(f"import numpy as np\nx = np.arange(24.0)\nm = x.reshape(4, 6)\nmade = {expression}")
    assert type(run["x"]) is gpunp.ndarray
    same(run["made"], expected)


@pytest.mark.parametrize(
    "statement",
    [
        "x.reshape(5, 5)",
        "x + np.ones(7)",
        "x @ np.ones(3)",
        "x.sum(axis=4)",
        "x[30]",
        "x['a']",
        "x[1.5]",
        "x.no_such_method()",
        "np.concatenate([x, m])",
        "np.linalg.inv(m)",
        "np.zeros(20, dtype='nonsense')",
        "np.add(x, x, out=np.zeros(3))",
        "x.astype(complex).astype('nonsense')",
        "x.setflags(write=7, nonsense=3)",
        "float(x)",
        "if x: pass",
        "int('a')",
        "own = []; own.append(own); np.array(own)",
        "x.flags.writeable = False; x[0] = 1",
        "x.flags.writeable = False; x += 1",
        "x.flags.writeable = False; np.random.default_rng(0).random(out=x)",
        "x.flags.writeable = False; x.fill(1)",
        "x.flags.writeable = False; np.put(x, [1], 2)",
        "np.asarray(x)[0] = 1; np.asarray(x, copy=False)[0] = [1, 2]",
    ],
)
def test_errors_have_the_types_of_numpy(statement, program):
    space = {"np": np, "x": np.arange(24.0)}
    space["m"] = space["x"].reshape(4, 6)
    expected = None
    try:
        exec(statement, space)
    except Exception as error:
        expected = type(error)
    run = program(
        "import numpy as np\nx = np.arange(24.0)\nm = x.reshape(4, 6)\n"
        f"try:\n    {statement}\nexcept Exception as error:\n    kind = type(error)\nelse:\n    kind = None"
    )
    assert run["kind"] is expected


def test_writes_into_host_arrays_are_not_lost(program):
    run = program(
        """
        import numpy as np
        small, large = np.zeros(5), np.arange(20.0)
        small += large[:5]
        small[1:3] = large[10:12]
        np.multiply(large[:5], 2, out=small)
        large[:3] = small[:3]
        large += np.ones(20)
        np.copyto(small, large[3:8])
        filled = np.zeros(20)
        np.lib.recfunctions.assign_fields_by_name(filled, np.arange(20.0))
        out = np.zeros(30)
        np.frompyfunc(lambda v: v, 1, 1)(large, out=np.empty(20, dtype=object))
        """
    )
    assert type(run["small"]) is np.ndarray
    assert run["small"].tolist() == [4, 5, 6, 7, 8]
    assert run["filled"].tolist() == [*range(20)]


def test_copies_are_read_only_for_others(program, monkeypatch):
    def write(x):
        np.asarray(x)[0] = 3.0

    monkeypatch.setitem(sys.modules, "library_that_writes", types.SimpleNamespace(write=write))
    run = program(
        """
        import numpy as np
        import library_that_writes
        x = np.arange(20.0)
        try:
            library_that_writes.write(x)
        except ValueError as error:
            message = str(error)
        """
    )
    assert "read-only" in run["message"]


def test_what_is_counted(program):
    program(
        """
        import numpy as np
        x = np.arange(40.0)
        text = x.astype(str)
        seen = bytes(memoryview(x))
        total = float((x + np.asarray([1.0])).sum())
        """
    )
    kinds = {line: kinds for (path, line), kinds in counting.TOTALS.items() if path.endswith("program.py")}
    assert kinds[4]["fallback"].names == {"ndarray.astype"}
    assert kinds[4]["fallback"].nbytes == 320
    assert kinds[5]["shared with the host"].count == 1
    assert kinds[5]["upload of shared memory"].nbytes == 320
    assert kinds[6]["upload"].nbytes == 8
    assert counting.summed("download").count >= 1
    assert counting.summed("fallback").seconds > 0


def test_scalars_for_json(program):
    run = program(
        """
        import json
        import numpy as np
        x = np.arange(20.0)
        made = json.dumps({"sum": x.sum(), "list": [x[1], 2]})
        try:
            json.dumps(x.astype(int).sum())
        except TypeError as error:
            message = str(error)
        """
    )
    assert json.loads(run["made"]) == {"sum": 190.0, "list": [1.0, 2]}
    assert run["message"] == "Object of type int64 is not JSON serializable"


def test_shown_scalars(program):
    text = program(
        "import numpy as np\nx = np.arange(20.0)\nprint(x.sum(), [x.sum()], repr(x[2]), x[:2])"
    ).text
    assert text == "190.0 [np.float64(190.0)] np.float64(2.0) [0. 1.]\n"


def test_everything_is_as_before_after_a_program(program):
    program("import numpy as np\nx = np.zeros(20)")
    x = gpunp.zeros(20)
    assert gpunp.config.host_copies == "error"
    assert gpunp.config.fallback == "error"
    assert not hasattr(x, "ctypes")
    assert repr(x.sum()) == "array(0.)"
    with pytest.raises(TypeError):
        x.astype(object)
    with pytest.raises(TypeError, match="does not handle"):
        np.frompyfunc(abs, 1, 1)(x)
    assert json.JSONEncoder.default.__module__ == "json.encoder"


def test_subclasses_of_numpy(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        m = np.ma.masked_greater(np.arange(20.0), 5)
        made = [x * m, m * x, np.add(x, m), np.trapezoid(m, x), np.concatenate([m, m])]
        made.append(np.ma.concatenate([x, m]))
        kinds = [type(each).__name__ for each in made]
        """
    )
    assert run["kinds"] == ["MaskedArray"] * 3 + ["float64", "MaskedArray", "MaskedArray"]


def test_array_methods_of_the_program_return_arrays_of_numpy(program):
    run = program(
        """
        import numpy as np
        class Holder:
            def __init__(self):
                self.values = np.arange(30.0)
            def __array__(self, dtype=None, copy=None):
                return self.values if dtype is None else self.values.astype(dtype)
        x = np.asarray(Holder())
        total = np.sum(Holder()), np.sqrt(Holder()).shape, np.array(Holder(), dtype=int).dtype.kind
        view = x.data
        """
    )
    assert run["total"] == (435, (30,), "i")
    assert run["view"].nbytes == 240
    assert not run["view"].readonly


def test_functions_that_want_numbers(program):
    run = program(
        """
        import statistics, time
        from datetime import timedelta
        from decimal import Decimal
        from fractions import Fraction as F
        import numpy as np
        x = np.arange(20.0)
        s = x[1] / 2
        time.sleep(s / 1e9)
        made = [
            timedelta(seconds=s), timedelta(days=x[2]).days, Decimal(s), F(s), statistics.mean([x[1], x[2]]),
            statistics.mean(x),
        ]
        """
    )
    assert [str(each) for each in run["made"]] == ["0:00:00.500000", "2", "0.5", "1/2", "1.5", "9.5"]


def test_vectorize_calls_the_function_for_each_element(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        calls = []
        def f(v):
            calls.append(type(v).__name__)
            return "even" if v % 2 == 0 else "odd"
        y = np.vectorize(f)(x)
        z = np.vectorize(lambda v: v + 1)(x)
        """
    )
    assert run["y"].tolist() == ["even", "odd"] * 10
    assert len(run["calls"]) == 21
    assert set(run["calls"]) <= {"float64", "float"}
    assert type(run["z"]) is gpunp.ndarray


def test_grids_of_polynomials(program):
    run = program(
        """
        import numpy as np
        from numpy.polynomial import chebyshev, hermite_e, polynomial
        x = np.linspace(-1, 1, 30)
        c = np.arange(24.0).reshape(2, 3, 4)
        made = [polynomial.polygrid3d(x, x, x, c), chebyshev.chebval2d(x, x, c[0])]
        made.append(hermite_e.hermegrid2d(x, x, c[1]))
        made.append(polynomial.Polynomial([1, 2, 3])(x))
        """
    )
    x, c = np.linspace(-1, 1, 30), np.arange(24.0).reshape(2, 3, 4)
    polynomial = np.polynomial.polynomial
    expected = [polynomial.polygrid3d(x, x, x, c), np.polynomial.chebyshev.chebval2d(x, x, c[0])]
    expected.append(np.polynomial.hermite_e.hermegrid2d(x, x, c[1]))
    expected.append(polynomial.Polynomial([1, 2, 3])(x))
    for ours, numpys in zip(run["made"], expected, strict=True):
        assert np.allclose(gpunp.asnumpy(ours), numpys)


def test_views_that_devices_lack_share_the_memory(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        text = x.view("S8")
        other = x.view(">f8")
        other[3] = 1.0
        text[4] = b""
        result = x[3:5].tolist(), other[3], text[4]
        """
    )
    for name in ("text", "other"):
        assert type(run[name]) is np.ndarray
    assert run["result"] == ([np.float64(1.0).byteswap(), 0.0], 1.0, b"")


def test_operators_that_fail_are_counted(program):
    program(
        """
        import numpy as np
        x = np.arange(20.0)
        y = x * np.array([2] * 20, dtype=object)
        x[:] = np.array(["3"] * 20)
        """
    )
    kinds = {line: kinds for (path, line), kinds in counting.TOTALS.items() if path.endswith("program.py")}
    assert kinds[4]["fallback"].names == {"operator.mul"}
    assert kinds[5]["fallback"].names == {"operator.setitem"}
    with pytest.raises(TypeError, match="gpunp has no object arrays"):
        gpunp.arange(3) * np.array([1, 2, None])


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_of_the_variables_of_a_program(program):
    run = program(
        """
        import numpy as np
        def build(a):
            return np.r_["a, a; b, b"]
        b = np.ones((2, 2))
        built = build(np.zeros((2, 2)))
        """
    )
    assert run["built"].tolist() == [[0.0] * 4] * 2 + [[1.0] * 4] * 2


def test_memory_for_ctypes_cannot_be_shared(program):
    run = program(
        """
        import numpy as np
        x = np.zeros(100)
        try:
            np.ctypeslib.as_ctypes(x)
        except TypeError as error:
            said = str(error)
        """
    )
    assert "readonly" in run["said"]

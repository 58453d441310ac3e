"""Functions with a short way for few elements: every call gives what NumPy gives, whichever way it takes."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp
from gpunp.dispatch import registry

NAN = float("nan")
FLOATS = np.array([0.5, 2.0, -1.5, 2.0, 0.0, 8.0, 3.25, -0.0])
WHOLE = np.array([3, 0, 1, 3, 2, 0, 1, 5])
ORDERED = np.array([-2.0, 0.0, 1.0, 1.0, 1.0, 4.0, NAN, NAN])
POINTS = np.array([0.0, 1.0, 2.5, 4.0])
MATRIX = np.arange(12.0).reshape(3, 4)
FLAGS = WHOLE > 1
MATRICES = (FLOATS, ORDERED, WHOLE, MATRIX, MATRIX % 5, MATRIX.T, MATRIX[:, :0], MATRIX[None], FLAGS)
ROWS = (FLOATS, ORDERED, WHOLE, WHOLE * 2**61, FLAGS, MATRIX, FLOATS[:1], FLOATS[:0], FLOATS[::2])

# Functions and arguments; arrays among the arguments become arrays of the device.
CALLS = [
    ("repeat", FLOATS, 2),
    ("repeat", FLOATS, 0),
    ("repeat", WHOLE, 16),
    ("repeat", WHOLE, 17),
    ("repeat", WHOLE, -1),
    ("repeat", MATRIX, 3),
    ("repeat", MATRIX, 2, 0),
    ("repeat", MATRIX, 2, 1),
    ("repeat", MATRIX.T, 2),
    ("repeat", FLOATS, 2, 0),
    ("repeat", FLOATS, 2, 1),
    ("repeat", FLOATS, True),
    ("repeat", FLOATS, WHOLE),
    ("repeat", np.array(3.0), 2),
    ("repeat", FLOATS[:0], 2),
    ("repeat", MATRIX.astype("D"), 2),
    ("bincount", WHOLE),
    ("bincount", WHOLE, FLOATS),
    ("bincount", WHOLE, FLOATS[:3]),
    ("bincount", WHOLE, None, 9),
    ("bincount", WHOLE, None, 2),
    ("bincount", WHOLE, None, -1),
    ("bincount", WHOLE, FLOATS, 9),
    ("bincount", -WHOLE),
    ("bincount", WHOLE * 1000),
    ("bincount", WHOLE[:0]),
    ("bincount", WHOLE.astype("u1")),
    ("bincount", FLOATS),
    ("bincount", MATRIX.astype(int)),
    ("interp", 0.7, POINTS, FLOATS[:4]),
    ("interp", 4.0, POINTS, FLOATS[:4]),
    ("interp", 1.0, POINTS, FLOATS[:4]),
    ("interp", -1.0, POINTS, FLOATS[:4]),
    ("interp", 9.0, POINTS, FLOATS[:4]),
    ("interp", NAN, POINTS, FLOATS[:4]),
    ("interp", NAN, POINTS[:1], FLOATS[:1]),
    ("interp", 1, POINTS, FLOATS[:4]),
    ("interp", FLOATS, POINTS, FLOATS[:4]),
    ("interp", MATRIX, POINTS, FLOATS[:4]),
    ("interp", FLOATS, POINTS, FLOATS[:4], -5.0, 7.0),
    ("interp", FLOATS, POINTS, FLOATS[:4], None, None, 2.0),
    ("interp", FLOATS, POINTS, np.array([1.0, np.inf, np.inf, NAN])),
    ("interp", FLOATS, POINTS, FLOATS[:4].astype("D")),
    ("interp", FLOATS, POINTS, FLOATS[:3]),
    ("interp", FLOATS, POINTS[:0], FLOATS[:0]),
    ("interp", FLOATS.astype("f"), POINTS, FLOATS[:4]),
    ("searchsorted", ORDERED, 1.0),
    ("searchsorted", ORDERED, 1.0, "right"),
    ("searchsorted", ORDERED, NAN),
    ("searchsorted", ORDERED, NAN, "right"),
    ("searchsorted", ORDERED, FLOATS),
    ("searchsorted", ORDERED, FLOATS, "right"),
    ("searchsorted", ORDERED, MATRIX),
    ("searchsorted", ORDERED, 1),
    ("searchsorted", ORDERED, FLOATS, "middle"),
    ("searchsorted", ORDERED[:0], FLOATS),
    ("searchsorted", np.sort(WHOLE), 2),
    ("searchsorted", np.sort(WHOLE), 2.5),
    ("searchsorted", np.sort(WHOLE), WHOLE),
    ("searchsorted", FLOATS, 1.0, "left", np.argsort(FLOATS)),
    ("searchsorted", MATRIX, 1.0),
    ("nonzero", FLOATS),
    ("nonzero", WHOLE),
    ("nonzero", FLAGS),
    ("nonzero", FLAGS[::2]),
    ("nonzero", MATRIX),
    ("nonzero", np.array(3.0)),
    ("nonzero", np.array([NAN, 0.0])),
    ("take", FLOATS, WHOLE),
    ("take", FLOATS, [3, -1]),
    ("take", FLOATS, WHOLE.reshape(2, 4)),
    ("take", FLOATS, WHOLE, 0),
    ("take", FLOATS, FLAGS),
    ("take", FLOATS, WHOLE + 3),
    ("take", MATRIX, WHOLE),
    ("take", MATRIX, WHOLE % 3, 0),
    ("take", MATRIX, [0, 2], 1),
    ("take", FLOATS, 3),
    ("take", FLOATS, WHOLE * 9, None, None, "wrap"),
    *(
        (name, *arguments)
        for name in ("cumsum", "cumprod")
        for arguments in (
            (FLOATS,),
            (FLOATS, 0),
            (FLOATS, -1),
            (FLOATS, 1),
            (ORDERED,),
            (WHOLE,),
            (WHOLE + 2**62,),
            (WHOLE, None, "f8"),
            (FLAGS,),
            (FLOATS[::2],),
            (FLOATS[:0],),
            (MATRIX,),
            (MATRIX, 1),
            (np.array(3.0),),
        )
    ),
    *(
        (name, *arguments)
        for name in ("sort", "argsort")
        for arguments in (
            # Of equal elements, the order by NumPy is that of a stable sort only if it is asked for.
            (np.array([2.0, NAN, -np.inf, 0.5, np.inf, -0.0, -1.0]),),
            (WHOLE, -1, "stable"),
            (WHOLE[:3],),
            (WHOLE, 1),
            (WHOLE, 0, "junk"),
            (-np.arange(32),),
            (-np.arange(33.0),),
            (FLOATS[:0],),
            (FLOATS[2::-1],),
            (MATRIX, 0),
            (MATRIX, None),
            (np.array(3.0),),
        )
    ),
    ("sort", np.array([2.0, NAN, 0.5, NAN, 0.5, -1.0])),
    ("sort", WHOLE),
    ("where", FLAGS),
    ("where", FLOATS),
    ("where", MATRIX),
    ("where", np.array(3.0)),
    ("where", FLAGS, FLOATS, 0.5),
    ("where", FLAGS, FLOATS),
    ("array_equal", FLOATS, FLOATS),
    ("array_equal", FLOATS, WHOLE),
    ("array_equal", WHOLE, WHOLE[::-1].copy()),
    ("array_equal", FLOATS, FLOATS[:3]),
    ("array_equal", ORDERED, ORDERED),
    ("array_equal", ORDERED, ORDERED, True),
    ("array_equal", np.array([0.0]), np.array([-0.0])),
    ("array_equal", FLOATS[:0], FLOATS[:0]),
    ("array_equal", MATRIX, MATRIX.T),
    ("array_equal", FLOATS, None),
    ("count_nonzero", FLAGS),
    ("count_nonzero", FLAGS, 0),
    ("count_nonzero", FLAGS[::2]),
    ("count_nonzero", FLOATS),
    ("count_nonzero", WHOLE),
    ("count_nonzero", ORDERED),
    ("count_nonzero", FLOATS.astype("f4")),
    *(
        (name, values, *axis)
        for name in ("argmax", "argmin")
        for values in MATRICES
        for axis in ((), (0,), (1,), (-1,), (-2,), (2,), (None,), (True,))
    ),
    *(
        ("diff", values, *more)
        for values in ROWS
        for more in ((), (1,), (2,), (0,), (-1,), (1, 0), (1, -1), (1, 1), (1, -1, 5.0), (1, -1, 5.0, FLOATS))
    ),
    *(
        (name, *arrays)
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
        for arrays in ((FLOATS,), (MATRIX,), (MATRIX[None],), (np.array(3.0),), (FLOATS, MATRIX), ())
    ),
    ("count_nonzero", FLAGS[:0]),
    ("count_nonzero", FLAGS.reshape(2, 4), 1),
    *(
        (name, np.arange(count) % 7)
        for name in ("bincount", "nonzero")
        for count in (511, 512, 513, 2048, 2049)
    ),
    *(("repeat", np.arange(1.0 * count), 2) for count in (1023, 1024, 1025)),
    *(("take", FLOATS, np.arange(count) % 8 - 3) for count in (128, 129, 2048, 2049)),
    *(("take", FLOATS[::-2], np.arange(count) % 4 - 3) for count in (129, 2048)),
    ("take", FLOATS, np.arange(200)),
    ("take", FLOATS, -np.arange(200)),
    *(
        ("copy", values, *order)
        for values in (FLOATS, WHOLE[::2], MATRIX, MATRIX.T, np.array(3.0), FLOATS[:0], FLAGS)
        for order in ((), ("K",), ("C",), ("F",), ("X",))
    ),
    ("zeros_like", FLOATS),
    ("zeros_like", MATRIX.T),
    ("zeros_like", WHOLE, float),
    ("zeros_like", FLAGS),
    ("zeros_like", np.array(3.0)),
]


def placed(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def settled(call, arguments):
    found = call(*arguments)
    # A GPU reports indices out of bounds when it is waited for.
    gpunp.get_device().synchronize()
    return found


def compare(call, arguments):
    """Compare a call with NumPy's, twice: the first call of a process takes the way of the protocol."""
    expected, error = outcome(lambda: call(*arguments))
    on_device = [placed(value) for value in arguments]
    for _ in range(2):
        found, raised = outcome(lambda: settled(call, on_device))
        if error is not None:
            assert raised is not None
            assert isinstance(raised, type(error)) or isinstance(error, type(raised))
            continue
        assert raised is None, raised
        if isinstance(expected, tuple):
            assert len(found) == len(expected)
        for x, y in zip(
            found if isinstance(found, tuple) else (found,),
            expected if isinstance(expected, tuple) else (expected,),
            strict=True,
        ):
            assert_same(x, y)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [pytest.param(name, arguments, id=f"{i}-{name}") for i, (name, *arguments) in enumerate(CALLS)],
)
def test_functions_as_numpys(name, arguments):
    compare(getattr(np, name), arguments)


@pytest.mark.parametrize("char", "?bHlfdD")
@pytest.mark.parametrize("source", [0, 1, True, 2.5, 300, -1, 1j, FLOATS, WHOLE, FLAGS, FLOATS[:3], MATRIX])
def test_copyto_as_numpys(source, char):
    host = np.ones(8, char)
    array = gpunp.asarray(host)
    _, error = outcome(lambda: np.copyto(host, source))
    for _ in range(2):
        _, raised = outcome(lambda: np.copyto(array, placed(source)))
        assert (raised is None) == (error is None), (raised, error)
        if error is None:
            assert_same(array, host)


def test_copyto_within_an_array():
    host = np.arange(8.0)
    array = gpunp.asarray(host)
    np.copyto(host[1:], host[:-1])
    np.copyto(array[1:], array[:-1])
    assert_same(array, host)
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(np.broadcast_to(array[:1], 8), 1.0)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or]
)
@pytest.mark.parametrize("values", [FLOATS, WHOLE, FLAGS, MATRIX, FLOATS[:0], np.array(3.0)])
def test_reductions_of_ufuncs(ufunc, values):
    compare(ufunc.reduce, (values,))


@pytest.mark.parametrize("left", [FLOATS[:4], MATRIX, MATRIX.T, np.arange(4), np.array(3.0), MATRIX[None]])
@pytest.mark.parametrize("right", [FLOATS[:4], MATRIX, MATRIX.T, np.arange(4), np.array(2.0)])
def test_products(left, right):
    compare(np.dot, (left, right))
    compare(lambda x, y: x.dot(y), (left, right))
    compare(np.matmul, (left, right))
    for name in ("vecdot", "matvec", "vecmat"):
        compare(getattr(np, name), (left, right))
    compare(np.linalg.vecdot, (left, right))
    compare(lambda x, y: np.linalg.vecdot(x, y, axis=0), (left, right))


@pytest.mark.parametrize("char", "fdDl")
def test_products_of_few_strided_elements(char):
    left = (np.arange(24.0).reshape(4, 6) - 7).astype(char)
    right = (np.arange(30.0).reshape(6, 5) % 7).astype(char)
    for a in (left, left[::2], left[:, ::-1], left[1]):
        for b in (right, right[:, ::2], right[::-1], right.T.copy().T, right[:, 2]):
            compare(lambda x, y: x @ y, (a, b))
            # Views of the device, too.
            compare(lambda x, y: x[::-1] @ y[:, ::-1] if x.ndim == y.ndim == 2 else x[::-1] @ y, (a, b))


JOINS = ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack")
PARTS = [(FLOATS, FLOATS), (FLOATS, WHOLE), (FLOATS, MATRIX), (FLOATS, 1.0), (FLOATS,), ()]
PARTS += [(MATRIX, MATRIX), (MATRIX, MATRIX[:, ::-1]), (MATRIX[None], MATRIX[None])]


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize("parts", PARTS)
def test_joins(name, parts):
    join = getattr(np, name)
    compare(lambda *given: join(given), parts)
    compare(lambda *given: join(list(given)), parts)
    if name in ("concatenate", "stack"):
        for axis in (0, 1, 2, -1, -3, None, True):
            compare(lambda *given, axis=axis: join(given, axis=axis), parts)
    compare(lambda *given: np.concatenate([given[0][:1], *given], -1), parts)


@pytest.mark.parametrize("name", JOINS)
def test_joins_with_host_arrays_and_other_libraries(name):
    join, array = getattr(np, name), gpunp.asarray(FLOATS)
    join((array, array))
    assert_same(join((array, FLOATS)), join((FLOATS, FLOATS)))

    class Other:
        shape, ndim, dtype = FLOATS.shape, FLOATS.ndim, FLOATS.dtype

        def __array_function__(self, func, types, args, kwargs):
            return func

    assert join((array, Other())) is join


def test_sums_of_sequences_of_scalars_are_numpys():
    array = gpunp.asarray(FLOATS)
    np.sum(array)
    assert type(np.sum([array[1], array[2]])) is type(np.sum([FLOATS[1], FLOATS[2]]))


CREATIONS = [
    ("zeros", (3,), {}),
    ("zeros", ((2, 3), "f4"), {}),
    ("zeros", ([2, 3],), {"dtype": int, "order": "F"}),
    ("zeros", (-1,), {}),
    ("zeros", (2.5,), {}),
    ("zeros", (), {"shape": 3}),
    ("zeros", (), {}),
    ("zeros", (3,), {"junk": 1}),
    ("ones", (3,), {}),
    ("ones", (3, int), {}),
    ("full", (3, 2.0), {}),
    ("full", (3, 2), {}),
    ("full", (3, 2.5, int), {}),
    ("full", (3, 300, "u1"), {}),
    ("full", (3, 2**60), {}),
    ("full", (3, 2**60, "f8"), {}),
    ("full", ((2, 2), [1.0, 2.0]), {}),
    ("array", ([1.0, 2.0],), {}),
    ("array", ([1, 2], "f4"), {"ndmin": 2}),
    ("asarray", ((1, 2),), {}),
    ("asanyarray", (2.5,), {}),
    ("arange", (5,), {}),
    ("arange", (5, 1, -2), {}),
    ("arange", (1, 6, 2, int), {}),
    ("arange", (1, 6, 2.0), {}),
    ("arange", (0, 5, 0), {}),
    ("arange", (5, 1), {}),
    ("arange", (2**60, 2**60 + 3), {}),
    ("eye", (3,), {}),
    ("identity", (2,), {}),
    ("fromiter", ([1, 2], int), {}),
]


@pytest.mark.parametrize(("name", "arguments", "keywords"), CREATIONS)
def test_creation_like_an_array(name, arguments, keywords):
    create, array = getattr(np, name), gpunp.asarray(FLOATS)
    expected, error = outcome(lambda: create(*arguments, like=FLOATS, **keywords))
    for _ in range(2):
        found, raised = outcome(lambda: create(*arguments, like=array, **keywords))
        if error is not None:
            assert type(raised) is type(error)
            continue
        assert raised is None, raised
        assert type(found) is gpunp.ndarray
        assert_same(found, expected)


@pytest.mark.parametrize(
    "call",
    [
        "take([0, 1], axis=1, mode='clip')",
        "cumsum(axis=1)",
        "cumprod(axis=1)",
        "argsort(axis=0)",
        "repeat([1, 2], axis=0)",
        "nonzero()",
        "ravel().searchsorted(2.0, side='right', sorter=gpunp.arange(4))",
    ],
)
def test_methods_as_the_first_call_of_a_process(call, device):
    program = f"import gpunp\nx = gpunp.asarray([[1.0, 2.0], [3.0, 4.0]])\nx.{call}\n"
    environment = {**os.environ, "GPUNP_DEVICE": str(device)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("function", registry.SHORT_FUNCTIONS, ids=lambda f: f.__name__)
def test_parameters_are_numpys(function):
    try:
        expected = inspect.signature(function).parameters
    except ValueError:
        pytest.skip("this release of NumPy does not tell the parameters")
    found = list(inspect.signature(registry.SHORT_FUNCTIONS[function]).parameters.values())
    named = [p for p in found if p.kind is not p.VAR_KEYWORD]
    assert [p.name for p in named] == [name for name, p in expected.items()][: len(named)]
    assert len(named) == len(expected) or found[-1].kind is found[-1].VAR_KEYWORD

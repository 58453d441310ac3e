"""`numpy.random` on rows of device arrays: NumPy draws the numbers, and the rows are moved on the device."""

import random
import subprocess
import sys

import numpy as np
import pytest
from numpy.random import shuffle as imported_shuffle

import gpunp

GENERATORS = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}
SHAPES = [(0,), (1,), (2,), (7,), (300,), (4, 3), (1, 5), (0, 3), (3, 0), (5, 2, 3)]


def pair(kind):
    return GENERATORS[kind](7), GENERATORS[kind](7)


def axes(kind, ndim):
    return [{}] if kind == "RandomState" else [{}, *({"axis": axis} for axis in range(-ndim, ndim))]


def same(device_array, host, first, second):
    """Assert equal values, and that both generators continue with the same numbers."""
    assert isinstance(device_array, gpunp.ndarray)
    np.testing.assert_array_equal(gpunp.asnumpy(device_array), host, strict=True)
    assert first.normal() == second.normal()


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f8", "c16"])
def test_shuffle(kind, shape, dtype):
    host = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for axis in axes(kind, len(shape)):
        expected, x = host.copy(), gpunp.asarray(host)
        first, second = pair(kind)
        assert first.shuffle(x, **axis) is None
        second.shuffle(expected, **axis)
        same(x, expected, first, second)


@pytest.mark.parametrize("kind", GENERATORS)
def test_shuffle_of_views(kind):
    host = np.arange(60.0).reshape(6, 10)
    for view in (
        lambda a: a[::2],
        lambda a: a[::-1, 1:9:3],
        lambda a: a.T,
        lambda a: a[:, 4],
        lambda a: a[1:3],
    ):
        expected, x = host.copy(), gpunp.asarray(host)
        first, second = pair(kind)
        first.shuffle(view(x))
        second.shuffle(view(expected))
        same(x, expected, first, second)


def test_module_functions_and_names_imported_before():
    host = np.arange(20).reshape(10, 2)
    for function in (np.random.shuffle, imported_shuffle):
        x, expected = gpunp.asarray(host), host.copy()
        np.random.seed(5)
        function(x)
        np.random.seed(5)
        function(expected)
        np.testing.assert_array_equal(gpunp.asnumpy(x), expected)
    np.random.seed(5)
    permuted = np.random.permutation(gpunp.asarray(host))
    np.random.seed(5)
    np.testing.assert_array_equal(gpunp.asnumpy(permuted), np.random.permutation(host))


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_permutation(kind, shape):
    host = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    x = gpunp.asarray(host)
    for axis in axes(kind, len(shape)):
        first, second = pair(kind)
        same(first.permutation(x, **axis), second.permutation(host, **axis), first, second)
    np.testing.assert_array_equal(gpunp.asnumpy(x), host)


@pytest.mark.parametrize("size", [None, 3, (2, 3), 0])
@pytest.mark.parametrize("options", [{}, {"replace": False}, {"p": [0.1, 0.2, 0.1, 0.2, 0.1, 0.3]}])
@pytest.mark.parametrize("kind", GENERATORS)
def test_choice(kind, size, options):
    host = np.arange(6.0)
    first, second = pair(kind)
    if options.get("replace") is False and size == (2, 3):
        options = {**options, "p": [1 / 6] * 6}
    same(
        first.choice(gpunp.asarray(host), size, **options),
        np.asarray(second.choice(host, size, **options)),
        first,
        second,
    )


def test_choice_along_an_axis():
    host = np.arange(24.0).reshape(4, 6)
    for axis in (0, 1, -1):
        first, second = pair("Generator")
        same(
            first.choice(gpunp.asarray(host), 3, axis=axis),
            second.choice(host, 3, axis=axis),
            first,
            second,
        )


ERRORS = [
    lambda rng, a: rng.shuffle(a[0, 0]),
    lambda rng, a: rng.shuffle(a, axis=2),
    lambda rng, a: rng.shuffle(a, axis=1.5),
    lambda rng, a: rng.shuffle(a, axis=None),
    lambda rng, a: rng.shuffle(np.broadcast_to(a[0], (4, 3))),
    lambda rng, a: rng.permutation(a, axis=2),
    lambda rng, a: rng.choice(a, 3, axis=2),
    lambda rng, a: rng.choice(a, 9, replace=False),
    lambda rng, a: rng.choice(a[:0], 1),
    lambda rng, a: rng.choice(a, 2, p=[0.5, 0.6, 0, 0]),
    lambda rng, a: rng.shuffle(),
    lambda rng, a: rng.shuffle(a, 0, 0),
]
LEGACY_ERRORS = [
    lambda rng, a: rng.shuffle(a[0, 0, ...]),
    lambda rng, a: rng.shuffle(np.broadcast_to(a[0], (4, 3))),
    lambda rng, a: rng.choice(a, 3),
    lambda rng, a: rng.choice(a[0, :0], 1),
    lambda rng, a: rng.shuffle(a, 0),
]


@pytest.mark.parametrize(
    ("kind", "call"), [*(("Generator", e) for e in ERRORS), *(("RandomState", e) for e in LEGACY_ERRORS)]
)
def test_errors(kind, call):
    host = np.arange(12.0).reshape(4, 3)
    x = gpunp.asarray(host)
    first, second = pair(kind)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - any exception of NumPy
        call(second, host)
    with pytest.raises(expected.type):
        call(first, x)
    np.testing.assert_array_equal(gpunp.asnumpy(x), host)
    assert first.normal() == second.normal()


def test_what_would_be_converted_is_refused():
    rng, x = np.random.default_rng(1), gpunp.ones(4) / 4
    for call in (
        lambda: rng.choice(4, p=x),
        lambda: np.random.choice(4, p=x),
        lambda: rng.permuted(x),
        lambda: rng.permuted(np.zeros(4), out=x),
        lambda: rng.normal(x),
    ):
        with pytest.raises(TypeError):
            call()
    np.testing.assert_array_equal(gpunp.asnumpy(x), np.full(4, 0.25))


def test_numbers_on_the_device():
    n = gpunp.asarray([6]).sum()
    for kind in GENERATORS:
        first, second = pair(kind)
        np.testing.assert_array_equal(first.permutation(n), second.permutation(6))
        np.testing.assert_array_equal(first.choice(n, 3), second.choice(6, 3))


def test_standard_library():
    # Elements are copies, rows are views: as in NumPy.
    for shape in ((9,), (6, 2)):
        host = np.arange(np.prod(shape)).reshape(shape)
        x = gpunp.asarray(host)
        random.Random(3).shuffle(x)
        random.Random(3).shuffle(host)
        np.testing.assert_array_equal(gpunp.asnumpy(x), host)


def test_policy_on_host_operands():
    host = np.arange(12).reshape(6, 2)
    x = gpunp.asarray(host)
    np.random.default_rng(1).shuffle(host)
    with gpunp.config.using(host_operands="error"):
        np.random.default_rng(1).shuffle(x)
    np.testing.assert_array_equal(gpunp.asnumpy(x), host)


PROGRAM = """
import sys
{first}
{second}
x = gpunp.asarray([[1, 1], [2, 2], [3, 3], [4, 4]], device="cpu")
np.random.default_rng(1).shuffle(x)
print(sorted(x.tolist()))
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("import gpunp", "import numpy as np; assert 'numpy.random' not in sys.modules"),
        ("import numpy as np", "import gpunp"),
        ("import numpy as np, numpy.random", "import gpunp"),
        ("import numpy as np, numpy.random, numpy.testing", "import gpunp"),
    ],
)
def test_in_either_order_of_imports(first, second):
    program = PROGRAM.format(first=first, second=second)
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[[1, 1], [2, 2], [3, 3], [4, 4]]\n", "")

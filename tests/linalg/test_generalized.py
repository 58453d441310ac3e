"""The generalized ufuncs: keyword arguments, and the attributes and methods of ufuncs."""

import pickle

import numpy as np
import pytest
from calls import call_test

import gpunp

NAMES = ("matmul", "vecdot", "matvec", "vecmat")
A = "A(np.arange(24.).reshape(2, 3, 4))"
LINES = """
    xp.{f}({a}, {a}, axes=[1, 1])
    xp.{f}({a}, {a}, axes=[-1, -1, -1])
    xp.{f}({a}, {a}, axes=(-1, -1))
    xp.{f}({a}, {a}, axes=[-1])
    xp.{f}({a}, {a}, axes=[[1], [1]])
    xp.{f}({a}, {a}, axes=[True, 1])
    xp.{f}({a}, {a}, axes=[1.0, 1])
    xp.{f}({a}, {a}, axes=[(0, 0), (0, 1), (0, 1)])
    xp.{f}({a}, {a}, axes=[(0, 1), (2, 1), (0, 1)])
    xp.{f}({a}, {a}, axes=[(-2, -1), -1, -1])
    xp.{f}({a}, {a}, axes=[-1, (-2, -1), -1])
    xp.{f}({a}, {a}, axes=[3, 1])
    xp.{f}({a}, {a}, axes=[1, 1], axis=1)
    xp.{f}({a}, {a}, axis=1)
    xp.{f}({a}, {a}, axis=3)
    xp.{f}({a}, {a}, axis=True)
    xp.{f}({a}, {a}, axis=(1,))
    xp.{f}({a}, {a}, keepdims=True)
    xp.{f}({a}, {a}, keepdims=False)
    xp.{f}({a}, {a}, keepdims=1)
    xp.{f}({a}, {a}, axis=1, keepdims=True)
    xp.{f}({a}, {a}, axes=[1, 1], keepdims=True)
    xp.{f}({a}, {a}, axes=[1, 1, 0], keepdims=True)
    xp.{f}({a}, {a}, axes=[1, 1, ()], keepdims=True)
    xp.{f}(A([1., 2]), A([1., 2]), keepdims=True, out=A([0.]))
    xp.{f}(A([1., 2]), A([1., 2]), keepdims=True, out=A(0.))
    xp.{f}(A([1., 2]), A([1., 2]), keepdims=True, out=A([0., 0]))
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [3, 4]]), keepdims=True, axis=0, out=A([[0., 0]]))
    xp.{f}(A([[1., 2], [3, 4]]), A([1., 2]), out=A([[0, 0]]))
    xp.{f}(A([[1., 2], [3, 4]]), A([1., 2]), out=A(np.zeros((3, 2))))
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), out=A(np.zeros((2, 2), 'f')))
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), out=A(np.zeros((2, 2), 'l')), casting='unsafe')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), dtype='l')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), dtype='l', casting='unsafe')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), dtype='f', casting='no')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), casting='other')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), casting=None)
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), order='other')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), signature='ff->f')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), sig='ff->f')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), signature='dd->d', dtype='d')
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), signature=(None, None, 'f'))
    xp.{f}(A([[1., 2], [3, 4]]), A([[1., 2], [4, 4]]), where=True)
    xp.{f}(A(2.), A([1.]))
    xp.{f}(x1=A([1.]), x2=A([1.]))
    xp.{f}.reduce(A([1., 2]))
    xp.{f}.accumulate(A([1., 2]))
    xp.{f}.reduceat(A([1., 2]), [0])
    xp.{f}.outer(A([1., 2]), A([1., 2]))
    xp.{f}.at(A([1., 2]), [0], A([1., 2]))
    xp.{f}.nin, xp.{f}.nout, xp.{f}.nargs, xp.{f}.signature, xp.{f}.identity, xp.{f}.__name__
    isinstance(xp.{f}, xp.ufunc)
"""
test_calls = call_test("".join(LINES.replace("{f}", name).replace("{a}", A) for name in NAMES), exact=False)


@pytest.mark.parametrize("name", NAMES)
def test_are_ufuncs(name):
    ufunc, reference = getattr(gpunp, name), getattr(np, name)
    assert ufunc.types == [text for text in reference.types if not set(text) & set("lLgGO")]
    assert ufunc.ntypes == len(ufunc.types)
    assert pickle.loads(pickle.dumps(ufunc)) is ufunc
    assert repr(ufunc) == f"<gpunp ufunc '{name}'>"
    assert name in ufunc.__doc__
    dtypes = (np.dtype("f"), np.dtype("d"), None)
    assert ufunc.resolve_dtypes(dtypes) == reference.resolve_dtypes(dtypes)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("matmul", (5, 2, 3), (6, 3, 4)),
        ("matmul", (4, 5, 2, 3), (6, 3, 4)),
        ("vecdot", (5, 3), (6, 3)),
        ("vecdot", (4, 5, 3), (6, 3)),
        ("matvec", (5, 2, 3), (6, 2, 3)),
        ("vecmat", (5, 2, 3), (6, 3, 4)),
    ],
)
def test_loop_dimensions_that_do_not_broadcast(name, x, y, device):
    """SciPy's tests of LinearOperator compare the text of NumPy's message."""
    function = getattr(np, name)
    with pytest.raises(ValueError, match="could not be broadcast together") as expected:
        function(np.ones(x), np.ones(y))
    with pytest.raises(ValueError, match="could not be broadcast together") as actual:
        function(gpunp.ones(x, device=device), gpunp.ones(y, device=device))
    assert str(actual.value).rstrip() == str(expected.value).rstrip()

"""Tests that every name of ``numpy`` is in ``gpunp`` or left out with a reason."""

import importlib
import warnings

import numpy as np
import pytest

import gpunp
from gpunp.dispatch.coverage import overridable_functions
from gpunp.namespace import ABSENT, FROM_NUMPY


def attribute(module, path):
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.5.0", reason="has names that are gone since")
def test_every_name_of_numpy_is_decided():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [
            name
            for name in np.__all__
            if not (name.startswith("_") or hasattr(gpunp, name) or name in ABSENT) and hasattr(np, name)
        ]
    pending = {"random"} | {path.removeprefix("numpy.") for path in overridable_functions()}
    assert sorted(set(missing) - pending) == []


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_absent_names_say_why(name):
    assert not hasattr(gpunp, name)
    with pytest.raises(AttributeError, match=f"'{name}': ") as error:
        getattr(gpunp, name)
    assert ABSENT[name] in str(error.value)


def test_names_that_other_libraries_put_into_numpy(monkeypatch):
    monkeypatch.setattr(np, "expm1_of_another", np.expm1, raising=False)
    assert "expm1_of_another" not in gpunp.__all__


def test_other_names():
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        gpunp.nonsense  # noqa: B018


@pytest.mark.parametrize("name", FROM_NUMPY)
def test_names_of_numpy_are_the_same_object(name):
    assert getattr(gpunp, name) is getattr(np, name)


def test_aliases_agree():
    groups = {}
    for name in np.__all__:
        value = getattr(np, name, None)
        if callable(value) and hasattr(gpunp, name):
            groups.setdefault(id(value), []).append(name)
    for names in groups.values():
        first = getattr(gpunp, names[0])
        assert all(getattr(gpunp, name) is first for name in names), names


def test_submodules_can_be_imported():
    for name in ("fft", "polynomial", "polynomial.polynomial", "linalg"):
        assert importlib.import_module(f"gpunp.{name}") is attribute(gpunp, name)


def test_aliases_work_on_device_arrays():
    a = gpunp.asarray(np.asfortranarray(np.ones((2, 3))))
    assert gpunp.isfortran(a)
    assert not gpunp.isfortran(a.T)
    assert gpunp.iterable(a)
    assert not gpunp.isscalar(a)
    assert gpunp.finfo(a.dtype).eps == np.finfo(float).eps
    assert gpunp.iinfo(gpunp.int8).max == 127
    assert gpunp.issubdtype(a.dtype, gpunp.floating)
    assert gpunp.isdtype(a.dtype, "real floating")
    assert gpunp.promote_types("f4", "i8") == np.float64
    assert list(gpunp.ndindex(*a.shape)) == list(np.ndindex(2, 3))
    assert a[gpunp.s_[:, 1]].shape == (2,)
    assert a[gpunp.index_exp[..., None]].shape == (2, 3, 1)
    with gpunp.printoptions(precision=1):
        assert repr(gpunp.asarray([1.25])) == repr(np.array([1.25]))
        assert gpunp.get_printoptions()["precision"] == 1
    with gpunp.errstate(divide="raise"):
        assert np.isinf((a / 0).get()).all()

"""Functions of gpunp_scipy have the signatures and docstrings of SciPy's functions, which run them."""

import importlib
import inspect
import sys
import types

import numpy as np
import pytest

import gpunp
from gpunp.dispatch import hooks
from gpunp.docstrings import compose
from gpunp.interop._on_import import SCIPY
from gpunp_scipy.routing.functions import native

pytest.importorskip("scipy", minversion="1.18")
PAIRS = [
    (module, name)
    for module in SCIPY
    for name in native(module)[1]
    if isinstance(getattr(importlib.import_module(module), name, None), types.FunctionType)
]


def signature(function):
    """The names, kinds and defaults of a function's parameters; the defaults of private ones may differ.

    The functions of fftpack take a plan, which SciPy's do not.
    """
    found = inspect.signature(function).parameters.values()
    if function.__module__ == "gpunp_scipy.fftpack.basic":
        found = [each for each in found if each.name != "plan"]
    return [(each.name, each.kind, repr(each.default) if each.name[0] != "_" else "") for each in found]


@pytest.mark.parametrize(("module", "name"), PAIRS)
def test_signature(module, name):
    theirs = getattr(importlib.import_module(module), name)
    ours = getattr(importlib.import_module(native(module)[0]), name)
    if isinstance(ours, gpunp.ufunc):
        # A ufunc of SciPy, which its array API mode wraps in a function.
        assert isinstance(theirs.__wrapped__, np.ufunc)
        return
    assert signature(ours) == signature(theirs)


@pytest.mark.parametrize("module", SCIPY)
def test_no_topic_has_the_name_of_a_function(module):
    # The import of the topic would replace the function in the package.
    ours, names = native(module)
    homes = getattr(sys.modules.get(ours), "HOMES", {})
    assert set(homes) & set(names) == set()


@pytest.mark.parametrize(("module", "name"), PAIRS)
def test_hooked(module, name):
    function = getattr(importlib.import_module(module), name)
    assert hooks.is_hooked(function) == function.__module__.startswith("scipy.")


@pytest.mark.parametrize("module", SCIPY)
def test_every_name_is_one_of_scipy(module):
    theirs = importlib.import_module(module)
    assert [name for name in native(module)[1] if not hasattr(theirs, name)] == []


@pytest.mark.parametrize(("module", "name"), [pair for pair in PAIRS if pair[0] != "scipy.special"])
def test_docstring(module, name):
    theirs = getattr(importlib.import_module(module), name)
    ours = getattr(importlib.import_module(native(module)[0]), name)
    if not ours.__module__.startswith("gpunp_scipy."):
        # A function of gpunp, which has its docstring.
        return
    head, sections = compose.split(ours.__doc__)
    assert head
    assert "; see `" not in head
    assert set(sections) <= set(compose.ORDER)
    assert f"{module}.{name} : SciPy's function" in sections["See Also"]
    documented = [each for names, _ in compose.entries(sections.get("Parameters")) for each in names]
    parameters = list(inspect.signature(ours).parameters)
    assert documented == [each for each in parameters if each in documented]
    described = compose.described(inspect.getdoc(theirs))
    assert "Returns" in sections or "Returns" not in described

"""Docstrings are composed of gpunp's and NumPy's, and are complete for every public function."""

import inspect
import io
import os
import subprocess
import sys
import types

import numpy as np
import pytest
from gpunp.ufunc.engine import UFUNCS

import gpunp
from gpunp.array_methods import METHODS
from gpunp.dispatch.registry import REGISTRATIONS
from gpunp.docstrings import compose
from gpunp.docstrings.differences import DIFFERENCES
from gpunp.linalg.generalized import PRODUCTS

compose.document_all()
HANDLERS = {
    name: registration.handler
    for name, registration in REGISTRATIONS.items()
    if isinstance(registration.handler, types.FunctionType | type)
}
# Functions that return None: they write into an argument or a file.
SILENT = (
    "copyto",
    "fill_diagonal",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
)
# Methods that return None, with arguments for a call.
CALLS = {
    "dump": (io.BytesIO(),),
    "fill": (1,),
    "partition": (1,),
    "put": (0, 1),
    "resize": (2,),
    "set": (np.ones(2),),
    "setfield": (1, "d"),
    "setflags": (),
    "sort": (),
    "tofile": (os.devnull,),
}
LATER = ("correction", "descending", "mean", "stable")
OWN = """A total; see `numpy.total`. It waits.

    Parameters
    ----------
    a : array_like
        Ours.
    """
NUMPYS = """
    total(a, b)

    Add up.

    Parameters
    ----------
    a : array_like
        Theirs.
    gone : int
        A parameter we have not.
    out, b : ndarray, optional
        See :ref:`the page <page>` [1]_ of `np.ndarray`.

        .. versionadded:: 1.7

        Sub-classes are passed through.
    subok : bool
        Passes sub-classes.

    Returns
    -------
    total : ndarray
        The total.

    See Also
    --------
    mean

    Examples
    --------
    >>> total(1)
    """


def parts(text):
    return compose.split(inspect.cleandoc(text))


def documented(section):
    return [name for names, _ in compose.entries(section) for name in names]


def test_ours_win_and_theirs_are_cut_to_the_signature():
    text = compose.compose(OWN, NUMPYS, ("a", "b", "subok", "device"), "total")
    assert text == (
        "A total. It waits.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "a : array_like\n"
        "    Ours.\n"
        "b : gpunp.ndarray, optional\n"
        "    See the page of `gpunp.ndarray`.\n"
        "subok : bool, optional\n"
        "    Accepted for compatibility: gpunp.ndarray has no subclasses, so it has no effect.\n"
        "device : Device or str, optional\n"
        "    The device of the result, by default the current one.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "total : gpunp.ndarray\n"
        "    The total.\n"
        "\n"
        "See Also\n"
        "--------\n"
        "numpy.total : NumPy's function, with its notes and examples.\n"
    )


def test_without_numpys_docstring_ours_stays():
    assert compose.compose(OWN, None, ("a",)) == inspect.cleandoc(OWN) + "\n"


@pytest.mark.parametrize(
    "function",
    [
        lambda a, /, b, *c, d=1, **e: None,
        lambda *a, b: None,
        lambda: None,
        gpunp.arange,
        gpunp.linalg.inv,
    ],
)
def test_parameters_are_those_of_the_signature(function):
    assert compose.parameters(function) == tuple(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_handler_documents_its_signature(name):
    handler = HANDLERS[name]
    summary, sections = parts(handler.__doc__)
    assert summary
    assert set(sections) <= set(compose.ORDER)
    assert documented(sections.get("Parameters")) == list(inspect.signature(handler).parameters)
    if inspect.isfunction(handler) and name not in SILENT:
        assert sections.get("Returns") or sections.get("Raises") == "TypeError\n    Always."


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_words_hold_for_device_arrays(name):
    text = HANDLERS[name].__doc__
    for words in ("versionadded", "versionchanged", "ub-class", "MaskedArray", "numpy.ndarray", "]_"):
        assert words not in text


@pytest.mark.parametrize("key", list(UFUNCS), ids="-".join)
def test_ufunc_documents_its_operands_and_keywords(key):
    ufunc = UFUNCS[key]
    text = ufunc.__doc__
    _, sections = parts(text)
    names = documented(sections["Parameters"])
    keywords = ["out", "where", "casting", "order", "dtype", "subok", "signature"]
    assert names[ufunc.nin :] == keywords
    assert len(set(names)) == len(names)
    assert text.startswith(f"{ufunc.__name__}({', '.join(names[: ufunc.nin])}, /, out=None, *, where=True")
    assert sections["Returns"]


@pytest.mark.parametrize("name", sorted(PRODUCTS))
def test_product_documents_its_signature(name):
    product = PRODUCTS[name]
    names = documented(parts(product.__doc__)[1]["Parameters"])
    assert sorted(names) == sorted(set(inspect.signature(product).parameters) - {"sig"})


@pytest.mark.parametrize("name", sorted(name for name in METHODS if not name.startswith("_")))
def test_method_documents_its_signature(name):
    method = getattr(gpunp.ndarray, name)
    sections = parts(method.__doc__)[1]
    known = list(inspect.signature(method).parameters)[1:]
    named = documented(sections.get("Parameters"))
    # Some methods show the signatures of NumPy's functions, which have these only in later versions.
    assert [each for each in named if each in known or each not in LATER] == known
    assert "Returns" in sections or method(gpunp.ones(2), *CALLS[name]) is None


@pytest.mark.parametrize("cls", [gpunp.random.Generator, gpunp.random.RandomState])
def test_draws_document_their_signature(cls):
    for name in dir(cls):
        method = getattr(cls, name)
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        sections = parts(method.__doc__)[1]
        known = list(inspect.signature(method).parameters)[1:]
        assert documented(sections.get("Parameters")) == known, name


def test_differences_are_of_functions_that_are_there():
    assert set(DIFFERENCES) - set(REGISTRATIONS) == set()
    assert "LinAlgError" in parts(gpunp.linalg.svd.__doc__)[1]["Differences from NumPy"]


def test_namespace_completes_a_docstring_when_it_is_asked_for():
    program = (
        "import sys, gpunp, numpy as np\n"
        "x = gpunp.ndarray(3)\n"
        "np.sum(x)\n"
        "print('gpunp.docstrings' in sys.modules)\n"
        "functions = gpunp.sum, gpunp.fft.fft, gpunp.concat, gpunp.emath.sqrt\n"
        "print(*('Parameters' in function.__doc__ for function in functions))\n"
        "print(gpunp.amax.__doc__ == gpunp.max.__doc__, 'axis : ' in gpunp.amax.__doc__)"
    )
    command = [sys.executable, "-P", "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", *["True"] * 6]


def test_python_without_docstrings():
    program = "import gpunp; print(gpunp.sum.__doc__, gpunp.random.normal.__doc__, gpunp.asarray([1]) + 1)"
    command = [sys.executable, "-P", "-OO", "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "None", "[2]"]

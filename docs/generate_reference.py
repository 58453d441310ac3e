"""Write the reference: a page for each chapter of the registry, one for the ufuncs, one for kernels."""

import inspect

from gpunp.ufunc.engine import UFUNCS

import gpunp
from gpunp.dispatch.registry import REGISTRATIONS
from gpunp.docstrings.compose import document_all
from gpunp.linalg.generalized import PRODUCTS
from gpunp.namespace import kernel_names
from gpunp.ufunc.table import ROWS

NUMPY = "https://numpy.org/doc/stable/reference/generated/numpy.{name}.html"
SCIPY = "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.{name}.html"
TITLES = {
    "dtypes": "Data types",
    "io": "Input and output",
    "linalg": "Linear algebra",
    "logic": "Logic functions",
    "manipulation": "Array manipulation",
    "math": "Mathematical functions",
    "creation": "Array creation",
    "sorting": "Sorting and searching",
    "sets": "Set routines",
    "functional": "Functional programming",
    "polynomial": "Polynomials",
    "fft": "Discrete Fourier transform",
}
SOURCES = {"numpy": ("gpunp", NUMPY), "scipy.special": ("scipy.special", SCIPY)}

UFUNC_INTRODUCTION = """\
All of them have the methods ``reduce``, ``accumulate``, ``reduceat``, ``outer`` and ``at`` wherever NumPy's
have. Operands of other dtypes are converted by NumPy's rules. The loops are written in NumPy's type
characters, as in ``np.add.types``.

"""

KERNEL_INTRODUCTION = """\
:doc:`Which kind of kernel for what </kernels/index>` is in the guide.

"""


def write_pages(folder):
    """Write all pages, and only those that changed, so that Sphinx reads no page twice."""
    document_all()
    pages = {"ufuncs.rst": ufunc_page(), "kernels.rst": kernel_page()}
    chapters = {}
    for name, registration in REGISTRATIONS.items():
        if any(
            kind(registration.handler) for kind in (inspect.isfunction, inspect.isbuiltin, inspect.isclass)
        ):
            chapters.setdefault(registration.chapter, []).append(name)
    for chapter, names in sorted(chapters.items()):
        pages[f"{chapter}.rst"] = chapter_page(chapter, sorted(names))
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.rst"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def title(text):
    """A heading."""
    return f"{text}\n{'=' * len(text)}\n\n"


def chapter_page(chapter, names):
    """The handlers of a chapter, with their docstrings."""
    text = title(TITLES.get(chapter, chapter.capitalize()))
    for name in names:
        handler = REGISTRATIONS[name].handler
        arguments = signature(handler)
        kind = "class" if inspect.isclass(handler) else "function"
        text += f".. py:{kind}:: gpunp.{name}{arguments}\n\n"
        text += indented(docstring(handler)) + "\n"
        if REGISTRATIONS[name].numpy_path:
            page = NUMPY.format(name=name)
            text += f"   NumPy's own page: `{REGISTRATIONS[name].numpy_path} <{page}>`__\n\n"
    return text


def kernel_page():
    """The kernels of users and what belongs to them; classes with their methods."""
    text = title("Kernels")
    text += KERNEL_INTRODUCTION
    for name in kernel_names():
        found = getattr(gpunp, name)
        if inspect.isclass(found):
            text += f".. autoclass:: gpunp.{name}\n   :members:\n   :special-members: __call__\n\n"
        else:
            text += f".. py:function:: gpunp.{name}{signature(found)}\n\n"
            text += indented(docstring(found)) + "\n"
    if "jit" in gpunp.__all__:
        text += ".. automodule:: gpunp.jit\n   :members:\n\n"
    return text + ".. autoexception:: gpunp.cuda.compiler.CompileException\n"


def signature(handler):
    """The parameters as one line."""
    try:
        return str(inspect.signature(handler))
    except (TypeError, ValueError):
        return "(...)"


def docstring(handler):
    """The docstring in reStructuredText."""
    from sphinx.ext.napoleon import Config, NumpyDocstring

    options = Config(
        napoleon_use_rtype=False,
        napoleon_use_ivar=True,
        napoleon_custom_sections=["Differences from NumPy", "Differences from SciPy"],
    )
    return str(NumpyDocstring(inspect.getdoc(handler), options))


def object_entry(ufunc, module):
    """The entry of a ufunc object, whose docstring begins with its signature."""
    call, _, text = docstring(ufunc).partition("\n")
    return f".. py:function:: {module}.{call}\n\n{indented(text)}\n"


def indented(text):
    """A directive's content."""
    return "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())


def ufunc_page():
    """Every row of the op table that users can call."""
    text = title("Ufuncs")
    text += UFUNC_INTRODUCTION
    for namespace, (module, page) in SOURCES.items():
        heading = "From NumPy" if namespace == "numpy" else "From scipy.special"
        text += f"{heading}\n{'-' * len(heading)}\n\n"
        rows = [row for row in ROWS if row.namespace == namespace and not row.name.startswith("_")]
        for row in sorted(rows, key=lambda row: row.name):
            if namespace == "numpy" and (row.name in REGISTRATIONS or not hasattr(gpunp, row.name)):
                continue
            text += object_entry(UFUNCS[namespace, row.name], module)
            text += f"   `{namespace}.{row.name} <{page.format(name=row.name)}>`__\n\n"
    for name in ("multigammaln", "polygamma", "zeta"):
        function = getattr(gpunp.special, name)
        text += f".. py:function:: gpunp.special.{name}{signature(function)}\n\n"
        text += indented(docstring(function)) + "\n"
    heading = "Products of matrices and vectors"
    text += f"{heading}\n{'-' * len(heading)}\n\n"
    for name in sorted(PRODUCTS):
        text += object_entry(PRODUCTS[name], "gpunp")
        text += f"   `numpy.{name} <{NUMPY.format(name=name)}>`__\n\n"
    return text

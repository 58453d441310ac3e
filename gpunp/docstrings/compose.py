"""Complete docstrings: our summary, remarks and differences with sections of the installed NumPy or SciPy.

A handler's docstring in the sources says what the function does. Parameters, Returns and Raises that it omits
are taken from the docstring of NumPy's function when a user first gets the handler from the gpunp namespace,
reduced to the handler's own parameters and to what holds on a device. This happens in every program, so texts
are searched for rare markers before they are parsed.
"""

import importlib
import inspect
import re
import sys
import types

from gpunp.array.signatures import parameters
from gpunp.docstrings import texts
from gpunp.docstrings.differences import DIFFERENCES

# Sections in numpydoc's order, with one of our own.
ORDER = (
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "Attributes",
    "Methods",
    "Differences from NumPy",
    "Differences from SciPy",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
# Sections taken from NumPy, and the titles that end them in NumPy's docstrings.
_TAKEN = ("Returns", "Yields", "Raises", "Warns")
_ENDS = ("\nSee Also\n", "\nNotes\n", "\nExamples\n", "\nAttributes\n", "\nReferences\n", "\nMethods\n")
# Paragraphs with these words describe objects that gpunp does not have, or show NumPy's output.
_FOREIGN = (
    "ub-class",
    "ubclass",
    "MaskedArray",
    "masked array",
    "np.matrix",
    "`matrix`",
    "object array",
    ">>>",
)
_done = set()


def split(text):
    """Split a dedented docstring into the part before its sections, and a dict of sections by title."""
    lines = text.split("\n")
    found = {}
    start, title = 0, ""
    for number in range(1, len(lines)):
        line = lines[number]
        if line.startswith("---") and not line.strip("-") and lines[number - 1]:
            found[title] = "\n".join(lines[start : number - 1]).rstrip()
            start, title = number + 1, lines[number - 1]
    found[title] = "\n".join(lines[start:]).rstrip()
    return found.pop(""), found


def entries(section):
    """The entries of a section, each as a tuple of names and a text."""
    found, start = [], 0
    # Some of SciPy's sections begin with an empty line.
    lines = section.lstrip("\n").split("\n") if section else []
    for number in range(1, len(lines) + 1):
        if number == len(lines) or lines[number][:1] not in ("", " "):
            found.append((names(lines[start]), "\n".join(lines[start:number]).rstrip()))
            start = number
    return found


def names(header):
    """The names in the first line of an entry: ``("x1", "x2")`` for ``x1, x2 : array_like``."""
    head = header.partition(":")[0]
    return tuple(name.strip(" \\*") for name in head.split(",") if name.strip(" \\*."))


def compose(own, numpy_text, arguments, name=None, library="numpy"):
    """Compose the docstring of a function.

    Parameters
    ----------
    own : str
        The docstring in our sources. Its entries and sections are kept.
    numpy_text : str or None
        The docstring of NumPy's function.
    arguments : sequence of str
        The names of our parameters, in order.
    name : str, optional
        The path of NumPy's function below ``numpy``, for See Also.
    library : {"numpy", "scipy"}
        The library of the function.

    Returns
    -------
    str
    """
    head, sections = split(inspect.cleandoc(own) if "\n" in own else own)
    theirs = described(numpy_text) if numpy_text else {}
    sections["Parameters"] = _arranged(sections.get("Parameters"), theirs.get("Parameters"), arguments)
    for title in _TAKEN:
        if title not in sections and title in theirs:
            sections[title] = adapted(theirs[title])
    if numpy_text and name:
        before, _, after = head.partition(f"; see `{library}.")
        head = before + after.partition("`")[2]
        sections.setdefault("See Also", texts.SEE_ALSO[library].format(name=name))
    if library == "numpy" and name in DIFFERENCES and "Differences from NumPy" not in sections:
        sections["Differences from NumPy"] = DIFFERENCES[name]
    titles = [title for title in ORDER if sections.get(title)]
    return (
        "\n\n".join([head, *[f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in titles]]) + "\n"
    )


def described(text):
    """The sections of a NumPy docstring from Parameters up to the first that is not taken."""
    start = text.find("Parameters\n")
    if start < 0:
        start = text.find("Returns\n")
        if start < 0:
            return {}
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    if indent:
        text = text.replace("\n" + indent, "\n")
        start = max(text.find("\nParameters\n"), 0) or text.find("\nReturns\n")
    end = len(text)
    for title in _ENDS:
        end = text.find(title, start, end) if title in text[start:end] else end
    return split(text[start:end].strip())[1]


def _arranged(own, theirs, arguments):
    """The Parameters section in the order of the signature: our entries, else common ones, else NumPy's."""
    known = {}
    for named, text in entries(theirs):
        wanted = tuple(name for name in named if name in arguments and name not in known)
        if wanted and not (len(wanted) == 1 and wanted[0] in texts.ALWAYS):
            known.update(dict.fromkeys(wanted, (named, adapted(text))))
    for name in arguments:
        if name in texts.ALWAYS:
            known[name] = (name,), texts.ALWAYS[name]
    for named, text in entries(own):
        known.update(dict.fromkeys(named, (named, text)))
    lines, written = [], set()
    for name in arguments:
        if name in known and name not in written:
            named, text = known[name]
            rest = [other for other in named if other in known and known[other][1] is text]
            if len(rest) < len(named):
                text = ", ".join(rest) + text[len(text.partition(":")[0].rstrip()) :]
            lines.append(text)
            written.update(rest)
    return "\n".join(lines)


def adapted(text):
    """Adapt a section or entry of NumPy's docstring to gpunp."""
    if ".. " in text or any(word in text for word in _FOREIGN):
        text = "\n".join(_relevant(text.split("\n"))).rstrip()
    if ":`" in text:
        # Keep only the text of references to pages of NumPy's documentation.
        text = re.sub(r":(?:ref|doc|term|func):`~?([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    if "]_" in text:
        text = re.sub(r"\s*\[[\w.]+\]_", "", text)
    if "ndarray" in text:
        text = text.replace("numpy.ndarray", "ndarray").replace("np.ndarray", "ndarray")
        text = text.replace("ndarray", "gpunp.ndarray")
    return text


def _relevant(lines):
    """The lines without paragraphs about foreign objects and without version directives."""
    kept, paragraph, depth = [], [], None
    for line in [*lines, ""]:
        blank = not line.strip()
        if depth is not None:
            if blank or len(line) - len(line.lstrip()) > depth:
                continue
            depth = None
        if line.lstrip().startswith((".. version", ".. deprecated")):
            depth = len(line) - len(line.lstrip())
            continue
        if blank or not line.startswith(" "):
            kept += _without_foreign(paragraph)
            paragraph = []
        paragraph.append(line)
    return kept + _without_foreign(paragraph)


def _without_foreign(paragraph):
    words = " ".join([line for line in paragraph if line.startswith(" ")])
    if any(word in words for word in _FOREIGN):
        return [line for line in paragraph if line and not line.startswith(" ")]
    return paragraph


def numpy_object(path):
    """The object at a dotted path, or None."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(sys.modules.get(module) or importlib.import_module(module), name, None)
    except ImportError:
        return None


def document(handler, name, path=None):
    """Complete the docstring of a handler, once.

    Parameters
    ----------
    handler : function or class
        The object that the name refers to in gpunp.
    name : str
        The public name, such as ``"linalg.norm"``.
    path : str, optional
        The dotted path of NumPy's or SciPy's function; by default it is NumPy's of the same name.
    """
    own = handler.__doc__
    # With python -OO there are no docstrings to complete.
    if own is None or id(handler) in _done:
        return
    _done.add(id(handler))
    path = path or f"numpy.{name}"
    library = path.partition(".")[0]
    text = getattr(numpy_object(path), "__doc__", None)
    if text is None or "Parameters" not in text:
        # NumPy documents an alias only by reference: numpy.amax refers to numpy.max.
        named = f"{path.rpartition('.')[0]}.{handler.__name__}"
        text = getattr(numpy_object(named), "__doc__", None) or text
    handler.__doc__ = compose(own, text, parameters(handler), name, library)


def document_all():
    """Complete the docstrings of all handlers, for the reference and the tests."""
    from gpunp.dispatch.registry import REGISTRATIONS

    for name, registration in REGISTRATIONS.items():
        if isinstance(registration.handler, types.FunctionType | type):
            document(registration.handler, name, registration.numpy_path)

"""Docstrings of ufunc objects, composed when read: NumPy's or SciPy's operands, our keywords."""

from gpunp.docstrings import texts
from gpunp.docstrings.compose import adapted, described, entries

_KEYWORDS = "casting='same_kind', order='K', dtype=None, subok=True, signature=None"


def ufunc_docstring(ufunc):
    """Compose the docstring of an elementwise ufunc.

    Parameters
    ----------
    ufunc : gpunp.ufunc
        The ufunc object.

    Returns
    -------
    str
    """
    summary, operands, returns = _told(_text_of(ufunc), ufunc.nin)
    summary = summary or f"Device version of `{ufunc.path}`."
    names = ", ".join(name for named, _ in operands for name in named)
    lines = [
        f"{ufunc.__name__}({names}, /, out=None, *, where=True, {_KEYWORDS})",
        f"\n{summary}\n\nParameters\n----------",
        *[text for _, text in operands],
        texts.UFUNC,
        f"\nReturns\n-------\n{returns or _results(ufunc.nout)}",
        "\nSee Also\n--------",
        f"{ufunc.path.replace('gpunp.', 'numpy.')} : The host's ufunc, with its notes and examples.",
        f"\nNotes\n-----\nLoops, by type characters: ``{' '.join(ufunc.types)}``.\n",
    ]
    return "\n".join(lines)


def product_docstring(product, numpy_ufunc):
    """Compose the docstring of a generalized ufunc such as matmul.

    Parameters
    ----------
    product : object
        Our object, with attributes ``name`` and ``signature``.
    numpy_ufunc : numpy.ufunc
        NumPy's ufunc of the same name.

    Returns
    -------
    str
    """
    summary, operands, returns = _told(numpy_ufunc.__doc__, 2)
    common = [text for named, text in entries(texts.UFUNC) if named != ("where",)]
    lines = [
        f"{product.name}(x1, x2, /, out=None, *, {_KEYWORDS}, axes=None, axis=None, keepdims=False)",
        f"\n{summary}\n\nParameters\n----------",
        *[text for _, text in operands],
        *common,
        texts.PRODUCT,
        f"\nReturns\n-------\n{returns or _results(1)}",
        f"\nSee Also\n--------\nnumpy.{product.name} : The host's ufunc, with its notes and examples.",
        f"\nNotes\n-----\nCore dimensions: ``{product.signature}``.\n",
    ]
    return "\n".join(lines)


def _text_of(ufunc):
    """The docstring of NumPy's or SciPy's ufunc; empty if SciPy or the object is missing."""
    try:
        return ufunc.numpy_ufunc.__doc__ or ""
    except (ImportError, AttributeError):
        return ""


def _told(text, count):
    """The summary, the entries of the operands and the text of Returns of a ufunc's docstring."""
    # The first paragraph is the signature. Joining words removes the indentation of SciPy's docstrings.
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n", 2)[:2]]
    sections = described(text)
    operands, found = [], 0
    for named, entry in entries(sections.get("Parameters")):
        if found < count and named[0] not in ("out", "where", "kwargs", "optional"):
            operands.append((named, adapted(entry)))
            found += len(named)
    if found != count:
        named = ("x",) if count == 1 else tuple(f"x{i + 1}" for i in range(count))
        operands = [
            (named, f"{', '.join(named)} : array_like\n    The operands, broadcast against each other.")
        ]
    summary = adapted(paragraphs[1]) if len(paragraphs) > 1 else ""
    return summary, operands, adapted(sections.get("Returns", ""))


def _results(count):
    return "\n".join(
        f"{name} : gpunp.ndarray\n    Of the broadcast shape; a scalar where all operands are scalars."
        for name in (["out"] if count == 1 else [f"out{i + 1}" for i in range(count)])
    )

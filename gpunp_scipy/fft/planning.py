"""Plans made in advance, under the name and with the arguments of CuPy's documentation."""

import gpunp
from gpunp_scipy.fft.arguments import lengths_and_axes

_FUNCTIONS = {"C2C": "fftn", "R2C": "rfftn", "C2R": "irfftn"}
_KINDS = {"C2C": "biufc", "R2C": "biuf", "C2R": "c"}


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """Make the cuFFT plans of a transform in advance.

    Parameters
    ----------
    a : array_like
        An array of the shape, strides and dtype to plan for; it is transformed once.
    shape : tuple of int, optional
        The lengths of the transformed axes, of the result for ``"C2R"``; by default those of `a`.
    axes : int or tuple of int, optional
        The axes; by default all, or the last ``len(shape)``.
    value_type : {"C2C", "R2C", "C2R"}, optional
        From complex to complex numbers, from real to complex ones, or back.

    Returns
    -------
    gpunp.fft.Plan
        For ``plan=``, or as a context manager.

    Raises
    ------
    ValueError
        If `axes` or `shape` are invalid, or `value_type` is.
    TypeError
        If the dtype of `a` is not one to transform from.
    """
    a = gpunp.asarray(a)
    if value_type not in _FUNCTIONS:
        raise ValueError(f"get_fft_plan: value_type must be one of {sorted(_FUNCTIONS)}, not {value_type!r}")
    if a.dtype.kind not in _KINDS[value_type]:
        raise TypeError(f"get_fft_plan: {value_type} does not transform arrays of {a.dtype}")
    given = shape is not None
    lengths, axes = lengths_and_axes(a, shape, axes)
    if value_type == "C2R" and not given:
        lengths[-1] = max(2 * (lengths[-1] - 1), 1)
    if value_type == "C2C" and a.dtype.kind != "c":
        a = a.astype("F" if a.dtype.char in "ef" else "D")
    return gpunp.fft.plan(_FUNCTIONS[value_type], a, s=lengths, axes=axes)

"""Text files, which NumPy reads and writes on the host."""

import numpy

from gpunp.array.convert import asarray, asnumpy
from gpunp.creation.filled import place
from gpunp.device import get_device
from gpunp.dispatch.registry import implements


@implements(numpy.savetxt, chapter="io")
def savetxt(
    fname,
    X,
    fmt="%.18e",
    delimiter=" ",
    newline="\n",
    header="",
    footer="",
    comments="# ",
    encoding=None,
):
    """Write a 1-d or 2-d array as text; see `numpy.savetxt`."""
    numpy.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


def _upload(found, function, like):
    """Copy what NumPy read to the device of ``like``; ``unpack`` yields a list if column dtypes differ."""
    if isinstance(found, list):
        return [_upload(column, function, like) for column in found]
    if isinstance(found, numpy.ma.MaskedArray):
        raise TypeError(
            f"{function}: usemask=True gives a masked array, which gpunp does not support; use filling_values"
        )
    if found.dtype.names is not None:
        raise TypeError(
            f"{function}: the columns have different dtypes, {found.dtype}, and gpunp has no records; "
            f"read them with numpy.{function} and upload the columns, or pass one dtype"
        )
    return asarray(found, device=get_device(place(None, like)))


@implements(numpy.loadtxt, chapter="io", like=True)
def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    like=None,
):
    """Load numbers from a text file onto the device; see `numpy.loadtxt`."""
    found = numpy.loadtxt(
        fname,
        dtype,
        comments,
        delimiter,
        converters,
        skiprows,
        usecols,
        unpack,
        ndmin,
        encoding,
        max_rows,
        quotechar=quotechar,
    )
    return _upload(found, "loadtxt", like)


@implements(numpy.genfromtxt, chapter="io", like=True)
def genfromtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    skip_header=0,
    skip_footer=0,
    converters=None,
    missing_values=None,
    filling_values=None,
    usecols=None,
    names=None,
    excludelist=None,
    deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space="_",
    autostrip=False,
    case_sensitive=True,
    defaultfmt="f%i",
    unpack=None,
    usemask=False,
    loose=True,
    invalid_raise=True,
    max_rows=None,
    encoding=None,
    *,
    ndmin=0,
    like=None,
):
    """Load numbers from a text file with missing values onto the device; see `numpy.genfromtxt`."""
    found = numpy.genfromtxt(
        fname,
        dtype,
        comments,
        delimiter,
        skip_header,
        skip_footer,
        converters,
        missing_values,
        filling_values,
        usecols,
        names,
        excludelist,
        deletechars,
        replace_space,
        autostrip,
        case_sensitive,
        defaultfmt,
        unpack,
        usemask,
        loose,
        invalid_raise,
        max_rows,
        encoding,
        ndmin=ndmin,
    )
    return _upload(found, "genfromtxt", like)


@implements(name="fromregex", chapter="io")
def fromregex(file, regexp, dtype, encoding=None):
    """Load numbers that a regular expression matches in a text file; see `numpy.fromregex`.

    NumPy's function returns a structured array. gpunp has none, so the result is a dictionary of arrays by
    field name.

    Parameters
    ----------
    file, regexp, dtype, encoding
        As in `numpy.fromregex`.

    Returns
    -------
    dict of str to ndarray
    """
    found = numpy.fromregex(file, regexp, dtype, encoding)
    return {name: asarray(numpy.ascontiguousarray(found[name])) for name in found.dtype.names}

"""How overlaps of chunks are interpreted."""

import enum

import numpy


class Mode(enum.StrEnum):
    """A mode of a distributed array: an element is what its replicas agree on, or their sum, product, ..."""

    REPLICA = "replica"
    SUM = "sum"
    PROD = "prod"
    MAX = "max"
    MIN = "min"


REPLICA, SUM, PROD, MAX, MIN = Mode
_COMBINE = {SUM: numpy.add, PROD: numpy.multiply, MAX: numpy.maximum, MIN: numpy.minimum}


def as_mode(call, mode):
    """The mode of a name; None is the replica mode."""
    try:
        return REPLICA if mode is None else Mode(mode)
    except ValueError:
        raise ValueError(f"{call}: mode must be one of {', '.join(Mode)}, not {mode!r}") from None


def combine(mode):
    """The ufunc that joins the values of an element."""
    return _COMBINE[mode]


def identity(call, mode, dtype):
    """The value that changes nothing when it is combined with others."""
    if mode is SUM:
        return dtype.type(0)
    if mode is PROD:
        return dtype.type(1)
    if dtype.kind == "c":
        raise TypeError(
            f"{call}: complex numbers have no mode {mode}, as they are not ordered; use sum or replica"
        )
    if dtype.kind == "b":
        return dtype.type(mode is MIN)
    if dtype.kind == "f":
        return dtype.type(-numpy.inf if mode is MAX else numpy.inf)
    limits = numpy.iinfo(dtype)
    return dtype.type(limits.min if mode is MAX else limits.max)

"""Explained differences between programs with and without fusion on CUDA; the CPU device has none."""

import re
from typing import Any, NamedTuple

import numpy as np
from explained import explained

from chains.values import REPORTED


class Case(NamedTuple):
    """What is seen of a program without fusion and of a run with it, and what they leave."""

    expected: Any
    actual: Any
    statements: list
    device: Any
    kind = "chain"

    @property
    def statement(self):
        return "\n".join(each.text for each in self.statements)


def _size_of_nans(first, second):
    """The bytes of a number if two states are arrays of floats that differ in NaNs only, else 0."""
    if not (isinstance(first, tuple) and isinstance(second, tuple)) or first[:-1] != second[:-1]:
        return 0
    if first[0] not in ("array", "host") or first[1][1] not in "fc":
        return 0
    size = int(first[1][2:]) // (2 if first[1][1] == "c" else 1)
    one, other = (np.frombuffer(each[-1], f"f{size}") for each in (first, second))
    differs = one.view(f"i{size}") != other.view(f"i{size}")
    return size if (np.isnan(one) & np.isnan(other))[differs].all() else 0


def _pairs(first, second):
    """The parts of two states that differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        first, second = ([each.get(name) for name in sorted({*first, *second})] for each in (first, second))
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for pair in zip(first, second, strict=True):
            yield from _pairs(*pair)
    elif first != second:
        yield first, second


def _texts(state):
    if isinstance(state, dict):
        state = list(state.values())
    if isinstance(state, list):
        return "\n".join(map(_texts, state))
    return state if isinstance(state, str) else ""


@explained("**Which NaN.**", "", "chain")
def which_nan(case):
    # On GPUs only numbers of 8 bytes differ so, and narrower ones that follow from them by conversions, which
    # keep the sign and the leading bits. On the CPU device, a loop may end in other operations than vectors.
    nans = [_size_of_nans(*pair) for pair in _pairs([*case.expected], [*case.actual])]
    derived = re.search(r"\.view\(|signbit|copysign", case.statement) is not None
    # `f4 *= c16`, or f4 and u8, which float64 has room for: of the wider numbers nothing is left.
    wide = all(nans) and re.search(r"'(f8|c16|[iu][48])'|float64|complex128", case.statement) is not None
    return (case.device.is_cpu or 8 in nans or wide) and (derived or all(nans))


@explained("**Some errors come later.**", "", "chain")
def error_of_a_kernel(case):
    return not case.device.is_cpu and REPORTED in _texts([*case.expected, *case.actual])

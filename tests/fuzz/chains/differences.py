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


def _are_nans(first, second):
    """Whether two states are arrays of float64 or complex128 that differ in the bits of NaNs only."""
    if not (isinstance(first, tuple) and isinstance(second, tuple)) or first[:-1] != second[:-1]:
        return False
    if first[0] not in ("array", "host") or first[1][1:] not in ("f8", "c16"):
        return False
    one, other = (np.frombuffer(each[-1], "f8") for each in (first, second))
    differs = one.view("i8") != other.view("i8")
    return bool((np.isnan(one) & np.isnan(other))[differs].all())


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
    if case.device.is_cpu:
        return False
    nans = [_are_nans(*pair) for pair in _pairs([*case.expected], [*case.actual])]
    derived = re.search(r"\.view\(|signbit|copysign", case.statement) is not None
    return any(nans) and (derived or all(nans))


@explained("**Some errors come later.**", "", "chain")
def error_of_a_kernel(case):
    return not case.device.is_cpu and REPORTED in _texts([*case.expected, *case.actual])

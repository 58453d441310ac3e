"""Subclasses, annotations, dispatch on the type, properties of classes."""

from dataclasses import dataclass, field
from functools import singledispatch

import numpy as np


class Tagged(np.ndarray):
    def __new__(cls, values, tag):
        made = np.asarray(values).view(cls)
        made.tag = tag
        return made

    def __array_finalize__(self, other):
        self.tag = getattr(other, "tag", None)


@dataclass
class Body:
    position: np.ndarray
    name: str = "body"
    trail: list[np.ndarray] = field(default_factory=list)

    def move(self, by: np.ndarray | float) -> "np.ndarray":
        self.trail.append(self.position.copy())
        self.position = self.position + by
        return self.position


@singledispatch
def describe(value):
    return f"something: {value!r}"


@describe.register
def _(value: np.ndarray):
    return f"an array of {value.size}"


@describe.register
def _(value: float):
    return f"a number {value:.3f}"


def kind(value):
    match value:
        case np.ndarray():
            return "array"
        case [first, *_]:
            return f"sequence from {first}"
        case _:
            return type(value).__name__


large = np.linspace(0, 1, 2000)
tagged = Tagged(large[:5], "metres")
print(type(tagged).__name__, tagged.tag, (tagged * 2).tag, isinstance(tagged, np.ndarray))
body = Body(np.zeros(3000))
body.move(1.5)
print(body.position[:2], len(body.trail), describe(body.position), describe(0.25), describe("x"))
print(kind(large), kind([3, 4]), kind(4), kind(np.float32(1)))
print(
    type(large) is np.ndarray,
    type(large).__name__,
    isinstance(large.sum(), np.floating),
    type(large).__module__,
)
print({np.ndarray: "known"}[type(large)], issubclass(type(large), np.ndarray), type(large.max()).__name__)


def shape_of(value):
    match value:
        case []:
            return "nothing"
        case [one]:
            return f"one: {one}"
        case [first, *rest]:
            return f"{first} and {len(rest)} more"
        case _:
            return "no sequence"


print(shape_of(np.arange(150)), shape_of(np.arange(300.0).reshape(1, 300)[0]), shape_of(np.float64(2)))

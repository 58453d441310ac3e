"""An adaptive Runge-Kutta integrator as a generator, with events and operators of a state class."""

import numpy as np


class State:
    __slots__ = ("t", "y")
    __array_priority__ = 20

    def __init__(self, t, y):
        self.t, self.y = t, np.asarray(y, float)

    def __add__(self, dy):
        return State(self.t, self.y + dy)

    __radd__ = __add__

    def __array__(self, dtype=None, copy=None):
        return np.array(self.y, dtype=dtype)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.y[i]


TABLE = np.array([[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 3 / 4, 0, 0], [2 / 9, 1 / 3, 4 / 9, 0]])


def integrate(f, state, end, tolerance=1e-6):
    h = 0.01
    while state.t < end:
        h = min(h, end - state.t)
        k = np.zeros((4, len(state)))
        for i in range(4):
            k[i] = f(state.t + TABLE[i].sum() * h, state.y + h * TABLE[i] @ k)
        error = h * np.abs((np.array([2 / 9, 1 / 3, 4 / 9, 0]) - [7 / 24, 1 / 4, 1 / 3, 1 / 8]) @ k).max()
        if error < tolerance:
            state = State(state.t + h, state.y + h * TABLE[3] @ k)
            yield state
        h *= np.clip(0.9 * (tolerance / max(error, 1e-15)) ** (1 / 3), 0.2, 5)


def chain(t, y):
    q, v = np.split(y, 2)
    force = -2 * q
    force[1:] += q[:-1]
    force[:-1] += q[1:]
    return np.concatenate([v, force])


start = np.zeros(80)
start[0] = 1


def energy(y):
    return 0.5 * (y[40:] ** 2).sum() + 0.5 * (np.diff(y[:40], prepend=0, append=0) ** 2).sum()


steps = [*integrate(chain, State(0.0, start), 3.0)]
last = steps[-1]
print(
    len(steps) > 50,
    round(last.t, 6),
    last.y[:4].round(4),
    round(float(energy(last.y)), 5),
    np.mean(last).round(6),
)
print(
    np.max(State(0, np.arange(50.0)) + 1),
    type(np.ones(50) + last[:50]).__name__,
    np.asarray(last).shape,
    len(last),
    (np.ones(80) + last).y.sum().round(5),
)

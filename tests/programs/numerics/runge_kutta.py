"""Many pendulums by the classical Runge-Kutta method."""

import numpy as np


def derivative(state):
    angle, speed = state
    return np.array([speed, -np.sin(angle)])


def step(state, h):
    k1 = derivative(state)
    k2 = derivative(state + h / 2 * k1)
    k3 = derivative(state + h / 2 * k2)
    k4 = derivative(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


state = np.array([np.linspace(0.1, 2.5, 500), np.zeros(500)])
energy = 0.5 * state[1] ** 2 - np.cos(state[0])
for _ in range(100):
    state = step(state, 0.05)
drift = np.abs(0.5 * state[1] ** 2 - np.cos(state[0]) - energy).max()
print("drift below 1e-6:", drift < 1e-6)
print(state[:, ::100])

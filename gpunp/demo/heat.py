"""Heat in a plate, in plain NumPy: a program for ``python -m gpunp run``.

``python -m gpunp run --report -m gpunp.demo.heat`` runs it with its arrays on the device.
"""

import sys
import time

import numpy as np


def step(u, conductivity, dt):
    """One step in time; the rim keeps its temperature."""
    flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    u[1:-1, 1:-1] += dt * conductivity[1:-1, 1:-1] * flow


def main(size=1500, steps=200):
    """Heat a plate with two materials from one side."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0 : 1 : size * 1j, 0 : 1 : size * 1j]
    conductivity = np.where((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.1, 0.2, 1.0)
    u = 20 + rng.normal(scale=0.1, size=(size, size))
    u[:, 0] = 100
    started = time.perf_counter()
    for i in range(steps):
        step(u, conductivity, 0.2)
        if i % (steps // 4) == 0:
            print(f"step {i:4d}: mean {u.mean():.6f}, hottest inside {u[1:-1, 1:-1].max():.4f}")
    print(f"after {steps} steps: mean {u.mean():.6f}, standard deviation {u.std():.6f}")
    print(f"{time.perf_counter() - started:.2f} s", file=sys.stderr)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

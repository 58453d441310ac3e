"""Bodies that attract each other, all pairs, with the leapfrog method."""

import numpy as np

N, dt, softening = 60, 0.01, 0.1


def acceleration(pos, mass):
    d = pos[None, :, :] - pos[:, None, :]
    inverse = (np.sum(d**2, axis=-1) + softening**2) ** -1.5
    return np.einsum("ijk,ij,j->ik", d, inverse, mass)


def energy(pos, vel, mass):
    kinetic = 0.5 * np.sum(mass[:, None] * vel**2)
    distance = np.sqrt(np.sum((pos[None] - pos[:, None]) ** 2, axis=-1) + softening**2)
    potential = -np.sum(np.triu(mass * mass[:, None] / distance, 1))
    return kinetic + potential


np.random.seed(17)
mass = np.full(N, 20.0 / N)
pos = np.random.randn(N, 3)
vel = np.random.randn(N, 3)
vel -= np.mean(mass[:, None] * vel, axis=0) / np.mean(mass)
acc = acceleration(pos, mass)
start = energy(pos, vel, mass)
for _ in range(50):
    vel += acc * dt / 2
    pos += vel * dt
    acc = acceleration(pos, mass)
    vel += acc * dt / 2
print(f"energy {start:.6f} -> {energy(pos, vel, mass):.6f}")
print("momentum is zero:", np.allclose((mass[:, None] * vel).sum(axis=0), 0, atol=1e-9))

"""A flock of birds."""

import numpy as np

rng = np.random.default_rng(5)
n = 80
position, velocity = rng.random((n, 2)) * 100, rng.standard_normal((n, 2))
for _ in range(20):
    offset = position[np.newaxis, :, :] - position[:, np.newaxis, :]
    distance = np.hypot(offset[..., 0], offset[..., 1])
    near = (distance < 25) & (distance > 0)
    count = np.maximum(near.sum(axis=1), 1)
    cohesion = (near[:, :, None] * offset).sum(axis=1) / count[:, None]
    alignment = near @ velocity / count[:, None] - velocity
    close = (distance < 5) & (distance > 0)
    separation = -(offset * close[..., None]).sum(axis=1)
    velocity += 0.01 * cohesion + 0.05 * alignment + 0.05 * separation
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    velocity = np.where(speed > 3, velocity / speed * 3, velocity)
    position = (position + velocity) % 100
print(position.mean(axis=0).round(5), velocity.std(axis=0).round(5))

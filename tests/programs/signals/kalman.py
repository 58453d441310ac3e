"""A Kalman filter: many calls with matrices of two rows."""

import numpy as np

rng = np.random.default_rng(9)
dt = 0.1
F = np.array([[1, dt], [0, 1]])
H = np.array([[1.0, 0.0]])
Q = np.diag([1e-4, 1e-3])
R = np.array([[0.25]])
x, P = np.zeros(2), np.eye(2)
truth = 0.5 * np.arange(300) * dt
estimates = []
for z in truth + rng.normal(0, 0.5, 300):
    x, P = F @ x, F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ (z - H @ x)
    P = (np.eye(2) - K @ H) @ P
    estimates.append(x[0])
print(np.round(estimates[::60], 6), x[1].round(6))
print(f"{np.sqrt(np.mean((np.array(estimates) - truth) ** 2)):.6f}")

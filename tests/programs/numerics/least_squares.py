"""Fits of polynomials and of a sum of sines."""

import numpy as np

rng = np.random.default_rng(7)
t = np.linspace(0, 10, 600)
signal = 2.0 + 0.5 * t - 0.03 * t**2 + 1.5 * np.sin(2 * t) + rng.normal(scale=0.1, size=t.size)
design = np.column_stack([np.ones_like(t), t, t**2, np.sin(2 * t), np.cos(2 * t)])
coefficients, residuals, rank, _ = np.linalg.lstsq(design, signal, rcond=None)
print(coefficients.round(5), rank, residuals.round(4))
print(np.polyfit(t, signal, 3).round(6))
q, r = np.linalg.qr(design)
print(np.allclose(np.linalg.solve(r, q.T @ signal), coefficients))

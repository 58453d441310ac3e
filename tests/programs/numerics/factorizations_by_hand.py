"""LU, Cholesky and QR by hand, with in-place updates of views."""

import numpy as np


def lu(A):
    U, n = A.copy(), len(A)
    p = np.arange(n)
    for k in range(n - 1):
        pivot = k + np.abs(U[k:, k]).argmax()
        if pivot != k:
            U[[k, pivot]] = U[[pivot, k]]
            p[[k, pivot]] = p[[pivot, k]]
        U[k + 1 :, k] /= U[k, k]
        U[k + 1 :, k + 1 :] -= np.outer(U[k + 1 :, k], U[k, k + 1 :])
    return p, np.tril(U, -1) + np.eye(n), np.triu(U)


def cholesky(A):
    L = np.zeros_like(A)
    for i in range(len(A)):
        for j in range(i + 1):
            s = A[i, j] - L[i, :j] @ L[j, :j]
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return L


def householder(A):
    R, Q = A.astype(float), np.eye(len(A))
    for k in range(A.shape[1]):
        v = R[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        R[k:] -= 2 * np.outer(v, v @ R[k:])
        Q[:, k:] -= 2 * np.outer(Q[:, k:] @ v, v)
    return Q, R


rng = np.random.default_rng(5)
A = rng.integers(-9, 10, (24, 24)).astype(float) + 20 * np.eye(24)
p, L, U = lu(A)
print(np.allclose(L @ U, A[p]), p[:8], round(float(np.prod(np.diag(U)) / np.linalg.det(A)), 6) in (1.0, -1.0))
S = A @ A.T
C = cholesky(S)
print(np.allclose(C, np.linalg.cholesky(S)), f"{np.log(np.diag(C)).sum():.6f}")
Q, R = householder(A[:, :15])
print(
    np.abs(Q @ R - A[:, :15]).max() < 1e-9,
    np.allclose(Q.T @ Q, np.eye(24)),
    np.abs(np.tril(R, -1)).max() < 1e-9,
)
b = A @ np.ones(24)
y = np.linalg.solve(L, b[p])
x = np.zeros(24)
for i in reversed(range(24)):
    x[i] = (y[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]
print(np.abs(x - 1).max() < 1e-8, A.flags.c_contiguous, A.T.flags["F_CONTIGUOUS"])

"""A sparse matrix of SciPy, solved and multiplied."""

# needs: scipy
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

n = 30
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
laplacian = (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsc()
b = np.ones(n * n)
x = spsolve(laplacian, b)
print(np.allclose(laplacian @ x, b), f"{x.max():.6f}", laplacian.nnz)

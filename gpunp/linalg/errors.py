"""The errors that kernels and libraries of linear algebra report through the status word."""

from numpy.linalg import LinAlgError

# Bits of the status word (gpunp/linalg_params.h) to NumPy's messages.
_MESSAGES = (
    (0x20000, "Singular matrix"),
    (0x40000, "Matrix is not positive definite"),
    (0x80000, "Eigenvalues did not converge"),
    (0x100000, "SVD did not converge"),
)


def error_of(bits):
    """The LinAlgError for a status."""
    return LinAlgError(next(message for bit, message in _MESSAGES if bits & bit))

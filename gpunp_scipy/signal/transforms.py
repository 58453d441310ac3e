"""``scipy.fft`` for SciPy's signal processing code: our transforms, and SciPy's functions without arrays."""

import scipy.fft as _scipys

from gpunp_scipy import fft as _ours


def __getattr__(name):
    return getattr(_ours if name in _ours.__all__ else _scipys, name)

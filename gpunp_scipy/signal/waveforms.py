"""Waveforms of given times: SciPy's code."""

import numpy

import gpunp
from gpunp_scipy.rebinding import NUMPY, Rebound

# SciPy's module imports these from NumPy by name.
_CODE = Rebound(
    "scipy.signal._waveforms", {"asarray": NUMPY.asarray, "zeros": gpunp.zeros, "place": numpy.place}
)

chirp = _CODE.public("chirp", __name__)
gausspulse = _CODE.public("gausspulse", __name__)
sweep_poly = _CODE.public("sweep_poly", __name__, host=("poly",))

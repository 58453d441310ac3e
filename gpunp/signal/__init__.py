"""Functions for signals of radars and radios, which SciPy does not have.

Examples
--------
>>> import gpunp
>>> gpunp.signal.freq_shift(gpunp.ones(4), 25, 100).round().real
array([ 1.,  0., -1., -0.])
"""

from gpunp.signal.filters import channelize_poly, convolve1d3o, freq_shift
from gpunp.signal.radar import ca_cfar, cfar_alpha, pulse_compression, pulse_doppler

__all__ = [
    "ca_cfar",
    "cfar_alpha",
    "channelize_poly",
    "convolve1d3o",
    "freq_shift",
    "pulse_compression",
    "pulse_doppler",
]

"""Conversions and designs of filters from coefficients on a device, which SciPy computes on the host.

These are few numbers. Arrays of the results are on the device, unless only scalars were there.
"""

import numpy
import scipy.signal
from gpunp.array.scalars import host_scalar

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of
from gpunp.dispatch.function_protocol import to_device
from gpunp_scipy.rebinding import presented


def on_host(value):
    """An argument with its device arrays copied to the host; scalars become NumPy's."""
    if isinstance(value, gpunp.ndarray):
        return host_scalar(value) if value._is_scalar else fetched(value)
    if type(value) in (tuple, list):
        return type(value)(map(on_host, value))
    return value


def sampling_frequency(fs, allow_none=True):
    """A scalar of the device as a float, which SciPy's designs and responses compute with; waits for it."""
    if not isinstance(fs, gpunp.ndarray) or not fs._is_scalar:
        raise ValueError("Sampling frequency fs must be a single scalar.")
    return float(fs)


def on_device(value, device):
    """A result with its arrays and NumPy's numbers copied to a device; Python's numbers stay."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        return to_device(value, device)
    if type(value) in (tuple, list):
        return type(value)(on_device(each, device) for each in value)
    return value


def _has_array(values):
    """Whether there is a device array besides scalars, which are numbers for SciPy."""
    for value in values:
        if isinstance(value, gpunp.ndarray) and not value._is_scalar:
            return True
        if type(value) in (tuple, list) and _has_array(value):
            return True
    return False


def _designed(name):
    scipys = getattr(scipy.signal, name)

    def design(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True)
        only_numbers = device is not None and not _has_array((*args, *kwargs.values()))
        kwargs = {key: on_host(value) for key, value in kwargs.items()}
        result = scipys(*map(on_host, args), **kwargs)
        return result if only_numbers else on_device(result, device)

    return presented(design, scipys, __name__)


band_stop_obj = _designed("band_stop_obj")
bessel = _designed("bessel")
bilinear = _designed("bilinear")
butter = _designed("butter")
buttord = _designed("buttord")
cheb1ord = _designed("cheb1ord")
cheb2ord = _designed("cheb2ord")
cheby1 = _designed("cheby1")
cheby2 = _designed("cheby2")
check_COLA = _designed("check_COLA")
check_NOLA = _designed("check_NOLA")
closest_STFT_dual_window = _designed("closest_STFT_dual_window")
cont2discrete = _designed("cont2discrete")
ellip = _designed("ellip")
ellipord = _designed("ellipord")
firls = _designed("firls")
firwin2 = _designed("firwin2")
firwin_2d = _designed("firwin_2d")
iirdesign = _designed("iirdesign")
iirfilter = _designed("iirfilter")
invres = _designed("invres")
invresz = _designed("invresz")
max_len_seq = _designed("max_len_seq")
minimum_phase = _designed("minimum_phase")
remez = _designed("remez")
residue = _designed("residue")
residuez = _designed("residuez")
ss2tf = _designed("ss2tf")
ss2zpk = _designed("ss2zpk")
tf2sos = _designed("tf2sos")
tf2ss = _designed("tf2ss")
unique_roots = _designed("unique_roots")
zpk2sos = _designed("zpk2sos")
zpk2ss = _designed("zpk2ss")

"""Conversions and designs of filters from coefficients on a device, which SciPy computes on the host.

These are few numbers. Arrays of the results are on the device.
"""

import functools
import inspect

import numpy
import scipy.signal

import gpunp
from gpunp.array.convert import fetched
from gpunp.array.operands import device_of


def _on_host(value):
    """An argument with its device arrays copied to the host."""
    if isinstance(value, gpunp.ndarray):
        return fetched(value)
    if type(value) in (tuple, list):
        return type(value)(map(_on_host, value))
    return value


def _on_device(value, device):
    """A result with its arrays copied to a device; Python's numbers stay."""
    if isinstance(value, numpy.ndarray):
        return gpunp.asarray(value, device=device)
    if type(value) in (tuple, list):
        return type(value)(_on_device(each, device) for each in value)
    return value


def _designed(name):
    scipys = getattr(scipy.signal, name)

    @functools.wraps(scipys)
    def design(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True)
        kwargs = {key: _on_host(value) for key, value in kwargs.items()}
        return _on_device(scipys(*map(_on_host, args), **kwargs), device)

    design.__module__ = __name__
    design.__signature__ = inspect.signature(scipys)
    summary = inspect.getdoc(scipys).partition("\n\n")[0].replace("\n", " ").rstrip(".")
    design.__doc__ = f"{summary}; see `scipy.signal.{name}`."
    return design


bilinear = _designed("bilinear")
check_COLA = _designed("check_COLA")
check_NOLA = _designed("check_NOLA")
firls = _designed("firls")
firwin2 = _designed("firwin2")
invresz = _designed("invresz")
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

"""The namespace of arrays on another device than the current one.

Code for any array library creates constants without naming a device: ``xp.asarray(1.0)``, ``xp.zeros(n)``.
These must be on the device of the array that the namespace was taken from.
"""

import functools
import sys
import types

from gpunp.device import get_device

_CREATION = (
    "arange array asanyarray asarray ascontiguousarray asfortranarray empty eye frombuffer fromfunction full "
    "geomspace identity indices linspace logspace meshgrid ones tri zeros"
)
_made = {}


class DeviceNamespace(types.ModuleType):
    """gpunp, whose functions create arrays on one device.

    Parameters
    ----------
    device : Device
    """

    def __init__(self, device):
        super().__init__("gpunp", sys.modules["gpunp"].__doc__)
        self._device = device

    def __getattr__(self, name):
        value = getattr(sys.modules["gpunp"], name)
        if name in _CREATION.split() and callable(value):
            value = self._located(value)
        if not name.startswith("__"):
            # Later lookups find the attribute without calling this method.
            setattr(self, name, value)
        return value

    def _located(self, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with self._device:
                return function(*args, **kwargs)

        return call

    def __dir__(self):
        return dir(sys.modules["gpunp"])

    def __reduce__(self):
        return namespace_on, (self._device,)

    def __repr__(self):
        return f"<module 'gpunp' on {self._device}>"


def namespace_on(device):
    """The namespace for arrays on a device: the module gpunp itself where the device is the current one.

    Parameters
    ----------
    device : Device

    Returns
    -------
    module
    """
    if device is get_device():
        return sys.modules["gpunp"]
    found = _made.get(device)
    return _made.setdefault(device, DeviceNamespace(device)) if found is None else found


def is_gpunp(xp):
    """Whether a namespace is gpunp, of the current or of another device."""
    return xp is sys.modules["gpunp"] or isinstance(xp, DeviceNamespace)

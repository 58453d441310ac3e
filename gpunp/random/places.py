"""Where a generator without a device of its own draws: on the current device, or where the operands are."""

import functools

from gpunp.array.operands import device_of
from gpunp.device import get_device


def beside_operands(method):
    """Decorate a method of a generator: the device of its array arguments is the current one in it."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if self.fixed_device is None:
            device = device_of(*args, *kwargs.values(), nested=True)
            if device is not None and device is not get_device():
                with device:
                    return method(self, *args, **kwargs)
        return method(self, *args, **kwargs)

    return call

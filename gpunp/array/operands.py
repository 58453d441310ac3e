"""The operands of one call: their device, and the upload of host operands to it."""

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray


def device_of(*operands, nested=False):
    """Return the device of the first device array, or None; ``nested`` also searches sequences."""
    for operand in operands:
        if isinstance(operand, ndarray):
            return operand.device
        if nested and isinstance(operand, list | tuple):
            found = device_of(*operand, nested=True)
            if found is not None:
                return found
    return None


def require_one_device(name, array, *others):
    """Raise unless all arrays among the others are on the device of the first one."""
    for other in others:
        if isinstance(other, ndarray) and other.device is not array.device:
            raise ValueError(
                f"{name}: the operands are on {array.device} and {other.device}; move one with to_device"
            )


def on_one_device(*operands):
    """Return all operands as arrays on the device of the first device array among them."""
    device = device_of(*operands)
    return [asarray(operand, device=device) for operand in operands]

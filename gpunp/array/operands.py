"""The operands of one call: the device they are on, and those of the host brought there."""

from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray


def device_of(*operands, nested=False):
    """The device of the first device array among the operands, or None; ``nested`` looks into sequences."""
    for operand in operands:
        if isinstance(operand, ndarray):
            return operand.device
        if nested and isinstance(operand, list | tuple):
            found = device_of(*operand, nested=True)
            if found is not None:
                return found
    return None


def on_one_device(*operands):
    """All operands as device arrays, on the device of the first that is one."""
    device = device_of(*operands)
    return [asarray(operand, device=device) for operand in operands]

"""How often a call waits for the device."""

import gpunp


def waits(call):
    """Return the result of a call, and how often it waited for the device or copied from it."""
    device = gpunp.get_device()
    before = device.transfer_counts
    result = call()
    after = device.transfer_counts
    return result, after[0] - before[0] + after[2] - before[2]

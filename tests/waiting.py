"""How often a call waits for the device, and how tests wait for other threads and processes.

gpunp is imported in the function, as tests of the stand-in driver use this module where it is not loaded.
"""

import time

# Seconds for what takes a moment, on a machine that is busy with other things. CI ends tests that take 300.
PATIENCE = 240


def waits(call):
    """Return the result of a call, and how often it waited for the device or copied from it."""
    import gpunp

    device = gpunp.get_device()
    before = device.transfer_counts
    result = call()
    after = device.transfer_counts
    return result, after[0] - before[0] + after[2] - before[2]


def until(condition):
    """Wait until a condition is true, and return whether it is in time."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True

"""What the stand-in driver of tests/cuda remembers of launches."""

import ctypes


def last_launch(fake):
    """The numbers of the last launch: nine, as ``fake_last_launch`` of the stand-in driver writes them."""
    numbers = (ctypes.c_long * 9)()
    fake.fake_last_launch(numbers)
    return list(numbers)

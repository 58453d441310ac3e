"""Automatic fusion: chains of elementwise calls run as one kernel.

Nothing needs to be imported from here: calls of NumPy on large device arrays are deferred and fused by
themselves.
"""

from gpunp.device import flush_devices as flush
from gpunp.device import set_least_deferred as set_least_elements
from gpunp.fusion.blocks import set_block_elements

__all__ = ["flush", "set_block_elements", "set_least_elements"]

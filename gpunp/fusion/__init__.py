"""Automatic fusion: chains of elementwise calls run as one kernel.

Nothing needs to be imported from here: calls of NumPy on large device arrays are deferred and fused by
themselves. `report` and `observe` tell what happened.
"""

from gpunp.deferring import set_least_elements
from gpunp.device import flush_devices as flush
from gpunp.fusion.blocks import set_block_elements
from gpunp.fusion.observing import observe
from gpunp.fusion.reporting import report, reset_report

__all__ = ["flush", "observe", "report", "reset_report", "set_block_elements", "set_least_elements"]

"""Hooks that are called when memory is allocated and freed; subclass `MemoryHook`.

Examples
--------
>>> from gpunp.cuda import MemoryHook
>>> class Count(MemoryHook):
...     name = "Count"
...     count = 0
...     def malloc_postprocess(self, **what):
...         self.count += 1
>>> with Count() as hook:
...     pass
>>> hook.count
0
"""

import threading

from gpunp import pooling

_local = threading.local()
_active = 0
_lock = threading.Lock()


class MemoryHook:
    """Base class of hooks that are called when a thread allocates or frees memory on a device.

    Notes
    -----
    As a context manager a hook is called for the thread's allocations in the block. ``alloc_preprocess`` and
    ``alloc_postprocess`` are about memory that the driver allocates, the others about what a pool hands out
    and takes back. Every method gets keyword arguments: ``device_id``; ``mem_size``, the bytes that are
    allocated; ``size``, the bytes that were asked for; ``mem_ptr``, the address; ``pmem_id``, a number of the
    block. Exceptions that hooks raise are printed.
    """

    name = "MemoryHook"

    def __enter__(self):
        global _active
        hooks = _local.__dict__.setdefault("hooks", {})
        if self.name in hooks:
            raise KeyError(
                f"MemoryHook: a hook named {self.name!r} is active in this thread already; give another name"
            )
        hooks[self.name] = self
        with _lock:
            _active += 1
            pooling.set_observer(_observe)
        return self

    def __exit__(self, *exc):
        global _active
        del _local.hooks[self.name]
        with _lock:
            _active -= 1
            if not _active:
                pooling.set_observer(None)

    def alloc_preprocess(self, **what):
        """Called before the driver allocates memory.

        Parameters
        ----------
        **what
            ``device_id`` and ``mem_size``.
        """

    def alloc_postprocess(self, **what):
        """Called after the driver has allocated memory.

        Parameters
        ----------
        **what
            ``device_id``, ``mem_size`` and ``mem_ptr``.
        """

    def malloc_preprocess(self, **what):
        """Called before a pool hands out memory.

        Parameters
        ----------
        **what
            ``device_id``, ``size`` and ``mem_size``.
        """

    def malloc_postprocess(self, **what):
        """Called after a pool has handed out memory.

        Parameters
        ----------
        **what
            ``device_id``, ``size``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.
        """

    def free_preprocess(self, **what):
        """Called before a pool takes back memory.

        Parameters
        ----------
        **what
            ``device_id``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.
        """

    def free_postprocess(self, **what):
        """Called after a pool has taken back memory.

        Parameters
        ----------
        **what
            ``device_id``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.
        """


_KEYS = {
    "alloc_preprocess": ("device_id", "mem_size"),
    "alloc_postprocess": ("device_id", "mem_size", "mem_ptr"),
    "malloc_preprocess": ("device_id", "size", "mem_size"),
    "malloc_postprocess": ("device_id", "size", "mem_size", "mem_ptr", "pmem_id"),
    "free_preprocess": ("device_id", "mem_size", "mem_ptr", "pmem_id"),
    "free_postprocess": ("device_id", "mem_size", "mem_ptr", "pmem_id"),
}


def _observe(event, device_id, size, mem_size, pointer):
    """Call the method of all hooks of this thread."""
    hooks = getattr(_local, "hooks", None)
    if not hooks:
        return
    # While a block is in use, no other has its address.
    values = {
        "device_id": device_id,
        "size": size,
        "mem_size": mem_size,
        "mem_ptr": pointer,
        "pmem_id": pointer,
    }
    for hook in list(hooks.values()):
        getattr(hook, event)(**{key: values[key] for key in _KEYS[event]})

"""What is computed from a tree of clusters: by SciPy on the host, where the few rows of a tree are copied.

Each row of a linkage matrix refers to rows before it, so that these functions go from row to row. What they
return is on the device again, except for trees of Python's objects.
"""

import inspect

import scipy.cluster.hierarchy
from gpunp.device import get_device

from gpunp.array.operands import device_of
from gpunp.dispatch.function_protocol import to_device, to_host


def _from_row_to_row(name):
    scipys = getattr(scipy.cluster.hierarchy, name)

    def call(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True) or get_device()
        return to_device(scipys(*to_host(args), **to_host(kwargs)), device)

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    call.__signature__ = inspect.signature(scipys)
    summary = inspect.getdoc(scipys).partition("\n\n")[0].replace("\n", " ").rstrip(".")
    call.__doc__ = f"{summary}; see `scipy.cluster.hierarchy.{name}`.\n\nIt runs on the host; waits.\n"
    return call


cophenet = _from_row_to_row("cophenet")
cut_tree = _from_row_to_row("cut_tree")
dendrogram = _from_row_to_row("dendrogram")
fcluster = _from_row_to_row("fcluster")
from_mlab_linkage = _from_row_to_row("from_mlab_linkage")
inconsistent = _from_row_to_row("inconsistent")
leaders = _from_row_to_row("leaders")
leaves_list = _from_row_to_row("leaves_list")
maxRstat = _from_row_to_row("maxRstat")
maxdists = _from_row_to_row("maxdists")
maxinconsts = _from_row_to_row("maxinconsts")
to_tree = _from_row_to_row("to_tree")

"""What is computed from a tree of clusters: by SciPy on the host, where the few rows of a tree are copied.

Each row of a linkage matrix refers to rows before it, so that these functions go from row to row. What they
return is on the device again, except for trees of Python's objects.
"""

import scipy.cluster.hierarchy
from gpunp.device import get_device

from gpunp.array.operands import device_of
from gpunp.dispatch.function_protocol import to_device, to_host
from gpunp_scipy.rebinding import presented


def _from_row_to_row(name):
    scipys = getattr(scipy.cluster.hierarchy, name)

    def call(*args, **kwargs):
        device = device_of(*args, *kwargs.values(), nested=True) or get_device()
        return to_device(scipys(*to_host(args), **to_host(kwargs)), device)

    return presented(call, scipys, __name__, "It runs on the host; waits.")


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

"""Groups with reductions along rows on the CPU device: some rows after the others, so that they stay in the cache."""
from gpunp.device cimport Device
from gpunp.fusion.row_groups cimport RowGroup

# Run a group and return 1; 0 if its rows are too long for the cache.
cdef int run_row_blocks(Device device, RowGroup* group) except -1

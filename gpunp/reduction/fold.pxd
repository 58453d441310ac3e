"""Launch helpers shared by the folds and the other kernels of their units."""
from libc.stdint cimport int64_t

# Number of blocks of FOLD_BLOCK threads; ``what`` names the call in the error for too many.
cdef int fold_blocks(int64_t threads, str what) except -1

"""What launches of other kernels of the folds' units share with the folds."""
from libc.stdint cimport int64_t

# Blocks of FOLD_BLOCK threads; ``what`` names the call in the error for too many.
cdef int fold_blocks(int64_t threads, str what) except -1

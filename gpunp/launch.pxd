"""The launch of kernels that loop over elements one at a time."""

cdef extern from "gpunp/common/loop_params.h" namespace "gpunp":
    enum:
        LOOP_BLOCK      # threads

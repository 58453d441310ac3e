"""The launch configuration of kernels that loop over elements."""

cdef extern from "gpunp/common/loop_params.h" namespace "gpunp":
    enum:
        LOOP_BLOCK      # threads per block

"""Reductions along rows that are deferred like elementwise operations."""
from gpunp.fusion.checking cimport Shadows
from gpunp.reduction.engine cimport Loops
from gpunp.reduction.plan cimport Launch, ReduceParams


# What the node of a deferred reduction refers to: the engine's plan for the array, without addresses.
cdef class Fold:
    cdef Loops loops
    cdef Launch launch
    cdef ReduceParams params
    cdef int tail               # axes that are reduced, the last ones
    cdef Shadows shadows        # where it has written already, to be checked, or None

"""Groups recorded by hand, and arrays that stand for their values: how tests reach what defers operations."""
import numpy as np

from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from gpunp.array.ndarray cimport code_of, ndarray
from gpunp.fusion.group cimport ABSENT, CONSTANT, KEPT, LEAF, MASK, Group
from gpunp.fusion.reductions cimport reduce_group
from gpunp.reduction.engine cimport FusionHooks, Loops, Options, fusion_hooks
from gpunp.reduction.plan cimport Launch, ReduceParams
from gpunp.ufunc.plan cimport Loop, describe


cdef class Recorded:
    """A group; operands of its steps are the numbers that its methods return.

    Parameters
    ----------
    shape : tuple of int
        The iteration space.
    """
    cdef Group group
    cdef list kept

    def __init__(self, shape):
        cdef int d
        memset(&self.group, 0, sizeof(Group))
        self.kept = []
        self.group.ndim = len(shape)
        for d in range(self.group.ndim):
            self.group.shape[d] = shape[d]

    def leaf(self, ndarray array not None):
        """An array, which broadcasts to the iteration space."""
        self.kept.append(array)
        describe(&self.group.operand[self.group.leaves], array)
        self.group.leaves += 1
        self.group.memory += 1
        return LEAF + self.group.leaves - 1

    def constant(self, value, dtype):
        """A number."""
        cdef bytes data = np.dtype(dtype).type(value).tobytes()
        self.group.constant_code[self.group.constants] = code_of(np.dtype(dtype))
        memcpy(self.group.constant[self.group.constants], <const char*>data, len(data))
        self.group.constants += 1
        return CONSTANT + self.group.constants - 1

    def step(self, Loop loop not None, inputs, dtype, mask=None, kept=None):
        """An operation, by its loop."""
        cdef int i = self.group.steps, k
        self.kept.append(loop)
        self.group.step[i].loop = <PyObject*>loop
        for k in range(5):
            self.group.step[i].source[k] = ABSENT
        for k in range(len(inputs)):
            self.group.step[i].source[k] = inputs[k]
        if mask is not None:
            self.group.step[i].source[MASK] = mask
        if kept is not None:
            self.group.step[i].source[KEPT] = kept
        self.group.step[i].code = code_of(np.dtype(dtype))
        self.group.steps += 1
        return i


cdef Recorded _served = None
cdef int _step = 0
cdef ndarray _stand_in = None
cdef int _launched = 0


cdef Py_ssize_t _pending(ndarray a) except -2:
    if _stand_in is None or a.buffer is not _stand_in.buffer:
        return -1
    return a.data_ptr() - _stand_in.data_ptr()


cdef int _reduce(ndarray a, Loops loops, const Launch* launch, const ReduceParams* p) except -1:
    global _launched
    cdef int done = reduce_group(a.device_, &_served.group, _step, loops, launch, p)
    _launched += done
    return done


cdef ndarray _defer(ndarray a, const bint* reduced, Loops loops, const Options* options, bint moments, int ndim,
                    const Py_ssize_t* shape):
    return None

# The hooks that serve replaces.
cdef FusionHooks _usual


def serve(Recorded recorded, int step, ndarray stand_in):
    """Let reductions of an array and its views compute the value of a step instead; returns the launches so far.

    Parameters
    ----------
    recorded : Recorded
        None ends it.
    step : int
    stand_in : ndarray
        An array of the group's shape, C-contiguous, of the step's dtype, which is not read.
    """
    global _served, _step, _stand_in, _usual
    if _served is None:
        _usual = fusion_hooks
    _served, _step, _stand_in = recorded, step, stand_in
    if recorded is None:
        fusion_hooks.pending = _usual.pending
        fusion_hooks.reduce = _usual.reduce
        fusion_hooks.defer = _usual.defer
    else:
        fusion_hooks.pending = _pending
        fusion_hooks.reduce = _reduce
        # Reductions run at their calls.
        fusion_hooks.defer = _defer
    return _launched

"""Groups made from Python, for tests and to look into kernels: run as one kernel, or step by step."""
import numpy as np

from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from gpunp.array.ndarray cimport code_of, ndarray, new_array
from gpunp.fusion.generated cimport launch_group
from gpunp.fusion.group cimport (
    ABSENT, CONSTANT, KEPT, LEAF, MASK, MAX_CONSTANTS, MAX_MEMORY, MAX_STEPS, Group,
)
from gpunp.ufunc.copying cimport copy_into
from gpunp.ufunc.plan cimport ElementwiseParams, Loop, Operand, describe, execute

# Groups refer to loops without counting.
cdef dict _loops = {}


def loop_of(str unit not None, str symbol not None, tuple codes not None, int nin):
    """The loop of a symbol, which lives as long as the process.

    Parameters
    ----------
    unit, symbol : str
        Of its precompiled kernels.
    codes : tuple of int
        Dtype codes of the inputs and the output.
    nin : int
        Number of inputs.

    Returns
    -------
    Loop
    """
    if (unit, symbol) not in _loops:
        _loops[unit, symbol] = Loop(unit, symbol, codes, nin, strided=not unit.startswith("cast_"))
    return _loops[unit, symbol]


cdef class Steps:
    """Operations over one iteration space.

    Parameters
    ----------
    steps : list of tuple
        For each operation its loop (from `loop_of`), the origins of its operands and the dtype of its value.
        An origin is the number of a step, or that of a leaf or constant from `leaf` and `constant`. With a mask
        there are two more: the mask and, where it is false, the value or None.
    leaves : list of ndarray
    stores : list of (int, ndarray)
        Steps, and where their values go.
    constants : list of numpy.generic, optional
    """
    cdef list steps
    cdef list leaves
    cdef list stores
    cdef list constants

    def __init__(self, list steps not None, list leaves not None, list stores not None, constants=()):
        self.leaves, self.stores, self.constants = leaves, stores, list(constants)
        self.steps = []
        for loop, origins, dtype in steps:
            origins = [ABSENT if origin is None else origin for origin in origins]
            nin = (<Loop?>loop).nin
            inputs = origins[:nin] + [ABSENT] * (MASK - nin)
            self.steps.append((loop, inputs + (origins[nin:] or [ABSENT, ABSENT]), code_of(np.dtype(dtype))))
        if len(steps) > MAX_STEPS or len(leaves) + len(stores) > MAX_MEMORY or len(constants) > MAX_CONSTANTS:
            raise ValueError("Steps: a group has no room for so many steps, arrays or constants")

    @staticmethod
    def leaf(int number):
        """The origin of a leaf."""
        return LEAF + number

    @staticmethod
    def constant(int number):
        """The origin of a constant."""
        return CONSTANT + number

    def launch(self, bint at_once=False, name=None):
        """Run as one kernel.

        Parameters
        ----------
        at_once : bool, default False
            Whether to wait for the kernel if there is none yet.
        name : str, optional
            For a new kernel.

        Returns
        -------
        bool
            Whether there is a kernel; if not, nothing has run.
        """
        cdef Group group
        cdef ndarray first = self.stores[0][1]
        cdef int i, k, d
        # Whatever is not set must not matter.
        memset(&group, 0xa5, sizeof(Group))
        group.steps, group.leaves = len(self.steps), len(self.leaves)
        group.memory, group.constants = group.leaves + len(self.stores), len(self.constants)
        group.ndim = first.ndim_
        for d in range(group.ndim):
            group.shape[d] = first.shape_[d]
        for i in range(group.steps):
            loop, origins, code = self.steps[i]
            group.step[i].loop = <PyObject*>loop
            group.step[i].code = code
            for k in range(KEPT + 1):
                group.step[i].source[k] = origins[k]
        for k in range(group.leaves):
            describe(&group.operand[k], <ndarray?>self.leaves[k])
        for k in range(group.leaves, group.memory):
            step, array = self.stores[k - group.leaves]
            describe(&group.operand[k], <ndarray?>array)
            group.stored[k] = step
        for k in range(group.constants):
            data = self.constants[k].tobytes()
            group.constant_code[k] = code_of(self.constants[k].dtype)
            memcpy(group.constant[k], <const char*>data, len(data))
        return launch_group(first.device_, &group, at_once, name) != 0

    def run_one_by_one(self):
        """Run every step by its own kernel."""
        cdef list values = []
        for step in self.steps:
            values.append(self.run_one(step, values))
        for number, array in self.stores:
            copy_into(<ndarray?>array, <ndarray>values[number])

    cdef object value(self, int origin, list values):
        if origin >= CONSTANT:
            return self.constants[origin - CONSTANT]
        return self.leaves[origin - LEAF] if origin >= LEAF else values[origin]

    cdef ndarray run_one(self, tuple step, list values):
        cdef ElementwiseParams params
        cdef Operand[4] operands
        cdef Operand mask
        cdef Loop loop = step[0]
        cdef list origins = step[1]
        cdef ndarray first = self.stores[0][1], out
        cdef int k
        cdef bint masked = origins[MASK] != ABSENT
        out = new_array(step[2], first.ndim_, first.shape_, first.device_)
        for k in range(loop.nin):
            value = self.value(origins[k], values)
            if isinstance(value, ndarray):
                describe(&operands[k], <ndarray>value)
                continue
            data = value.tobytes()
            operands[k].scalar = True
            operands[k].code = code_of(value.dtype)
            if operands[k].code != loop.codes[k]:
                raise ValueError(f"{loop.symbol}: constant {value!r} is not of the dtype of input {k}")
            memcpy(params.scalar[k], <const char*>data, len(data))
        describe(&operands[loop.nin], out)
        if masked:
            describe(&mask, <ndarray?>self.value(origins[MASK], values))
            out[...] = 0 if origins[KEPT] == ABSENT else self.value(origins[KEPT], values)
        execute(loop, first.device_, &params, operands, &mask if masked else NULL, first.ndim_, first.shape_)
        return out

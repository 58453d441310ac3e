"""Recursive filters on lanes: linear systems, whose states powers of a matrix carry over spans of samples.

For up to 8 real states there are kernels in parallel over time; filters of higher order or with complex
coefficients use a thread per span.
"""

import functools

import numpy

import gpunp
from gpunp_scipy.signal import recursive_kernels as kernels

# The most second-order sections that one pass over the data computes.
SECTIONS = kernels.STATES // 2
# Blocks per multiprocessor of the kernels in parallel over time: 4 are resident at once.
_BLOCKS = 4
# Threads per multiprocessor of the kernels with a thread per span, and the shortest span for one.
_THREADS, _SHORTEST = 512, 256
# Adjacent lanes from which each is a thread: their samples are read together.
_ADJACENT = 32
# Up to this order, powers of the matrix of a filter of any order are computed in extended precision.
_EXTENDED = 16


class System:
    """A real linear system with a kernel for its number of states.

    Parameters
    ----------
    kind : str
        ``"transfer"`` or ``"cascade"``.
    size : int
        The order of the transfer function or the number of sections, as the kernel has it.
    coefficients : ndarray
        As kernels/include/gpunp/signal/iir_systems.h describes them.
    """

    def __init__(self, kind, size, coefficients):
        self.unit, self.name = f"iir_{kind}", f"{kind}_{size}"
        self.kind, self.size = kind, size
        self.states = size if kind == "transfer" else 2 * size
        self.coefficients = numpy.ascontiguousarray(coefficients, numpy.float64)

    def powers(self, samples):
        """The table and the levels of the kernels for the matrix of some samples; None if they overflow."""
        return _powers(self.kind, self.size, self.coefficients.tobytes(), samples)


def transfer(b, a):
    """The system of a transfer function of order 1 to `STATES` with ``a[0] == 1``."""
    order = max(len(b), len(a)) - 1
    size = next(size for size in (2, 4, 8) if order <= size)
    coefficients = numpy.zeros(2 * size + 1)
    coefficients[: len(b)] = b
    coefficients[size + 1 : size + len(a)] = a[1:]
    return System("transfer", size, coefficients)


def cascade(sos):
    """The system of 1 to `SECTIONS` second-order sections."""
    coefficients = numpy.delete(numpy.asarray(sos, numpy.float64), 3, axis=1).ravel()
    return System("transfer", 2, coefficients) if len(sos) == 1 else System("cascade", len(sos), coefficients)


def _transfer_matrix(a, order, dtype):
    """How the states after a sample of zero depend on those before it."""
    matrix = numpy.eye(order, k=1, dtype=dtype)
    matrix[: len(a) - 1, 0] -= numpy.asarray(a, dtype)[1:]
    return matrix


def _matrix(kind, size, coefficients):
    if kind == "transfer":
        a = numpy.concatenate([[1.0], coefficients[size + 1 :]])
        return _transfer_matrix(a, size, numpy.longdouble)
    matrix = numpy.zeros((2 * size, 2 * size), numpy.longdouble)
    # The output of the sections so far, as a row of factors of the states.
    signal = numpy.zeros(2 * size, numpy.longdouble)
    for s, (b0, b1, b2, a1, a2) in enumerate(coefficients.reshape(size, 5).astype(numpy.longdouble)):
        output = b0 * signal
        output[2 * s] += 1
        matrix[2 * s] = b1 * signal - a1 * output
        matrix[2 * s, 2 * s + 1] += 1
        matrix[2 * s + 1] = b2 * signal - a2 * output
        signal = output
    return matrix


def _power(matrix, exponent):
    result = numpy.eye(len(matrix), dtype=matrix.dtype)
    while exponent:
        if exponent & 1:
            result = result @ matrix
        exponent >>= 1
        matrix = matrix @ matrix if exponent else matrix
    return result


@functools.lru_cache(maxsize=128)
def _powers(kind, size, coefficients, samples):
    with numpy.errstate(all="ignore"):
        one = _power(_matrix(kind, size, numpy.frombuffer(coefficients)), samples)
        states = len(one)
        table = numpy.empty((states, states, kernels.POWERS), numpy.longdouble)
        table[..., 0] = numpy.eye(states)
        for i in range(1, kernels.POWERS):
            table[..., i] = table[..., i - 1] @ one
        table = table.astype(numpy.float64)
    if not numpy.isfinite(table).all():
        return None
    levels = numpy.zeros((kernels.LEVELS, kernels.STATES, kernels.STATES))
    for level in range(kernels.LEVELS):
        levels[level, :states, :states] = table[..., 1 << level]
    table.flags.writeable = levels.flags.writeable = False
    return table, levels.ravel()


def lanes(x, axis):
    """An array as (outer, inner, samples), a view where its layout allows."""
    outer, inner = x.shape[:axis], x.shape[axis + 1 :]
    shape = (int(numpy.prod(outer)), x.shape[axis], int(numpy.prod(inner)))
    return x.reshape(shape).transpose(0, 2, 1)


def real_lanes(x, axis):
    """Lanes of an array in real numbers; a complex number counts as two lanes."""
    if x.dtype.kind != "c":
        return lanes(x, axis)
    x = gpunp.ascontiguousarray(x)
    half = x.real.dtype
    shape = (int(numpy.prod(x.shape[:axis])), x.shape[axis], int(numpy.prod(x.shape[axis + 1 :])))
    return x.reshape(shape).view(half).transpose(0, 2, 1)


def _cut(length, parts, multiple):
    """The length of the spans of a row, and their number."""
    span = -(-length // max(parts, 1))
    span = -(-span // multiple) * multiple
    return span, -(-length // span)


def _plan(system, x):
    """Whether to use a thread per span, the length of spans, their number, and the powers for both steps."""
    rows, length = x.shape[0] * x.shape[1], x.shape[2]
    if x.device.kind == "cpu":
        return True, length, 1, None, None
    multiprocessors = x.device.multiprocessors
    adjacent = x.shape[1] >= _ADJACENT and x.strides[1] == x.itemsize
    columns = adjacent or (length < _SHORTEST and rows >= multiprocessors * _ADJACENT)
    inside = None if columns else system.powers(kernels.EACH)
    if inside is None:
        columns = True
        parts, multiple = min(multiprocessors * _THREADS // rows, length // _SHORTEST), 1
    else:
        parts, multiple = min(multiprocessors * _BLOCKS // rows, length // (2 * kernels.TILE)), kernels.TILE
    span, spans = _cut(length, parts, multiple)
    if spans > 1:
        between = system.powers(span)
        if between is not None:
            return columns, span, spans, inside, between
    return columns, _cut(length, 1, multiple)[0], 1, inside, None


def run(system, x, y, initial=None, final=False):
    """Filter lanes.

    Parameters
    ----------
    system : System
    x, y : gpunp.ndarray
        Of float32 or float64 and of shape (outer, inner, samples), not empty; they may be the same.
    initial : gpunp.ndarray, optional
        States before the first sample, of float64 and shape (rows, states).
    final : bool
        Whether to return the states after the last sample, of the shape of ``initial``.
    """
    rows = x.shape[0] * x.shape[1]
    columns, span, spans, inside, between = _plan(system, x)
    options = {"columns": columns}
    if inside is not None:
        options.update(table=gpunp.asarray(inside[0], device=x.device), levels=inside[1])
    arguments = (system.unit, system.name, x)
    if spans > 1:
        states = gpunp.empty((rows, spans, system.states), device=x.device)
        kernels.run(*arguments, None, system.coefficients, span, spans, last=states, **options)
        table = gpunp.asarray(between[0], device=x.device)
        kernels.carry(system.unit, system.name, states, initial, table, between[1])
        initial = states
    last = gpunp.empty((rows, system.states), device=x.device) if final else None
    kernels.run(*arguments, y, system.coefficients, span, spans, initial, last, **options)
    return last


def run_general(b, a, x, y, initial=None):
    """Filter lanes with any order of at least 1, and coefficients of the kind of ``x``; ``a[0]`` is 1.

    ``initial`` is of shape (rows, order). Returns the states after the last sample, of that shape.
    """
    kind = numpy.complex128 if x.dtype.kind == "c" else numpy.float64
    order, rows, length = max(len(b), len(a)) - 1, x.shape[0] * x.shape[1], x.shape[2]
    forward, back = (
        gpunp.asarray(numpy.concatenate([c, numpy.zeros(order + 1 - len(c))]).astype(kind), device=x.device)
        for c in (b, a)
    )
    span, spans, matrix = _general_plan(a, order, x, rows, length, kind)
    states = gpunp.zeros((order, rows, spans), kind, device=x.device)
    if spans > 1:
        kernels.run_general(x, None, forward, back, states, span, spans)
        _carry_general(states, initial, matrix)
    elif initial is not None:
        states[..., 0] = initial.T
    kernels.run_general(x, y, forward, back, states, span, spans)
    return states[..., -1].T


def _general_plan(a, order, x, rows, length, kind):
    if x.device.kind != "cpu":
        shortest = max(_SHORTEST, 4 * order)
        parts = min(x.device.multiprocessors * _THREADS // rows, length // shortest)
        span, spans = _cut(length, parts, 1)
        if spans > 1:
            extended = numpy.clongdouble if kind is numpy.complex128 else numpy.longdouble
            with numpy.errstate(all="ignore"):
                matrix = _power(_transfer_matrix(a, order, extended if order <= _EXTENDED else kind), span)
                matrix = matrix.astype(kind)
                if numpy.isfinite(_power(matrix, spans)).all():
                    return span, spans, matrix
    return length, 1, None


def _carry_general(states, initial, matrix):
    """Replace the states after each span, from zeros, by those before each: a prefix sum."""
    after = states.copy()
    states[..., 0] = 0 if initial is None else initial.T
    states[..., 1:] = after[..., :-1]
    order, rows, spans = states.shape
    step = 1
    while step < spans:
        power = gpunp.asarray(matrix, device=states.device)
        before = states[..., :-step].reshape(order, -1)
        states[..., step:] += (power @ before).reshape(order, rows, spans - step)
        matrix = matrix @ matrix
        step *= 2

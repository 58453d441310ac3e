"""The states of linear systems over time, many steps in one product of matrices."""

import numpy

import gpunp

# The width of the matrix that gives the states of a block of steps from its inputs.
_WIDTH = 512
# The most steps in a block.
_STEPS = 64


def _powers(matrix, count):
    """Powers 0 to ``count`` of a host matrix, computed in extended precision."""
    extended = numpy.clongdouble if matrix.dtype.kind == "c" else numpy.longdouble
    powers = numpy.empty((count + 1, *matrix.shape), extended)
    powers[0] = numpy.eye(len(matrix))
    with numpy.errstate(over="ignore", invalid="ignore"):
        for k in range(count):
            powers[k + 1] = powers[k] @ matrix.astype(extended)
        powers = powers.astype(matrix.dtype)
    # Infinities would turn states that are zero into NaN.
    parts = powers.view(numpy.float64)
    numpy.clip(parts, -numpy.finfo(numpy.float64).max, numpy.finfo(numpy.float64).max, out=parts)
    return powers


def states(matrix, start, count, forced=None):
    """Return the rows ``x[0]`` to ``x[count]`` of ``x[k + 1] = x[k] @ matrix + forced[k]``.

    Within blocks of steps that is one product with the powers of the matrix. The states at the starts of
    blocks follow the same recursion with a power of the matrix.

    Parameters
    ----------
    matrix : numpy.ndarray
        Of shape (n, n), in float64 or complex128.
    start : gpunp.ndarray
        The first state, of shape (n,) and the dtype of the matrix.
    count : int
    forced : gpunp.ndarray, optional
        What inputs add to the states, of shape (count, n); nothing by default.

    Returns
    -------
    gpunp.ndarray
        Of shape (count + 1, n).
    """
    n, device = len(matrix), start.device
    if count == 0 or n == 0:
        return gpunp.zeros((count + 1, n), matrix.dtype, device=device) + start
    steps = min(count, max(2, min(_STEPS, _WIDTH // n)))
    powers = _powers(matrix, steps)
    blocks = -(-count // steps)
    within = None
    if forced is not None:
        rows = numpy.pad(forced, ((0, blocks * steps - count), (0, 0))).reshape(blocks, steps * n)
        within = rows @ gpunp.asarray(_responses(powers, steps), device=device)
    starts = start[None]
    if blocks > 1:
        ends = None if within is None else within[:-1, -n:]
        starts = states(powers[steps], start, blocks - 1, ends)
    after = powers[1:].transpose(1, 0, 2).reshape(n, steps * n)
    found = starts @ gpunp.asarray(after, device=device)
    if within is not None:
        found += within
    return numpy.concatenate([start[None], found.reshape(-1, n)[:count]])


def _responses(powers, steps):
    """The matrix from the inputs of all steps of a block to its states."""
    n = powers.shape[1]
    table = numpy.zeros((steps, n, steps, n), powers.dtype)
    for k in range(steps):
        table[k, :, k:] = powers[: steps - k].transpose(1, 0, 2)
    return table.reshape(steps * n, steps * n)

"""``ufunc.at``: unbuffered in-place operation on the elements that an index selects."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import warn_of_imaginary
from gpunp.array.convert import asarray
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import require_one_device
from gpunp.dispatch.policy import check_host_operand
from gpunp.dtype_codes import CHARS
from gpunp.indexing.keys import Selection
from gpunp.reduction.fold import FOLDED
from gpunp.ufunc.methods.scatter import find_targets, scatter


def at(ufunc, a, indices, b=None, /):
    """Operate in place on ``a[indices]``, once per occurrence of an index; see `numpy.ufunc.at`.

    Parameters
    ----------
    ufunc : Ufunc
        With one output.
    a : ndarray
    indices : array_like of int or bool, slice, int, Ellipsis, None, or a tuple of these
    b : array_like, optional
        The second operand of a binary ufunc.

    Raises
    ------
    IndexError
        If an index is out of bounds; nothing is written. For indices on the device, a later call raises it.
    """
    if ufunc.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if ufunc.nin > 2:
        raise ValueError("Only unary and binary ufuncs supported at this time")
    if not isinstance(a, ndarray):
        raise TypeError(
            f"numpy.{ufunc.name}.at: the first operand must be a device array, not a {type(a).__name__}, "
            "as other operands are on the device; upload it with gpunp.asarray"
        )
    if ufunc.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if ufunc.nin == 2 and ufunc.name not in FOLDED:
        raise TypeError(f"{ufunc.path}.at has no kernels, as for all long functions; call it in a loop")
    if ufunc.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if not a.flags.writeable:
        raise ValueError("array to perform in place operation on is read-only")
    if ufunc.nin == 1:
        _apply_unary(ufunc, a, indices)
        return
    if not isinstance(b, ndarray):
        check_host_operand(b, f"numpy.{ufunc.name}.at")
        b = asarray(b, device=a.device)
    require_one_device(f"numpy.{ufunc.name}.at", a, b)
    dtypes = ufunc.numpy_ufunc.resolve_dtypes((a.dtype, b.dtype, None))
    loop = "".join(CHARS[dtype_code(d)] for d in dtypes[:2])
    if not numpy.can_cast(b.dtype, dtypes[1], "safe"):
        warn_of_imaginary(b.dtype, dtypes[1])
        b = layout.converted(b, dtypes[1])
    warn_of_imaginary(dtypes[-1], a.dtype)
    _scatter(ufunc.name, loop, a, indices, b)


def _scatter(name, loop, a, indices, b):
    # Targets are element numbers in memory order, so the array must be C-contiguous.
    target = a if a.flags.c_contiguous else layout.converted(a, order="C")
    index = Selection(target, indices, f"numpy.{name}.at").resolve()
    values = _values(a, b, index.shape)
    if 0 in index.shape:
        # Nothing is written, but the indices must be in bounds.
        if all(array.size for array, *_ in index.arrays):
            for array, extent, _, _ in index.arrays:
                find_targets(name, a, array.shape, 0, [0] * array.ndim, [(array, array.strides, extent, 0)])
        return
    size = target.itemsize
    arrays = [
        (array, _steps(array, index), extent, stride // size) for array, extent, stride, _ in index.arrays
    ]
    steps = [stride // size for stride in index.strides]
    targets, refused = find_targets(name, target, index.shape, index.offset // size, steps, arrays)
    scatter(name, loop, target, values, targets, refused)
    if target is not a:
        layout.copy_into(a, target)


def _steps(array, index):
    """Byte strides of an index array over the dimensions of the result."""
    own = [0 if n == 1 else step for n, step in zip(array.shape, array.strides, strict=True)]
    return [0] * (index.end - array.ndim) + own + [0] * (len(index.shape) - index.end)


def _values(a, b, shape):
    """Return ``b`` as one element, or dense in the shape of the indexed elements; never memory of ``a``."""
    lead = len(shape) - b.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(b.shape, shape[lead:], strict=True)):
        raise ValueError(
            f"array is not broadcastable to correct shape: the second operand has shape {b.shape}, "
            f"the indexed elements {shape}"
        )
    if b.size == 1 and not _shares_memory(a, b):
        return b
    if b.shape == shape and b.flags.c_contiguous and not _shares_memory(a, b):
        return b
    dense = layout.empty(shape, b.dtype, device=b.device)
    layout.copy_into(dense, b)
    return dense


def _shares_memory(a, b):
    low, nbytes = a.buffer_address
    other, other_nbytes = b.buffer_address
    return low < other + other_nbytes and other < low + nbytes


def _apply_unary(ufunc, a, indices):
    """Count the indices of each element, then apply the ufunc that many times, with a mask per round."""
    # Raise for a dtype without a loop, even if no element is indexed.
    ufunc(layout.empty((0,), a.dtype, device=a.device))
    counts = layout.empty(a.shape, numpy.dtype(numpy.int32), device=a.device)
    counts.fill(0)
    one = asarray(1, dtype=counts.dtype, device=a.device)
    _scatter("add", "ii", counts, indices, one)
    most = int(counts.max()) if counts.size else 0
    for turn in range(most):
        ufunc(a, out=a, where=counts > turn, casting="unsafe")

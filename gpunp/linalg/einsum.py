"""Einstein sums: pairs of operands are contracted by matrix products, on views where strides allow it."""

import functools
import math

import numpy

from gpunp.array import layout
from gpunp.array.arguments import order_name, warn_of_imaginary
from gpunp.array.convert import asarray
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.views import reshaped, transposed
from gpunp.dispatch.policy import check_host_operand
from gpunp.dispatch.registry import implements
from gpunp.linalg import engine
from gpunp.linalg.lapack import same_device, to_dtype
from gpunp.linalg.multiplication import multiply_into

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KERNELS = ("include/gpunp/linalg/matmul_integer.h", "include/gpunp/reduction/reduce.h")


@implements(numpy.einsum, kernels=_KERNELS)
def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sum of products by Einstein's convention; see `numpy.einsum`.

    Parameters
    ----------
    **kwargs
        `dtype`, `order` and `casting`, as in `numpy.einsum`.
    """
    unknown = sorted(set(kwargs) - {"dtype", "order", "casting"})
    if unknown:
        raise TypeError(f"Did not understand the following kwargs: {unknown}")
    order, casting = order_name(kwargs.get("order", "K"), "K"), kwargs.get("casting", "safe")
    numpy.can_cast(bool, bool, casting)  # Raises NumPy's error for an invalid casting rule.
    subscripts, arrays = _split(operands)
    if out is not None and not isinstance(out, ndarray):
        raise TypeError(
            f"einsum: out is a host {type(out).__name__}; give a gpunp array, or copy the result with "
            "gpunp.asnumpy(result, out=...)"
        )
    for a in arrays:
        if not isinstance(a, ndarray):
            check_host_operand(a, "numpy.einsum")
    arrays = same_device("einsum", arrays)
    terms, target, plain = _parse(subscripts, tuple(a.ndim for a in arrays))
    if plain and out is None and not kwargs:
        found = (engine.product if len(target) == 2 else engine.stacked_product)(*arrays)
        if found is not None:
            return found
    if len(arrays) == 1 and out is None and len(set(terms[0])) == len(target):
        # Nothing is summed: a view regardless of dtype and order, as in NumPy. A 0-d result is a scalar.
        view, term = _without_repeats(arrays[0], terms[0], _extents(terms, arrays))
        return transposed(view, [term.index(label) for label in target]) if target else view[()]
    if optimize and len(arrays) > 1:
        # As in NumPy, contractions on an optimized path are matrix products, which ignore the casting rule.
        casting = "unsafe" if any(set(term) - set(target) for term in terms) else "same_kind"
    arrays = _converted(arrays, kwargs.get("dtype"), casting, out)
    extents = _extents(terms, arrays)
    pairs = list(zip(arrays, terms, strict=True))
    pairs = [_without_repeats(a, term, extents) for a, term in pairs]
    if len(pairs) > 2:
        pairs = _follow_path(pairs, target, extents, optimize)
    result, term = pairs[0]
    if len(pairs) == 2:
        result, term = _contract(pairs[0], pairs[1], target, extents)
    result, term = _summed(result, term, set(target))
    result = transposed(result, [term.index(label) for label in target])
    if out is None:
        return _ordered(result, order, arrays)._mark_scalar()
    return _written(result, out, casting)


def _ordered(result, order, arrays):
    if order == "A":
        order = "F" if all(a.flags.f_contiguous for a in arrays) else "C"
    return result if order == "K" else asarray(result, order=order)


def _written(result, out, casting):
    if out.shape != result.shape:
        raise ValueError(f"einsum: out has shape {out.shape} and the result has shape {result.shape}")
    if not out.flags.writeable:
        raise ValueError("output array is read-only")
    if not numpy.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"einsum: cannot cast the result from {result.dtype} to {out.dtype} of out according to the "
            f"rule '{casting}'"
        )
    warn_of_imaginary(result.dtype, out.dtype)
    layout.copy_into(out, result)
    return out


def _split(operands):
    """Split the arguments into the subscripts, as a string, and the list of arrays."""
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at "
            "least one operand and its corresponding subscripts list"
        )
    if isinstance(operands[0], str):
        if len(operands) == 1:
            raise ValueError("No input operands")
        return operands[0], list(operands[1:])
    arrays, lists = list(operands[:-1:2]), list(operands[1::2])
    if len(operands) == 1:
        raise ValueError("einsum: each operand must be followed by its list of subscripts")
    text = ",".join(_letters(entries) for entries in lists)
    if len(operands) % 2:
        text += "->" + _letters(operands[-1])
    return text, arrays


def _letters(entries):
    found = ""
    for entry in entries:
        if entry is Ellipsis:
            found += "..."
            continue
        try:
            number = entry.__index__()
        except AttributeError as error:
            raise TypeError("For this input type lists must contain either int or Ellipsis") from error
        if not 0 <= number < len(_LETTERS):
            raise ValueError("subscript is not within the valid range [0, 52)")
        found += (_LETTERS[26:] + _LETTERS[:26])[number]
    return found


@functools.lru_cache(512)
def _parse(text, ndims):
    """Labels of every operand and of the result, and whether the sum is a plain matrix product.

    Dimensions under an ellipsis have negative integers as labels, -1 for the last.
    """
    text = text.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    if (arrow and ("-" in output or ">" in output)) or ("-" in inputs or ">" in inputs):
        raise ValueError("Subscripts can only contain one '->'.")
    terms = inputs.split(",")
    if len(terms) != len(ndims):
        raise ValueError("Number of einsum subscripts must be equal to the number of operands.")
    widest = 0
    parsed = []
    for term, ndim in zip(terms, ndims, strict=True):
        labels, width = _labels(term, ndim)
        widest = max(widest, width)
        parsed.append(labels)
    if arrow:
        target, _ = _labels(output, None, widest)
    else:
        letters = [label for labels in parsed for label in labels if isinstance(label, str)]
        target = list(range(-widest, 0))
        target += sorted(label for label in set(letters) if letters.count(label) == 1)
    known = {label for labels in parsed for label in labels}
    for label in target:
        if target.count(label) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript '{label}' multiple times"
            )
        if label not in known:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared "
                "in an input"
            )
    if arrow and widest and "..." not in output:
        raise ValueError(
            "einsum: operands have dimensions under '...' that the output lacks; write '...' after '->'"
        )
    return parsed, target, _is_product(parsed, target)


def _is_product(terms, target):
    """Whether the sum is the product of two matrices or of two stacks of matrices."""
    if len(terms) != 2 or min(map(len, terms)) < 2:
        return False
    (*stack, i, j), (*other, k, m) = terms
    return stack == other and j == k and target == [*stack, i, m] and len({*stack, i, j, m}) == len(stack) + 3


def _labels(term, ndim, width=None):
    before, dots, after = term.partition("...")
    for character in before + after:
        if character not in _LETTERS:
            raise ValueError(
                f"invalid subscript '{character}' in einstein sum subscripts string, subscripts must be "
                "letters"
            )
    named = len(before) + len(after)
    if ndim is not None:
        if (named > ndim) or (not dots and named < ndim):
            what = "too many" if named > ndim else "fewer"
            raise ValueError(
                f"einsum: operand has {ndim} dimensions and the subscripts '{term}' name {what} "
                f"({named}); use '...' for the others"
            )
        width = ndim - named
    if not dots:
        width = 0
    return [*before, *range(-width, 0), *after], width


def _converted(arrays, dtype, casting, out):
    if dtype is None:
        if out is None and all(a.dtype == arrays[0].dtype for a in arrays):
            return arrays
        kinds = [a.dtype for a in arrays] + ([] if out is None else [out.dtype])
        dtype = numpy.result_type(*kinds)
    dtype = as_dtype(dtype)
    for a in arrays:
        if a.dtype != dtype and not numpy.can_cast(a.dtype, dtype, casting):
            raise TypeError(
                f"Iterator operand could not be cast from {a.dtype!r} to {dtype!r} according to the rule "
                f"'{casting}'"
            )
        warn_of_imaginary(a.dtype, dtype)
    return [to_dtype(a, dtype) for a in arrays]


def _extents(terms, arrays):
    extents = {}
    for term, a in zip(terms, arrays, strict=True):
        for label, extent in zip(term, a.shape, strict=True):
            known = extents.get(label, 1)
            if known != extent and 1 not in (known, extent):
                raise ValueError(
                    f"operands could not be broadcast together: einsum subscript '{label}' has the extents "
                    f"{known} and {extent}"
                )
            extents[label] = extent if known == 1 else known
    return extents


def _without_repeats(a, term, extents):
    """A view with each label once: repeated labels become diagonals, broadcast extents of 1 are dropped."""
    shape, strides, labels = [], [], []
    for label, extent, stride in zip(term, a.shape, a.strides, strict=True):
        if extent == 1 and extents[label] != 1 and term.count(label) == 1:
            continue
        if label in labels:
            place = labels.index(label)
            if shape[place] != extent:
                raise ValueError(
                    f"dimensions in single operand for collapsing index '{label}' don't match "
                    f"({shape[place]} != {extent})"
                )
            strides[place] += stride
        else:
            labels.append(label)
            shape.append(extent)
            strides.append(stride)
    if len(labels) == a.ndim:
        return a, labels
    view = layout.strided_view(a, shape, strides)
    return view, labels


def _summed(a, term, kept):
    """Sum over the labels not in ``kept``."""
    axes = tuple(i for i, label in enumerate(term) if label not in kept)
    if not axes:
        return a, term
    total = numpy.add.reduce(a, axis=axes, dtype=a.dtype)
    return total, [label for label in term if label in kept]


def _follow_path(pairs, target, extents, optimize):
    """Contract along the path that NumPy's search finds for the shapes, until one operand is left."""
    if optimize is False or optimize is True:
        optimize = "greedy"
    names = {label: _LETTERS[i] for i, label in enumerate(extents)}
    text = ",".join("".join(names[label] for label in term) for _, term in pairs)
    text += "->" + "".join(names[label] for label in target)
    hosts = [numpy.broadcast_to(numpy.empty((), a.dtype), a.shape) for a, _ in pairs]
    path = numpy.einsum_path(text, *hosts, optimize=optimize)[0][1:]
    for step in path:
        chosen = [pairs[i] for i in sorted(step)]
        for i in sorted(step, reverse=True):
            del pairs[i]
        result = chosen[0]
        for k, other in enumerate(chosen[1:], 2):
            rest = [term for _, term in pairs + chosen[k:]]
            kept = set(target).union(*rest)
            wanted = target if not pairs and k == len(chosen) else None
            result = _contract(result, other, wanted, extents, kept)
        pairs.append(result)
    return pairs


def _contract(one, two, target, extents, kept=None):
    """The product of two operands, summed over the labels not in ``kept``, as (array, labels)."""
    (a, left), (b, right) = one, two
    kept = set(target) if kept is None else kept
    a, left = _summed(a, left, kept | set(right))
    b, right = _summed(b, right, kept | set(left))
    inner = [label for label in left if label in right and label not in kept]
    batch = [label for label in left if label in right and label in kept]
    if not inner:
        return _multiplied(a, left, b, right, target)
    # An extent of 1 is broadcast to that of the other operand; later operands may still enlarge it.
    extents = dict(zip(left, a.shape, strict=True))
    for label, extent in zip(right, b.shape, strict=True):
        extents[label] = max(extent, extents.get(label, extent), key=lambda n: n != 1)
    a, b = _stretched(a, left, extents), _stretched(b, right, extents)
    rows = [label for label in left if label not in right]
    columns = [label for label in right if label not in left]
    if target is not None:
        # The order of the result decides which operand gives the rows.
        batch.sort(key=target.index)
        rows.sort(key=target.index)
        columns.sort(key=target.index)
        if rows and columns and target.index(columns[0]) < target.index(rows[0]):
            a, left, rows, b, right, columns = b, right, columns, a, left, rows
    # Order the summed labels as in memory of the larger operand, so that a copy, if any, is of the smaller.
    first, labels = (a, left) if a.size >= b.size else (b, right)
    inner.sort(key=lambda label: -abs(first.strides[labels.index(label)]))
    batch_shape = [extents[label] for label in batch]
    m, k, n = (math.prod(extents[label] for label in group) for group in (rows, inner, columns))
    x = _grouped(a, left, batch, rows, inner, (*batch_shape, m, k))
    y = _grouped(b, right, batch, inner, columns, (*batch_shape, k, n))
    result = layout.empty((*batch_shape, m, n), x.dtype, "C", x.device)
    multiply_into(x, y, result)
    order = batch + rows + columns
    return reshaped(result, [extents[label] for label in order]), order


def _stretched(a, labels, extents):
    shape = tuple(extents[label] for label in labels)
    return a if a.shape == shape else numpy.broadcast_to(a, shape)


def _grouped(a, labels, batch, first, second, shape):
    """The operand as a stack of matrices: a view if its strides allow it."""
    moved = transposed(a, [labels.index(label) for label in batch + first + second])
    return moved if len(first) == 1 == len(second) else reshaped(moved, shape)


def _multiplied(a, left, b, right, target):
    """Elementwise products, with axes in the order of ``target`` if given."""
    labels = left + [label for label in right if label not in left]
    if target is not None:
        labels = [label for label in target if label in labels]

    def aligned(x, term):
        x = transposed(x, [term.index(label) for label in labels if label in term])
        return x[tuple(slice(None) if label in term else None for label in labels)]

    return numpy.multiply(aligned(a, left), aligned(b, right)), labels

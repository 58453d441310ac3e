"""Collective operations of sparse arrays: a message with their sizes, then their parts as dense arrays."""

import functools
import sys

import gpunp
from gpunp.distributed.checks import OPERATIONS, flat

_FORMATS = ("csr", "csc", "coo")
_CHARS = "?bBhHiIlLefdFD"
# Format, two lengths of the shape, dtypes of elements and indices, stored elements, length of indptr.
_NUMBERS = 7


def is_sparse(value):
    """Whether a value is a sparse array on the device, or a list of them."""
    methods = sys.modules.get("gpunp_scipy.sparse.methods")
    if methods is None:
        return False
    if isinstance(value, (list, tuple)):
        return bool(value) and isinstance(value[0], methods.DeviceSparse)
    return isinstance(value, methods.DeviceSparse)


def _checked(call, value, device):
    """Raise unless a value is a sparse array of this group's device, in one of the formats."""
    if not is_sparse(value) or isinstance(value, (list, tuple)):
        raise TypeError(
            f"{call}: sparse arrays are exchanged with sparse arrays, not with {type(value).__name__}"
        )
    if value.format not in _FORMATS or value.ndim != 2:
        raise TypeError(
            f"{call}: sparse arrays of format {', '.join(_FORMATS)} with two dimensions are exchanged, not "
            f"{value.format} with {value.ndim}; convert with .tocsr()"
        )
    if value.data.device is not device:
        raise ValueError(
            f"{call}: the sparse array is on {value.data.device}, but the group was made on {device}"
        )
    return value


def _checked_list(call, name, values, backend):
    if not isinstance(values, (list, tuple)) or len(values) != backend.size:
        raise ValueError(
            f"{call}: {name} must be a list with a sparse array for each of the {backend.size} ranks"
        )
    return [_checked(call, each, backend.device) for each in values]


def _split(value):
    """The numbers that describe a sparse array, and its parts."""
    if value.format == "coo":
        parts = [value.data, *value.coords]
        ends = value.nnz
    else:
        parts = [value.data, value.indices, value.indptr]
        ends = value.indptr.size
    chars = [_char(part.dtype) for part in parts[:2]]
    # Index arrays may differ in dtype where the caller set them.
    parts = [parts[0], *(part.astype(parts[1].dtype, copy=False) for part in parts[1:])]
    numbers = [_FORMATS.index(value.format), *value.shape, *chars, value.data.size, ends]
    return numbers, [gpunp.ascontiguousarray(part) for part in parts]


def _char(dtype):
    # The same number for names that a platform has for one dtype.
    return next(i for i, char in enumerate(_CHARS) if gpunp.dtype(char) == dtype)


def _empty(numbers, device):
    """Arrays for the parts of a sparse array that comes."""
    _, _, _, char, index_char, count, ends = numbers
    lengths = ((char, count), (index_char, count), (index_char, ends))
    return [gpunp.empty(length, gpunp.dtype(_CHARS[each]), device=device) for each, length in lengths]


def _replace(call, target, numbers, parts):
    """Make the target what was received."""
    kind = _FORMATS[numbers[0]]
    shape = tuple(numbers[1:3])
    if target.format != kind or target.shape != shape:
        raise ValueError(
            f"{call}: a {kind} array of shape {shape} was sent, the output is {target.format} of shape "
            f"{target.shape}"
        )
    # What SciPy remembers of the old parts.
    for name in ("_has_sorted_indices", "_has_canonical_format", "has_canonical_format"):
        vars(target).pop(name, None)
    target.data = parts[0]
    if kind == "coo":
        target.coords = tuple(parts[1:])
        target.has_canonical_format = False
    else:
        target.indices, target.indptr = parts[1:]


def _made(template, numbers, parts):
    """A new sparse array of received parts, of the class of a template."""
    data = (parts[0], tuple(parts[1:])) if _FORMATS[numbers[0]] == "coo" else tuple(parts)
    made = type(template)(data, shape=tuple(numbers[1:3]))
    return made.asformat(_FORMATS[numbers[0]])


def _swap(backend, sends, peers):
    """Send sparse arrays and receive others; return their numbers and parts in the order of ``peers``."""
    device = backend.device
    out = [(*_split(value), peer) for value, peer in sends]
    own = {
        peer: (numbers, [each.copy() for each in parts])
        for numbers, parts, peer in out
        if peer == backend.rank
    }
    out = [each for each in out if each[2] != backend.rank]
    others = [peer for peer in peers if peer != backend.rank]
    with backend._transport(None) as transport:
        heads = {peer: gpunp.empty(_NUMBERS, gpunp.int64, device=device) for peer in others}
        transport.exchange(
            [(gpunp.asarray(numbers, gpunp.int64, device=device), peer) for numbers, _, peer in out],
            [(head, peer) for peer, head in heads.items()],
        )
        found = {peer: head.tolist() for peer, head in heads.items()}
        found = {peer: (numbers, _empty(numbers, device)) for peer, numbers in found.items()}
        for place in range(3):
            transport.exchange(
                [(flat(parts[place]), peer) for _, parts, peer in out],
                [(flat(parts[place]), peer) for peer, (_, parts) in found.items()],
            )
    return [(found | own)[peer] for peer in peers]


def _spread(backend, value, root):
    """The numbers and parts of the array of one process, in all."""
    device = backend.device
    mine = backend.rank == root
    numbers, parts = _split(value) if mine else ([0] * _NUMBERS, None)
    with backend._transport(None) as transport:
        head = gpunp.asarray(numbers, gpunp.int64, device=device)
        transport.broadcast(head, root)
        if not mine:
            numbers = head.tolist()
            parts = _empty(numbers, device)
        for part in parts:
            transport.broadcast(flat(part), root)
    return numbers, parts


def _whole(function):
    """Run a function on a stream, as it reads sizes on the host in between."""

    @functools.wraps(function)
    def wrapped(backend, call, *args):
        with backend._within(args[-1]):
            return function(backend, call, *args[:-1])

    return wrapped


@_whole
def exchange(backend, call, sends, receives):
    """`send`, `recv` and `send_recv`."""
    for value, _ in (*sends, *receives):
        _checked(call, value, backend.device)
    found = _swap(backend, sends, [peer for _, peer in receives])
    for (target, _), (numbers, parts) in zip(receives, found, strict=True):
        _replace(call, target, numbers, parts)


@_whole
def broadcast(backend, call, value, root):
    """`broadcast`."""
    _checked(call, value, backend.device)
    numbers, parts = _spread(backend, value, root)
    if backend.rank != root:
        _replace(call, value, numbers, parts)


@_whole
def scatter(backend, call, values, target, root):
    """`scatter`."""
    _checked(call, target, backend.device)
    sends = []
    if backend.rank == root:
        sends = [(value, peer) for peer, value in enumerate(_checked_list(call, "in_array", values, backend))]
    ((numbers, parts),) = _swap(backend, sends, [root])
    _replace(call, target, numbers, parts)


def _collect(backend, call, value, root):
    """The arrays of all processes, in the process ``root``."""
    _checked(call, value, backend.device)
    found = _swap(backend, [(value, root)], list(range(backend.size)) if backend.rank == root else [])
    return [_made(value, *each) for each in found]


@_whole
def gather(backend, call, value, out, root):
    """`gather`."""
    if backend.rank == root:
        _checked_out(call, out)
    found = _collect(backend, call, value, root)
    if backend.rank == root:
        out[:] = found


@_whole
def all_gather(backend, call, value, out):
    """`all_gather`."""
    _checked_out(call, out)
    _checked(call, value, backend.device)
    out[:] = [_made(value, *_spread(backend, value, root)) for root in range(backend.size)]


@_whole
def all_to_all(backend, call, values, out):
    """`all_to_all`."""
    _checked_out(call, out)
    out[:] = _turned(backend, call, values)


def _turned(backend, call, values):
    values = _checked_list(call, "in_array", values, backend)
    found = _swap(backend, [(value, peer) for peer, value in enumerate(values)], list(range(backend.size)))
    return [_made(values[0], *each) for each in found]


def _checked_out(call, out):
    if not isinstance(out, list):
        raise TypeError(
            f"{call}: out_array must be a list, into which sparse arrays are put, not {type(out).__name__}"
        )


def _combine(call, values, op, target):
    """Reduce sparse arrays, in the order of the ranks, into the target."""
    result = values[0]
    for value in values[1:]:
        if op == "sum":
            result = result + value
        elif op == "prod":
            result = result.multiply(value)
        else:
            result = result.maximum(value) if op == "max" else result.minimum(value)
    _replace(call, target, *_split(result.asformat(target.format)))


def _checked_operation(call, op):
    if op not in OPERATIONS:
        raise ValueError(f"{call}: op must be one of {', '.join(OPERATIONS)}, not {op!r}")


@_whole
def all_reduce(backend, call, value, target, op):
    """`all_reduce`."""
    _checked_operation(call, op)
    _checked(call, target, backend.device)
    _checked(call, value, backend.device)
    _combine(call, [_made(value, *_spread(backend, value, root)) for root in range(backend.size)], op, target)


@_whole
def reduce(backend, call, value, target, root, op):
    """`reduce`."""
    _checked_operation(call, op)
    if backend.rank == root:
        _checked(call, target, backend.device)
    found = _collect(backend, call, value, root)
    if backend.rank == root:
        _combine(call, found, op, target)


@_whole
def reduce_scatter(backend, call, values, target, op):
    """`reduce_scatter`."""
    _checked_operation(call, op)
    _checked(call, target, backend.device)
    _combine(call, _turned(backend, call, values), op, target)

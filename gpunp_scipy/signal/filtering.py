"""Recursive filters along an axis: transfer functions and second-order sections."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

import gpunp
from gpunp.array.convert import fetched
from gpunp_scipy.signal import fir, recursion

_DTYPES = "fdFD"


def _coefficients(values, name):
    values = numpy.atleast_1d(fetched(values))
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"Parameter {name} is not a non-empty 1d array, since {name}.shape={values.shape!r}!"
        )
    return values


def _dtype(function, *arrays):
    dtype = numpy.result_type(*(array.dtype for array in arrays if array is not None))
    if dtype.char == "g" or dtype.char == "G":
        dtype = numpy.dtype("D" if dtype.char == "G" else "d")
    if dtype.char not in _DTYPES:
        raise NotImplementedError(
            f"Parameter's dtypes produced result type '{dtype}', which is not supported by {function}; "
            "convert x to float64"
        )
    return dtype


def _broadcast_states(zi, shape, axis):
    """Initial states of a shape: a dimension of 1 is repeated, but not along the axis of the filter."""
    if zi.ndim != len(shape):
        raise ValueError(
            f"object of too small depth for desired array: zi has {zi.ndim} dimensions, x has {len(shape)}"
        )
    repeated = [own == 1 and i != axis for i, own in enumerate(zi.shape)]
    if any(zi.shape[i] != wanted and not repeated[i] for i, wanted in enumerate(shape)):
        raise ValueError(f"Unexpected shape for zi: expected {shape}, found {zi.shape}.")
    return numpy.broadcast_to(zi, shape)


def _state_rows(zi, axis, states):
    """Initial states along an axis as (rows, states), in float64 and padded with zeros; None stays None."""
    if zi is None:
        return None
    rows = recursion.real_lanes(zi, axis)
    rows = rows.reshape(-1, rows.shape[-1]).astype(numpy.float64)
    if rows.shape[1] < states:
        rows = numpy.pad(rows, ((0, 0), (0, states - rows.shape[1])))
    return gpunp.ascontiguousarray(rows)


def _from_state_rows(rows, shape, axis, order, dtype):
    """The inverse of `_state_rows`."""
    outer, inner = shape[:axis], shape[axis + 1 :]
    rows = rows[:, :order]
    if dtype.kind == "c":
        rows = rows.reshape(int(numpy.prod(outer)), -1, 2, order).transpose(0, 3, 1, 2)
        rows = gpunp.ascontiguousarray(rows).view(numpy.complex128)[..., 0]
    else:
        rows = rows.reshape(int(numpy.prod(outer)), -1, order).transpose(0, 2, 1)
    return rows.reshape(*outer, order, *inner).astype(dtype)


def lfilter(b, a, x, axis=-1, zi=None):
    """Filter along an axis by a transfer function; see `scipy.signal.lfilter`.

    Samples are computed in float64 or complex128 for single precision too.
    """
    b, a = _coefficients(b, "b"), _coefficients(a, "a")
    x = gpunp.asarray(x)
    zi = None if zi is None else gpunp.asarray(zi, device=x.device)
    if len(a) > 1 and a[0] == 0:
        raise ValueError("a[0] is 0; give a filter whose first denominator coefficient is not zero")
    if x.ndim == 0:
        raise ValueError("object of too small depth for desired array: x has no dimensions")
    dtype = _dtype("lfilter", b, a, x, zi)
    axis = normalize_axis_index(axis, x.ndim)
    order = max(len(a), len(b)) - 1
    states_shape = (*x.shape[:axis], order, *x.shape[axis + 1 :])
    if zi is not None:
        zi = _broadcast_states(zi, states_shape, axis).astype(dtype)
    # In the dtype of the result first, as in SciPy.
    b, a = (values.astype(dtype) for values in (b, a))
    with numpy.errstate(all="ignore"):
        b, a = b / a[0], a / a[0]
    x = x.astype(dtype, copy=False)
    run = _without_feedback if len(a) == 1 else _filtered
    y, final = run(b, a, x, axis, zi, wanted=zi is not None)
    return y if zi is None else (y, final)


def _without_feedback(b, a, x, axis, zi, wanted):
    """By sums over samples, so that a NaN has an effect on as many outputs as there are taps."""
    length = x.shape[axis]
    b = b.real if x.dtype.kind == "c" and not numpy.imag(b).any() else b
    y = fir.polyphase(b, x, 1, 1, axis, length + (len(b) - 1 if wanted else 0))
    if not wanted:
        return y, None
    rows = numpy.moveaxis(y, axis, -1)
    rows[..., : len(b) - 1] += numpy.moveaxis(zi, axis, -1)
    return (numpy.moveaxis(part, -1, axis) for part in (rows[..., :length], rows[..., length:].copy()))


def _filtered(b, a, x, axis, zi, wanted):
    order = max(len(a), len(b)) - 1
    shape = (*x.shape[:axis], order, *x.shape[axis + 1 :])
    y = gpunp.empty(x.shape, x.dtype, device=x.device)
    if x.size == 0:
        return y, zi
    if x.dtype.kind == "c" and not numpy.imag(b).any() and not numpy.imag(a).any():
        b, a = b.real, a.real
    if order > recursion.kernels.STATES or b.dtype.kind == "c":
        rows = None
        if zi is not None:
            rows = recursion.lanes(zi, axis).reshape(-1, order)
        final = recursion.run_general(b, a, recursion.lanes(x, axis), recursion.lanes(y, axis), rows)
        if not wanted:
            return y, None
        outer = int(numpy.prod(x.shape[:axis]))
        final = final.reshape(outer, -1, order).transpose(0, 2, 1)
        return y, final.reshape(shape).astype(x.dtype)
    system = recursion.transfer(b, a)
    rows = _state_rows(zi, axis, system.states)
    final = recursion.run(
        system, recursion.real_lanes(x, axis), recursion.real_lanes(y, axis), rows, final=wanted
    )
    return y, _from_state_rows(final, x.shape, axis, order, x.dtype) if wanted else None


def _sections(sos):
    sos = numpy.atleast_2d(fetched(sos))
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if len(sos) == 0:
        raise ValueError("sos has no sections; sosfilt needs at least one")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not (sos[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return sos


def sosfilt(sos, x, axis=-1, zi=None):
    """Filter along an axis by second-order sections; see `scipy.signal.sosfilt`.

    Samples are computed in float64 or complex128 for single precision too.
    """
    x = gpunp.asarray(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    sos = _sections(sos)
    zi = None if zi is None else gpunp.asarray(zi, device=x.device)
    dtype = _dtype("sosfilt", sos, x, zi)
    axis = normalize_axis_index(axis, x.ndim)
    states_shape = (len(sos), *x.shape[:axis], 2, *x.shape[axis + 1 :])
    if zi is not None:
        if zi.shape != states_shape:
            raise ValueError(
                f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos array "
                f"with {len(sos)} sections, zi must have shape {states_shape!r}, got {zi.shape!r}."
            )
        zi = zi.astype(dtype)
    sos = sos.astype(dtype)
    x = x.astype(dtype, copy=False)
    if x.size == 0:
        y, final = gpunp.empty(x.shape, dtype, device=x.device), zi
    elif dtype.kind == "c" and numpy.imag(sos).any():
        y, final = _each_section(sos, x, axis, zi)
    else:
        y, final = _cascaded(sos.real, x, axis, zi)
    return y if zi is None else (y, final)


def _each_section(sos, x, axis, zi):
    """Complex sections, in a pass each."""
    finals = []
    for i, section in enumerate(sos):
        states = None if zi is None else zi[i]
        x, final = _filtered(section[:3], section[3:], x, axis, states, wanted=zi is not None)
        finals.append(final)
    return x, None if zi is None else numpy.stack(finals)


def _cascaded(sos, x, axis, zi):
    """Real sections, several of them in a pass."""
    y = gpunp.empty(x.shape, x.dtype, device=x.device)
    source, target = recursion.real_lanes(x, axis), recursion.real_lanes(y, axis)
    passes = -(-len(sos) // recursion.SECTIONS)
    finals = []
    for group in numpy.array_split(numpy.arange(len(sos)), passes):
        system = recursion.cascade(sos[group])
        rows = None
        if zi is not None:
            rows = numpy.hstack([_state_rows(zi[i], axis, 2) for i in group.tolist()])
        final = recursion.run(system, source, target, rows, final=zi is not None)
        if zi is not None:
            finals += [
                _from_state_rows(final[:, 2 * i : 2 * i + 2], x.shape, axis, 2, x.dtype)
                for i in range(len(group))
            ]
        source = target
    return y, numpy.stack(finals) if zi is not None else None

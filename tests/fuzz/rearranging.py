"""Statements that create, view, join, index and assign."""

import numpy as np
from registry import ARITHMETIC, EXACT, SUMMED, command, expression, keywords, statement


@statement(4)
def new_array(g):
    if g.chance(0.06):
        return expression(g.long_literal())
    return expression(g.literal().text)


@statement(7)
def views(g):
    a = g.array(view=0.1)
    how = g.random()
    if how < 0.3:
        return expression(f"({a})[{g.basic_key(a.shape)}]")
    if how < 0.4:
        axes = g.rng.sample(range(a.ndim), a.ndim)
        return expression(f"np.transpose({a}, {axes!r})")
    if how < 0.6:
        return expression(reshaped(g, a))
    if how < 0.7:
        return expression(f"np.broadcast_to({a}, {(g.choice([1, 2, 3]), *a.shape)!r})")
    if how < 0.78:
        return expression(f"np.{g.choice(['swapaxes', 'moveaxis'])}({a}, {g.axis(a.ndim)}, {g.axis(a.ndim)})")
    if how < 0.85:
        return expression(
            f"np.{g.choice(['squeeze', 'ravel', 'flip', 'atleast_1d', 'atleast_2d', 'atleast_3d'])}({a})"
        )
    if how < 0.9:
        return expression(f"np.expand_dims({a}, {g.choice(['0', '-1', '1', '(0, -1)'])})")
    if how < 0.95:
        return expression(f"np.diagonal({a}{keywords(offset=g.choice([None, '1', '-1']))})")
    return expression(f"np.{g.choice(['rot90', 'fliplr', 'flipud', 'matrix_transpose'])}({a})")


def reshaped(g, a):
    size = int(np.prod(a.shape, dtype=int))
    divisors = [n for n in (1, 2, 3, 4, 6, 12) if size and size % n == 0] or [0]
    first = g.choice(divisors)
    shape = g.choice(
        [(-1,), (first, -1) if first else (0, 3), (size,), (1, -1) if size else (0,), (1, size, 1)]
    )
    order = keywords(order=repr(g.choice("CFA")) if g.chance(0.2) else None)
    return f"({a}).reshape({shape!r}{order})"


@statement(3)
def joined(g):
    a = g.array()
    b = g.with_shape(a.shape) if g.chance(0.9) else g.array()
    how = g.random()
    dtype = keywords(dtype=repr(g.dtype()) if g.chance(0.1) else None)
    if how < 0.4:
        axis = g.axis(a.ndim) if g.chance(0.85) else "None"
        return expression(f"np.concatenate(({a}, {b}), axis={axis}{dtype})")
    if how < 0.65:
        return expression(f"np.stack([{a}, {b}], axis={g.axis(a.ndim + 1)}{dtype})")
    if how < 0.9:
        return expression(f"np.{g.choice(['hstack', 'vstack', 'dstack', 'column_stack'])}(({a}, {b}))")
    return expression(f"np.append({a}, {b}{keywords(axis=g.axis(a.ndim) if g.chance(0.5) else None)})")


@statement(1.5)
def split(g):
    a = g.array(lambda v: v.ndim)
    axis = g.axis(a.ndim)
    if g.chance(0.5):
        return expression(f"np.array_split({a}, {1 + g.below(4)}, axis={axis})[{g.choice([0, -1])}]")
    places = sorted(g.below(6) for _ in range(2))
    return expression(f"np.split({a}, {places}, axis={axis})", EXACT, 3)


@statement(4)
def rearranged(g):
    a = g.array()
    how = g.random()
    axis = keywords(axis=g.axis(a.ndim) if g.chance(0.75) else None)
    if how < 0.25:
        return expression(f"np.roll({a}, {g.below(9) - 4}{axis})")
    if how < 0.45:
        count = (
            str(g.below(4))
            if g.chance(0.8)
            else repr([g.below(3) for _ in range(a.shape[0] if a.ndim else 1)])
        )
        return expression(f"np.repeat({a}, {count}{axis})")
    if how < 0.6:
        return expression(f"np.tile({a}, {g.choice(['2', '(2, 1)', '(1, 2)', '0', '(2, 1, 2)'])})")
    if how < 0.8:
        modes = ["constant", "constant", "edge", "reflect", "symmetric", "wrap", "maximum"]
        # Means of integers near the greatest depend on the order of the sum.
        mode = g.choice(modes if g.edgy else [*modes, "linear_ramp", "mean"])
        width = g.choice(["1", "(1, 2)", "0", "2"])
        return expression(f"np.pad({a}, {width}, mode={mode!r})", SUMMED)
    if how < 0.87:
        return expression(f"np.delete({a}, {g.below(3)}{axis})")
    if how < 0.94:
        return expression(f"np.insert({a}, {g.below(3)}, {g.scalar()}{axis})")
    return expression(f"np.{g.choice(['trim_zeros', 'resize', 'flip'])}({a}{g.choice([', (2, 3)', ''])})")


@statement(4)
def indexed(g):
    a = g.array()
    return expression(f"({a})[{g.advanced_key(a.shape)}]")


@statement(3)
def taken(g):
    a = g.array()
    n = a.shape[-1] if a.ndim else 1
    how = g.random()
    if how < 0.4:
        mode = keywords(mode=repr(g.choice(["clip", "wrap"])) if g.chance(0.3) else None)
        return expression(f"np.take({a}, {g.indices(n)}, axis=-1{mode})")
    if how < 0.55:
        return expression(f"np.take({a}, {g.indices(int(np.prod(a.shape, dtype=int)))})")
    if how < 0.7 and a.ndim:
        shape = (*a.shape[:-1], 1 + g.below(3))
        return expression(f"np.take_along_axis({a}, {g.indices(n, shape, lists=False)}, axis=-1)")
    if how < 0.85:
        return expression(f"np.compress({[g.chance(0.5) for _ in range(n)]}, {a}, axis={g.axis(a.ndim)})")
    if how < 0.93:
        return expression(f"np.extract({g.mask(a.shape)}, {a})")
    valid = f"A({[g.below(2) for _ in range(3)]!r}, 'i8', (3,))"
    indices = valid if g.chance(0.8) else g.indices(2, (3,))
    return expression(f"np.choose({indices}, [{g.literal((3,))}, {g.literal((3,))}])")


@statement(9)
def assigned(g):
    target = g.target()
    if target is None:
        return new_array(g)
    shape = g.variables[target].shape
    key = g.key(shape)
    value = g.scalar() if g.chance(0.4) else None
    if value is None:
        try:
            kept = eval(
                f"np.empty({shape!r}, bool)[{key}]",
                {
                    "np": np,
                    "A": lambda v, t, s=None: np.array(v, t).reshape(s or len(v)),
                    "F": getattr(g, "elements", None),
                },
                {n: g.variables[n] for n in g.names()},
            )
            value = g.with_shape(g.broadcastable(np.shape(kept)))
        except Exception:
            value = g.array()
    if g.chance(0.15):
        name = g.choice(["+=", "-=", "*=", "|="])
        return command(f"{target}[{key}] {name} {value}", ARITHMETIC)
    return command(f"{target}[{key}] = {value}")


@statement(2.5)
def put(g):
    target = g.target()
    if target is None:
        return new_array(g)
    value = g.variables[target]
    shape = value.shape
    size = int(np.prod(shape, dtype=int))
    how = g.random()
    if how < 0.2:
        casting = keywords(casting=repr(g.choice(["unsafe", "same_kind", "safe"])) if g.chance(0.4) else None)
        where = keywords(where=g.mask(g.broadcastable(shape)).text if g.chance(0.4) else None)
        return command(f"np.copyto({target}, {g.partner(shape)}{casting}{where})")
    if how < 0.35:
        return command(f"np.put({target}, {g.indices(size)}, {g.partner((2,))})")
    if how < 0.5:
        return command(f"np.putmask({target}, {g.mask(shape)}, {g.literal((1 + g.below(3),), value.dtype)})")
    if how < 0.6:
        return command(f"np.place({target}, {g.mask(shape)}, [{g.scalar()}, {g.scalar()}])")
    if how < 0.7:
        return command(f"{target}.fill({g.scalar()})")
    if how < 0.8:
        return command(f"np.fill_diagonal({target}, {g.scalar()})")
    if how < 0.9:
        return command(f"{target}.flat[{g.choice([g.slice(size), g.index(size)])}] = {g.partner((2,))}")
    return command(f"{target}.{g.choice(['real', 'imag'])} = {g.partner(shape)}")


@statement(2)
def like(g):
    a = g.array(lambda v: isinstance(v, np.ndarray), view=0)
    how = g.random()
    dtype = keywords(dtype=repr(g.dtype()) if g.chance(0.5) else None)
    if how < 0.3:
        return expression(f"np.{g.choice(['zeros_like', 'ones_like'])}({a}{dtype})")
    if how < 0.5:
        return expression(f"np.full_like({a}, {g.scalar()}{dtype})")
    if how < 0.6:
        return expression(f"np.arange({g.below(4)}, {g.below(9)}, {1 + g.below(3)}{dtype}, like={a})")
    if how < 0.7:
        return expression(f"np.{g.choice(['eye', 'identity', 'tri'])}({1 + g.below(4)}{dtype}, like={a})")
    if how < 0.8:
        return expression(f"np.array({[g.below(5) for _ in range(3)]}{dtype}, like={a})")
    if how < 0.9:
        return expression(f"np.full((2, 3), {g.scalar()}{dtype}, like={a})")
    if how < 0.95:
        return expression(f"np.copy({a}{keywords(order=repr(g.choice('CFAK')) if g.chance(0.3) else None)})")
    return expression(f"np.{g.choice(['asarray', 'array'])}({a}{dtype}, like={a})")


@statement(2)
def triangles_and_grids(g):
    a = g.array()
    how = g.random()
    if how < 0.4:
        return expression(f"np.{g.choice(['tril', 'triu', 'diag', 'diagflat'])}({a}, {g.below(4) - 1})")
    if how < 0.55:
        return expression(f"np.vander({g.array(ndim=1)}, {g.below(4)})", SUMMED)
    if how < 0.75:
        indexing = keywords(indexing=repr("ij") if g.chance(0.5) else None)
        return expression(f"np.meshgrid({g.array(ndim=1)}, {g.array(ndim=1)}{indexing})", EXACT, 2)
    if how < 0.9:
        b = g.with_shape(g.broadcastable(a.shape))
        return expression(f"np.broadcast_arrays({a}, {b})", EXACT, 2)
    return expression(f"np.nonzero({g.array(ndim=2)})", EXACT, 2)

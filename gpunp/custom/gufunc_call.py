"""One call of a generalized ufunc: core and loop dimensions, the function's calls, the results."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import warn_of_imaginary
from gpunp.array.convert import asarray
from gpunp.ufunc.core_dimensions import core_axes

_NoValue = numpy._NoValue


class Call:
    """The inputs of a call with their core dimensions last, and the arrays that its results go to.

    Attributes
    ----------
    loop : tuple of int
        The broadcast loop dimensions.
    sizes : dict
        The sizes of core dimensions by name.
    targets : list of ndarray or None
        For each output the array given with ``out=``, core dimensions last, if the function's results can be
        written there directly.
    """

    def __init__(self, ufunc, inputs, outs, dtypes, casting):
        self.ufunc, self.inputs, self.outs = ufunc, inputs, outs
        self.dtypes, self.casting = dtypes, casting
        self.device = inputs[0].device
        self.names = self._present_names()
        self.cores = [len(names) for names in self.names]
        self.sizes = {name: int(name) for names in self.names for name in names if name.isdigit()}
        self.kept = 0

    def _present_names(self):
        """The core dimensions of all operands, without the optional ones that an input lacks."""
        names = [list(core) for core in (*self.ufunc._inputs, *self.ufunc._outputs)]
        for i, x in enumerate(self.inputs):
            for name in [name for name in names[i] if name.endswith("?")]:
                if x.ndim < len(names[i]):
                    names = [[each for each in core if each != name] for core in names]
        return [[name.rstrip("?") for name in core] for core in names]

    def place(self, axes, axis, keepdims):
        """Move the core dimensions to the end, and determine loop dimensions and sizes."""
        ufunc, nin = self.ufunc, self.ufunc.nin
        if keepdims:
            self._check_keepdims()
            self.kept = self.cores[0]
        declared = self.cores[nin:]
        cores = self.cores[:nin] + [core + self.kept for core in declared]
        if axis is not _NoValue:
            count = len({name for core in (*ufunc._inputs, *ufunc._outputs) for name in core})
            if count != 1:
                raise TypeError(
                    f"{ufunc.name}: axis can only be used with a single shared core dimension, not with the "
                    f"{count} distinct ones implied by signature {ufunc.signature}."
                )
        for i, (x, core) in enumerate(zip((*self.inputs, *self.outs), cores, strict=True)):
            if x is not None and x.ndim < core:
                raise ValueError(
                    f"{ufunc.name}: {self._operand(i)} does not have enough dimensions (has {x.ndim}, gufunc "
                    f"core with signature {ufunc.signature} requires {core})"
                )
        ndim = max(x.ndim - core for x, core in zip(self.inputs, cores, strict=False))
        ndims = [x.ndim for x in self.inputs]
        ndims += [
            ndim + core if x is None else x.ndim for x, core in zip(self.outs, cores[nin:], strict=True)
        ]
        places = core_axes(ufunc.name, cores, ndims, axes, axis, declared)
        self.result_places = places[nin:]
        self.inputs = [_cores_last(x, place) for x, place in zip(self.inputs, places, strict=False)]
        moved = [
            x if x is None else _cores_last(x, place)
            for x, place in zip(self.outs, places[nin:], strict=True)
        ]
        self._measure(moved)
        self.targets = [self._target(k, x) for k, x in enumerate(moved)]
        self.moved = moved

    def _check_keepdims(self):
        nin = self.ufunc.nin
        for i, core in enumerate(self.cores):
            if core != (self.cores[0] if i < nin else 0):
                raise TypeError(
                    f"{self.ufunc.name} does not support keepdims: its signature {self.ufunc.signature} "
                    f"requires {'input' if i < nin else 'output'} {i if i < nin else i - nin} to have {core} "
                    "core dimensions, but keepdims can only be used when all inputs have the same number of "
                    "core dimensions and all outputs have no core dimensions."
                )

    def _operand(self, i):
        nin = self.ufunc.nin
        return f"Input operand {i}" if i < nin else f"Output operand {i - nin}"

    def _measure(self, outs):
        """Set the sizes of core dimensions and the loop dimensions."""
        for i, (x, names) in enumerate(zip((*self.inputs, *outs), self.names, strict=True)):
            shape = () if x is None else x.shape[x.ndim - len(names) :]
            for axis, (name, size) in enumerate(zip(names, shape, strict=False)):
                if self.sizes.setdefault(name, size) != size:
                    raise ValueError(
                        f"{self.ufunc.name}: {self._operand(i)} has a mismatch in its core dimension {axis}, "
                        f"with gufunc signature {self.ufunc.signature} (size {size} is different from "
                        f"{self.sizes[name]})"
                    )
        loops = [x.shape[: x.ndim - core] for x, core in zip(self.inputs, self.cores, strict=False)]
        try:
            self.loop = numpy.broadcast_shapes(*loops)
        except ValueError:
            text = " ".join(map(str, loops))
            raise ValueError(
                f"{self.ufunc.name}: operands could not be broadcast together with loop dimensions {text}"
            ) from None

    def _target(self, k, out):
        """The array that results of the function are written to, if that is the one given with ``out=``."""
        if out is None:
            return None
        if self.kept:
            if out.shape[-self.kept :] != (1,) * self.kept:
                raise ValueError(
                    f"{self.ufunc.name}: with keepdims the core dimensions of out have length 1, not "
                    f"{out.shape[-self.kept :]}"
                )
            out = out[(..., *(0,) * self.kept)]
        loop = out.shape[: out.ndim - self.cores[self.ufunc.nin + k]]
        known = self.ufunc._takes_out if self.dtypes[k] is None else out.dtype == self.dtypes[k]
        shared = any(numpy.may_share_memory(out, x) for x in self.inputs)
        return out if known and loop == self.loop and not shared else None

    def run(self, kwargs):
        """Call the function, and return its results with all loop dimensions."""
        if not self.loop or self.ufunc._batched:
            results = self._apply(self.inputs, self.targets, kwargs)
            for k, result in enumerate(results):
                self._check_shape(k, result, self.loop)
            return results
        views = [
            numpy.broadcast_to(x, self.loop + x.shape[x.ndim - core :])
            for x, core in zip(self.inputs, self.cores, strict=False)
        ]
        stacks = [self._new(k) if x is None else x for k, x in enumerate(self.targets)]
        if 0 in self.loop and any(stack is None for stack in stacks):
            raise ValueError(
                f"{self.ufunc.name}: the loop dimensions {self.loop} are empty, so the function is not "
                "called: give out=, or signatures= and core dimensions that the inputs have"
            )
        for index in numpy.ndindex(self.loop):
            place = (*index, Ellipsis)
            slots = [None if stack is None else stack[place] for stack in stacks]
            results = self._apply([view[place] for view in views], slots, kwargs)
            for k, result in enumerate(results):
                if result is not slots[k]:
                    self._check_shape(k, result, ())
                    stacks[k] = self._store(k, stacks[k], place, result)
        return stacks

    def _apply(self, inputs, outs, kwargs):
        """One call of the function; its results are arrays on the device of the call."""
        count = self.ufunc.nout
        if self.ufunc._takes_out:
            kwargs = {**kwargs, "out": outs[0] if count == 1 else tuple(outs)}
        results = self.ufunc._func(*inputs, **kwargs)
        if results is None and self.ufunc._takes_out and all(out is not None for out in outs):
            return list(outs)
        if count == 1 and not isinstance(results, tuple):
            results = (results,)
        got = len(results) if isinstance(results, (tuple, list)) else 1
        if got != count or not isinstance(results, (tuple, list)):
            raise ValueError(
                f"{self.ufunc.name}: the function returned {got} results; signature {self.ufunc.signature} "
                f"has {count} outputs"
            )
        return [asarray(result, device=self.device) for result in results]

    def _check_shape(self, k, result, loop):
        """Raise if a result of the function does not have the dimensions of output k."""
        names = self.names[self.ufunc.nin + k]
        core = result.shape[len(loop) :]
        sizes = zip(names, core, strict=False)
        if (result.shape[: len(loop)], len(core)) == (loop, len(names)) and all(
            self.sizes.setdefault(name, size) == size for name, size in sizes
        ):
            return
        wanted = ", ".join([*map(str, loop), *(f"{name}={self.sizes.get(name, '?')}" for name in names)])
        raise ValueError(
            f"{self.ufunc.name}: the function returned an array of shape {result.shape} for output {k}; "
            f"signature {self.ufunc.signature} requires ({wanted})"
        )

    def _new(self, k):
        """A new array for all results of output k, or None if its dtype or shape is not known yet."""
        names = self.names[self.ufunc.nin + k]
        dtype = self.dtypes[k] if self.outs[k] is None or self.dtypes[k] is not None else self.outs[k].dtype
        if dtype is None or any(name not in self.sizes for name in names):
            return None
        return layout.empty(self.loop + tuple(self.sizes[name] for name in names), dtype, "C", self.device)

    def _store(self, k, stack, place, result):
        """Write one result to its place; the stack is created, or takes a wider dtype, as results demand."""
        fixed = self.dtypes[k] is not None or self.targets[k] is not None
        if stack is None:
            dtype = self.dtypes[k] or result.dtype
            stack = layout.empty(self.loop + result.shape, dtype, "C", self.device)
        if fixed:
            self._check_cast(k, result.dtype, stack.dtype)
        elif result.dtype != stack.dtype:
            stack = layout.converted(stack, numpy.promote_types(stack.dtype, result.dtype))
        stack[place] = result
        return stack

    def _check_cast(self, k, source, target):
        if source != target and not numpy.can_cast(source, target, self.casting):
            raise TypeError(
                f"Cannot cast ufunc {self.ufunc.name!r} output {k} from {source!r} to {target!r} with "
                f"casting rule {self.casting!r}"
            )

    def deliver(self, k, result, order):
        """Return an output in its dtype, order and position of axes, or the array given with ``out=``."""
        out, target = self.outs[k], self.targets[k]
        if target is not None and result is target:
            return out
        wanted = (self.dtypes[k] or result.dtype) if out is None else out.dtype
        self._check_cast(k, result.dtype, wanted)
        warn_of_imaginary(result.dtype, wanted)
        if self.kept:
            result = result[(..., *(None,) * self.kept)]
        if out is not None:
            moved = self.moved[k]
            core = self.cores[self.ufunc.nin + k] + self.kept
            self._check_broadcast(result.shape, moved.shape, core)
            layout.copy_into(moved, numpy.broadcast_to(result, moved.shape))
            return out
        if result.dtype != wanted:
            result = layout.converted(result, wanted)
        elif any(numpy.may_share_memory(result, x) for x in self.inputs):
            result = layout.converted(result)
        places = self.result_places[k]
        if places:
            result = numpy.moveaxis(result, range(-len(places), 0), places)
        if (order == "C" and not result.flags.c_contiguous) or (
            order == "F" and not result.flags.f_contiguous
        ):
            result = layout.converted(result, None, order)
        return result if result.ndim else result[()]

    def _check_broadcast(self, shape, wanted, core):
        fits = shape[len(shape) - core :] == wanted[len(wanted) - core :]
        try:
            fits = fits and numpy.broadcast_shapes(shape, wanted) == wanted
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"{self.ufunc.name}: out has shape {wanted} and the result has shape {shape}")


def _cores_last(x, places):
    return numpy.moveaxis(x, places, range(-len(places), 0)) if places else x

"""The generalized ufuncs matmul, vecdot, matvec and vecmat, with all keywords of NumPy's."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import order_name, warn_of_imaginary
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.numpy_internals import UFuncOutputCastingError
from gpunp.array.views import broadcast, reshaped
from gpunp.dispatch.policy import check_host_operand
from gpunp.dtype_codes import CHARS
from gpunp.linalg import engine
from gpunp.linalg.lapack import same_device
from gpunp.linalg.multiplication import multiply_into
from gpunp.ufunc.core_dimensions import core_axes
from gpunp.ufunc.engine import Ufunc, check_rules, fixed_types

_NoValue = numpy._NoValue


class GeneralizedUfunc(Ufunc):
    # A generalized ufunc of matrices and vectors. NumPy's ufunc of that name resolves dtypes; `core` holds
    # the numbers of core dimensions of both operands and the result. Each object has its own docstring.

    def __init__(self, name, core):
        found = getattr(numpy, name)
        types = tuple(text for text in found.types if set(text) - {"-", ">"} <= set(CHARS))
        super().__init__("numpy", name, "linalg", None, types, ())
        self.core = core

    @property
    def __doc__(self):
        from gpunp.docstrings.ufuncs import product_docstring

        return product_docstring(self, self.numpy_ufunc)

    @property
    def signature(self):
        """The core dimensions in NumPy's notation."""
        return self.numpy_ufunc.signature

    def __call__(
        self,
        x1,
        x2,
        /,
        out=None,
        *,
        casting="same_kind",
        order="K",
        dtype=None,
        subok=True,
        signature=_NoValue,
        sig=_NoValue,
        axes=_NoValue,
        axis=_NoValue,
        keepdims=_NoValue,
    ):
        given = not (axes is axis is keepdims is _NoValue)
        typed = not (dtype is None and signature is sig is _NoValue and casting == "same_kind")
        if self is matmul and out is None and order == "K" and not given and not typed:
            found = engine.product(x1, x2)
            if found is None:
                found = engine.stacked_product(x1, x2)
            if found is not None:
                return found
        out = self._given_output(out)
        order = order_name(order, "K")
        check_rules(casting, subok)
        fixed = fixed_types(self, signature, sig, dtype)
        if axes is not _NoValue and axis is not _NoValue:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if keepdims is not _NoValue and not isinstance(keepdims, bool):
            raise TypeError("'keepdims' must be a boolean")
        for x, other in ((x1, x2), (x2, x1)):
            if isinstance(other, ndarray) and not isinstance(x, ndarray):
                check_host_operand(x, f"numpy.{self.name}")
        a, b = same_device("matrix product", (x1, x2))
        if out is not None and out.device is not a.device:
            raise ValueError(
                f"numpy.{self.name}: the operands are on {a.device} and out is on {out.device}; move one "
                "with to_device"
            )
        compute, result_dtype = self._dtypes(a, b, out, casting, fixed)
        if axis is not _NoValue and self.name != "vecdot":
            raise TypeError(
                f"{self.name}: axis can only be used with a single shared core dimension, not with the 2 "
                f"distinct ones implied by signature {self.signature}."
            )
        if keepdims is not _NoValue and self.name != "vecdot":
            raise TypeError(
                f"{self.name} does not support keepdims: its signature {self.signature} requires operands "
                "and results with other numbers of core dimensions"
            )
        cores = self._cores(a, b)
        if keepdims is True:
            # With keepdims the result has one core dimension, of length one.
            cores = (*cores[:2], 1)
        self._check_dimensions(a, b, out, cores)
        target, places = out, None
        if given:
            places = self._places(a, b, out, cores, axes, axis)
            a, b = _cores_last(a, places[0]), _cores_last(b, places[1])
            if out is not None:
                target = _cores_last(out, places[2])
        if keepdims is True and out is not None:
            if target.shape[-1] != 1:
                raise ValueError(
                    f"{self.name}: Output operand 0 has a mismatch in its core dimension 0, with gufunc "
                    f"signature {self.signature} (size {target.shape[-1]} is different from 1)"
                )
            target = target[..., 0]
        a = a if a.dtype == compute else layout.converted(a, compute)
        b = b if b.dtype == compute else layout.converted(b, compute)
        result = self._product(a, b, target, result_dtype, order)
        if out is not None:
            return out
        if keepdims is True:
            result = result[..., None]
        if places is None or not cores[2]:
            return result
        return numpy.moveaxis(result, range(-cores[2], 0), places[2])

    def _given_output(self, out):
        if isinstance(out, tuple):
            if len(out) != 1:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
            (out,) = out
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(
                f"{self.name}: out is a host {type(out).__name__}; give a gpunp array, or copy the result "
                "with gpunp.asnumpy(result, out=...)"
            )
        return out

    def _dtypes(self, a, b, out, casting, fixed):
        loop = self.numpy_ufunc.resolve_dtypes(
            (a.dtype, b.dtype, None if out is None else out.dtype),
            casting=casting,
            **({} if fixed is None else {"signature": fixed}),
        )
        compute, result = as_dtype(loop[0]), as_dtype(loop[2])
        if out is not None and not numpy.can_cast(result, out.dtype, casting):
            raise UFuncOutputCastingError(self.numpy_ufunc, casting, result, out.dtype, 0)
        if compute.kind != "c":
            warn_of_imaginary(numpy.result_type(a.dtype, b.dtype), compute)
        if out is not None:
            warn_of_imaginary(result, out.dtype)
        return compute, result

    def _cores(self, a, b):
        if self.name != "matmul":
            return self.core
        # In the signature (n?,k),(k,m?)->(n?,m?) a vector lacks its optional dimension.
        cores = min(a.ndim, 2), min(b.ndim, 2)
        return (*cores, sum(cores) - 2) if min(cores) else (2, 2, 2)

    def _check_dimensions(self, a, b, out, cores):
        for i, (operand, core) in enumerate(zip((a, b, out), cores, strict=True)):
            least = max(core, 1) if self.name == "matmul" and i < 2 else core
            if operand is not None and operand.ndim < least:
                kind = f"Input operand {i}" if i < 2 else "Output operand 0"
                raise ValueError(
                    f"{self.name}: {kind} does not have enough dimensions (has {operand.ndim}, gufunc core "
                    f"with signature {self.signature} requires {least})"
                )

    def _places(self, a, b, out, cores, axes, axis):
        """The core axes of the operands and of the result, counted from 0."""
        result = len(
            numpy.broadcast_shapes(*((1,) * (x.ndim - n) for x, n in ((a, cores[0]), (b, cores[1]))))
        )
        ndims = [a.ndim, b.ndim, result + cores[2] if out is None else out.ndim]
        return core_axes(self.name, cores, ndims, axes, axis, self.core[2:])

    def _product(self, a, b, out, dtype, order):
        """The product of arrays whose core axes come last."""
        name = self.name
        a_vector = name in ("vecdot", "vecmat") or (name == "matmul" and a.ndim == 1)
        b_vector = name in ("vecdot", "matvec") or (name == "matmul" and b.ndim == 1)
        if name in ("vecdot", "vecmat") and a.dtype.kind == "c":
            a = numpy.conjugate(a)
        if a_vector:
            a = a[..., None, :]
        if b_vector:
            b = b[..., None]
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(
                f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                f"{self.signature} (size {b.shape[-2]} is different from {a.shape[-1]})"
            )
        batch = self._batch(a, b, a_vector, b_vector)
        shape = (*batch, a.shape[-2], b.shape[-1])
        visible = batch + (() if a_vector else shape[-2:-1]) + (() if b_vector else shape[-1:])
        if out is None:
            result = layout.empty(shape, dtype, "F" if order == "F" else "C", a.device)
            return reshaped(multiply_into(a, b, result), visible)._mark_scalar()
        if out.shape != visible and not _stretches(visible, out.shape, len(visible) - len(batch)):
            raise ValueError(f"{name}: out has shape {out.shape} and the result has shape {visible}")
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
        if (
            out.shape == visible
            and out.dtype == dtype
            and not any(numpy.may_share_memory(out, x) for x in (a, b))
        ):
            target = out[..., None] if b_vector else out
            multiply_into(a, b, target[..., None, :] if a_vector else target)
        else:
            result = layout.empty(shape, dtype, "C", a.device)
            result = reshaped(multiply_into(a, b, result), visible)
            layout.copy_into(out, result if out.shape == visible else broadcast(result, out.shape))
        return out

    def _batch(self, a, b, a_vector, b_vector):
        """The broadcast loop dimensions; raises NumPy's message if they do not broadcast."""
        loops = a.shape[:-2], b.shape[:-2]
        try:
            return numpy.broadcast_shapes(*loops)
        except ValueError:
            pass
        core = (() if a_vector else a.shape[-2:-1]) + (() if b_vector else b.shape[-1:])
        given = a.shape[:-2] + a.shape[-1:] if a_vector else a.shape, b.shape[:-1] if b_vector else b.shape
        # NumPy writes a trailing comma only if the broadcast loop and the core have one dimension in all.
        alone = max(map(len, loops)) + len(core) == 1
        text = " ".join(
            f"{_text(whole, len(whole) == 1)}->{_text((*loop, *('newaxis',) * len(core)), alone)}"
            for whole, loop in zip(given, loops, strict=True)
        )
        raise ValueError(
            f"operands could not be broadcast together with remapped shapes [original->remapped]: {text}  "
            f"and requested shape {_text(core, comma=False)}"
        )

    def reduce(self, *args, **kwargs):
        """Not defined for products, as in NumPy."""
        raise RuntimeError("Reduction not defined on ufunc with signature")

    def accumulate(self, *args, **kwargs):
        """Not defined for products, as in NumPy."""
        raise RuntimeError("Reduction not defined on ufunc with signature")

    def reduceat(self, *args, **kwargs):
        """Not defined for products, as in NumPy."""
        raise RuntimeError("Reduction not defined on ufunc with signature")

    def outer(self, *args, **kwargs):
        """Not defined for products, as in NumPy."""
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")

    def at(self, *args, **kwargs):
        """Not defined for products, as in NumPy."""
        raise TypeError(
            f"{self.name}.at does not support ufunc with non-trivial signature: {self.name} has signature "
            f"{self.signature}."
        )

    def __reduce__(self):
        return generalized_ufunc, (self.name,)


def _cores_last(x, places):
    return numpy.moveaxis(x, places, range(-len(places), 0)) if places else x


def _text(shape, comma):
    """A shape as NumPy's messages write it: without spaces, with an optional trailing comma."""
    return f"({','.join(map(str, shape))}{',' if comma else ''})"


def _stretches(shape, wanted, core):
    """Whether a result can be broadcast to ``wanted`` with its last ``core`` axes unchanged."""
    fixed = len(shape) - core
    if shape[fixed:] != wanted[len(wanted) - core :]:
        return False
    try:
        return numpy.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def generalized_ufunc(name):
    """Look up a generalized ufunc by name, for unpickling."""
    return PRODUCTS[name]


matmul = GeneralizedUfunc("matmul", (2, 2, 2))
vecdot = GeneralizedUfunc("vecdot", (1, 1, 0))
matvec = GeneralizedUfunc("matvec", (2, 1, 1))
vecmat = GeneralizedUfunc("vecmat", (1, 2, 1))
# By name: the implementations of np.matmul, np.vecdot, np.matvec and np.vecmat.
PRODUCTS = {product.name: product for product in (matmul, vecdot, matvec, vecmat)}

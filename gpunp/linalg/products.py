"""Products of matrices and vectors: cuBLAS on CUDA, NumPy's BLAS on the CPU, our kernel for integers."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import host_view
from gpunp.array.dtype import as_dtype
from gpunp.array.ndarray import ndarray
from gpunp.array.views import broadcast, reshaped, transposed
from gpunp.dispatch.policy import check_host_operand
from gpunp.dispatch.registry import implements
from gpunp.linalg import engine, integers
from gpunp.linalg.lapack import same_device

_KERNELS = ("include/gpunp/matmul_integer.h",)


def multiply_into(a, b, c):
    """c = a @ b on one device, one dtype, matrices in the last two axes, broadcast over the others."""
    if c.size == 0:
        return c
    batch = c.shape[:-2]
    if a.shape[-1] == 0:
        c[...] = 0
        return c
    if c.dtype.kind in "biu":
        integers.multiply(broadcast(a, batch + a.shape[-2:]), broadcast(b, batch + b.shape[-2:]), c)
        return c
    if c.device.is_cpu:
        numpy.matmul(host_view(a), host_view(b), out=host_view(c))
        return c
    from gpunp.cuda import products

    a, b = (x if products.takes(x) else layout.converted(x, order="C") for x in (a, b))
    target = c if products.takes(c, True) else layout.empty(c.shape, c.dtype, "C", c.device)
    products.multiply(broadcast(a, batch + a.shape[-2:]), broadcast(b, batch + b.shape[-2:]), target)
    if target is not c:
        layout.copy_into(c, target)
    return c


def _operands(*values):
    return same_device("matrix product", values)


class _Product:
    """A generalised ufunc of matrices and vectors.

    Parameters
    ----------
    name : str
        NumPy's ufunc of this name decides on dtypes.
    core : tuple of int
        Core dimensions of the operands and of the result.
    signature : str
        As NumPy writes it.
    """

    def __init__(self, name, core, signature):
        self.numpy_ufunc = getattr(numpy, name)
        self.__name__ = self.__qualname__ = name
        self.core = core
        self.signature = signature
        self.__doc__ = f"Device version of `numpy.{name}`; {signature}."

    nin, nout, nargs, identity = 2, 1, 3, None

    def __repr__(self):
        return f"<gpunp ufunc '{self.__name__}'>"

    def __reduce__(self):
        return getattr, (_module(), self.__name__)

    def __call__(
        self,
        x1,
        x2,
        out=None,
        *,
        casting="same_kind",
        order="K",
        dtype=None,
        subok=True,
        signature=None,
        axes=None,
        axis=None,
        keepdims=False,
    ):
        if (
            self is matmul
            and out is axes is axis is dtype is signature is None
            and order in "KC"
            and not keepdims
        ):
            found = engine.product(x1, x2)
            if found is not None:
                return found
        if isinstance(out, tuple):
            (out,) = out
        if out is not None and not isinstance(out, ndarray):
            raise TypeError(
                f"{self.__name__}: out is a host {type(out).__name__}; give a gpunp array, or copy the "
                "result with gpunp.asnumpy(result, out=...)"
            )
        for x, other in ((x1, x2), (x2, x1)):
            if isinstance(other, ndarray) and not isinstance(x, ndarray):
                check_host_operand(x, f"numpy.{self.__name__}")
        a, b = _operands(x1, x2)
        target = out
        if keepdims:
            axes, axis = self._keeping(axes, axis), None
            target = None if out is None else numpy.squeeze(out, axes[2])
            a, b, target, place = self._arrange(a, b, target, [*axes[:2], ()], None)
        else:
            a, b, target, place = self._arrange(a, b, target, axes, axis)
        fixed = _signature(signature, dtype)
        loop = self.numpy_ufunc.resolve_dtypes(
            (a.dtype, b.dtype, None if out is None else out.dtype),
            casting=casting,
            **({} if fixed is None else {"signature": fixed}),
        )
        compute, result_dtype = as_dtype(loop[0]), as_dtype(loop[2])
        a = a if a.dtype == compute else layout.converted(a, compute)
        b = b if b.dtype == compute else layout.converted(b, compute)
        result = self._product(a, b, target, result_dtype, order)
        if out is not None:
            return out
        return numpy.expand_dims(place(result), axes[2]) if keepdims else place(result)

    def _keeping(self, axes, axis):
        """The axes of ``keepdims``: the result's own is where the first operand has it."""
        if self.__name__ != "vecdot":
            raise TypeError(
                f"{self.__name__} does not support keepdims: its signature {self.signature} requires "
                "operands and results with other numbers of core dimensions"
            )
        if axes is not None and axis is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        axes = _entries(axes or [-1 if axis is None else axis] * 2)
        return [*axes, axes[0]][:3]

    def _arrange(self, a, b, out, axes, axis):
        """Operands with their core axes last, as views; and what puts the result's in place."""
        cores = self._cores(a, b)
        for i, (operand, core) in enumerate(zip((a, b), cores[:2], strict=True)):
            least = max(core, 1) if self.__name__ == "matmul" else core
            if operand.ndim < least:
                raise ValueError(
                    f"{self.__name__}: Input operand {i} does not have enough dimensions (has "
                    f"{operand.ndim}, gufunc core with signature {self.signature} requires {least})"
                )
        if axis is not None:
            if axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if self.__name__ != "vecdot":
                raise TypeError(
                    f"{self.__name__}: axis can only be used with a single shared core dimension, not "
                    f"with the 2 distinct ones implied by signature {self.signature}."
                )
            axes = [(axis,), (axis,), ()]
        if axes is None:
            return a, b, out, lambda result: result
        axes = _entries(axes)
        if len(axes) == 2 and cores[2] == 0:
            axes.append(())
        if len(axes) != 3:
            raise ValueError(
                "axes should be a list with an entry for all 3 inputs and outputs; entries for outputs "
                "can only be omitted if none of them has core axes."
            )
        for entry, core in zip(axes, cores, strict=True):
            if len(entry) != core:
                raise ValueError(
                    f"{self.__name__}: an entry of axes has {len(entry)} axes, its operand has {core} "
                    "core dimensions"
                )
        a, b = (
            numpy.moveaxis(a, axes[0], range(-cores[0], 0)),
            numpy.moveaxis(b, axes[1], range(-cores[1], 0)),
        )
        last = range(-cores[2], 0)
        if out is not None:
            out = numpy.moveaxis(out, axes[2], last)
        return a, b, out, lambda result: numpy.moveaxis(result, last, axes[2])

    def _cores(self, a, b):
        if self.__name__ != "matmul":
            return self.core
        # The signature (n?,k),(k,m?)->(n?,m?): a vector lacks its optional dimension.
        cores = min(a.ndim, 2), min(b.ndim, 2)
        return (*cores, sum(cores) - 2) if min(cores) else (2, 2, 2)

    def _product(self, a, b, out, dtype, order):
        """The product of arrays whose core axes are the last ones."""
        name = self.__name__
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
        batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        shape = (*batch, a.shape[-2], b.shape[-1])
        visible = batch + (() if a_vector else shape[-2:-1]) + (() if b_vector else shape[-1:])
        if out is None:
            result = layout.empty(shape, dtype, "F" if order == "F" else "C", a.device)
            return reshaped(multiply_into(a, b, result), visible)
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
        raise TypeError(f"{self.__name__}: only ufuncs without a core signature have the method at")


def _entries(axes):
    return [(entry,) if layout.is_integer(entry) else tuple(entry) for entry in axes]


def _stretches(shape, wanted, core):
    """Whether a result may be broadcast to ``wanted``: all but its last ``core`` axes."""
    fixed = len(shape) - core
    if shape[fixed:] != wanted[len(wanted) - core :]:
        return False
    try:
        return numpy.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def _module():
    import sys

    return sys.modules[__name__]


def _signature(signature, dtype):
    if dtype is not None:
        if signature is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        return (None, None, as_dtype(dtype))
    if isinstance(signature, str):
        signature = tuple(signature.replace("->", ""))
    return signature


matmul = _Product("matmul", (2, 2, 2), "(n?,k),(k,m?)->(n?,m?)")
vecdot = _Product("vecdot", (1, 1, 0), "(n),(n)->()")
matvec = _Product("matvec", (2, 1, 1), "(m,n),(n)->(m)")
vecmat = _Product("vecmat", (1, 2, 1), "(n),(n,m)->(m)")
# The generalised ufuncs by name: what np.matmul and its like are answered by.
PRODUCTS = {product.__name__: product for product in (matmul, vecdot, matvec, vecmat)}


_OPERANDS = (ndarray, numpy.ndarray, numpy.generic, list, tuple, int, float, complex)


def matmul_operator(left, right):
    """What ``@`` does; NotImplemented for a type that is not ours to convert."""
    found = engine.product(left, right)
    if found is not None:
        return found
    for operand in (left, right):
        if not isinstance(operand, _OPERANDS) and (
            hasattr(type(operand), "__array_ufunc__")
            or hasattr(type(operand), "__array_priority__")
            or not hasattr(operand, "__array__")
        ):
            return NotImplemented
    return matmul(left, right)


@implements(numpy.dot, kernels=_KERNELS)
def dot(a, b, out=None):
    """Sum product over the last axis of ``a`` and the last but one of ``b``; see `numpy.dot`."""
    if out is None:
        found = engine.product(a, b)
        if found is not None:
            return found
    a, b = _operands(a, b)
    dtype = as_dtype(numpy.result_type(a.dtype, b.dtype))
    if a.ndim == 0 or b.ndim == 0:
        shape = a.shape + b.shape
    else:
        axis = max(b.ndim - 2, 0)
        if a.shape[-1] != b.shape[axis]:
            raise ValueError(
                f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
                f"{b.shape[axis]} (dim {axis})"
            )
        shape = a.shape[:-1] + b.shape[:axis] + b.shape[axis + 1 :]
    if out is not None and (
        not isinstance(out, ndarray) or out.dtype != dtype or out.shape != shape or not out.flags.c_contiguous
    ):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be "
            "a C-Array)"
        )
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b, out=out)
    a = layout.converted(a, dtype) if a.dtype != dtype else a
    b = layout.converted(b, dtype) if b.dtype != dtype else b
    k = a.shape[-1]
    rows = 1
    for extent in a.shape[:-1]:
        rows *= extent
    if b.ndim > 2:
        b = reshaped(numpy.moveaxis(b, -2, 0), (k, b.size // k if k else _product(shape[a.ndim - 1 :])))
    elif b.ndim == 1:
        b = b[:, None]
    result = layout.empty(shape, dtype, "C", a.device) if out is None or _overlap(out, a, b) else out
    multiply_into(reshaped(a, (rows, k)), b, reshaped(result, (rows, b.shape[1])))
    if out is not None and result is not out:
        layout.copy_into(out, result)
    return result if out is None else out


def _product(extents):
    count = 1
    for extent in extents:
        count *= extent
    return count


def _overlap(out, *arrays):
    return any(numpy.may_share_memory(out, x) for x in arrays)


@implements(numpy.vdot, kernels=_KERNELS)
def vdot(a, b, /):
    """Dot product of the flattened arrays, the first conjugated; see `numpy.vdot`."""
    a, b = _operands(a, b)
    a, b = reshaped(a, (a.size,)), reshaped(b, (b.size,))
    if a.size != b.size:
        raise ValueError("vectors have different lengths")
    return dot(numpy.conjugate(a) if a.dtype.kind == "c" else a, b)


@implements(numpy.inner, kernels=_KERNELS)
def inner(a, b, /):
    """Sum product over the last axes; see `numpy.inner`."""
    a, b = _operands(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-1]} (dim {b.ndim - 1})"
        )
    k = a.shape[-1]
    flat = reshaped(b, (_product(b.shape[:-1]), k))
    return reshaped(
        dot(reshaped(a, (_product(a.shape[:-1]), k)), transposed(flat)), a.shape[:-1] + b.shape[:-1]
    )


@implements(numpy.outer)
def outer(a, b, out=None):
    """Products of all pairs of elements; see `numpy.outer`."""
    a, b = _operands(a, b)
    return numpy.multiply(reshaped(a, (a.size, 1)), reshaped(b, (1, b.size)), out=out)


@implements(numpy.tensordot, kernels=_KERNELS)
def tensordot(a, b, axes=2):
    """Sum product over chosen axes; see `numpy.tensordot`."""
    a, b = _operands(a, b)
    if numpy.iterable(axes):
        axes_a, axes_b = (list(entry) if numpy.iterable(entry) else [entry] for entry in axes)
    else:
        axes_a, axes_b = list(range(-axes, 0)), list(range(axes))
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        raise ValueError("duplicate axes are not allowed in tensordot")
    axes_a = [axis + a.ndim if axis < 0 else axis for axis in axes_a]
    axes_b = [axis + b.ndim if axis < 0 else axis for axis in axes_b]
    if any(a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)):
        raise ValueError("shape-mismatch for sum")
    free_a = [axis for axis in range(a.ndim) if axis not in axes_a]
    free_b = [axis for axis in range(b.ndim) if axis not in axes_b]
    k = _product(a.shape[axis] for axis in axes_a)
    left = reshaped(transposed(a, free_a + axes_a), (_product(a.shape[axis] for axis in free_a), k))
    right = reshaped(transposed(b, axes_b + free_b), (k, _product(b.shape[axis] for axis in free_b)))
    return reshaped(dot(left, right), [a.shape[axis] for axis in free_a] + [b.shape[axis] for axis in free_b])


@implements(numpy.linalg.matmul, kernels=_KERNELS)
def linalg_matmul(x1, x2, /):
    """Matrix product; see `numpy.linalg.matmul`."""
    return matmul(x1, x2)


@implements(numpy.linalg.vecdot, kernels=_KERNELS)
def linalg_vecdot(x1, x2, /, *, axis=-1):
    """Vector dot product along an axis; see `numpy.linalg.vecdot`."""
    return vecdot(x1, x2, axis=axis)


@implements(numpy.linalg.tensordot, kernels=_KERNELS)
def linalg_tensordot(x1, x2, /, *, axes=2):
    """Sum product over chosen axes; see `numpy.linalg.tensordot`."""
    return tensordot(x1, x2, axes)


@implements(numpy.linalg.outer)
def linalg_outer(x1, x2, /):
    """Products of all pairs of elements of two vectors; see `numpy.linalg.outer`."""
    x1, x2 = _operands(x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return outer(x1, x2)

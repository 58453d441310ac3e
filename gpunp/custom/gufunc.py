"""Generalized ufuncs made of Python functions."""

import numpy

from gpunp.array import layout
from gpunp.array.arguments import order_name, warn_of_imaginary
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.operands import device_of
from gpunp.custom.gufunc_call import Call
from gpunp.custom.loops import choose_loop, parse_loop
from gpunp.dispatch.policy import check_host_operand
from gpunp.ufunc.core_dimensions import parse_signature
from gpunp.ufunc.engine import check_rules, fixed_types

_NoValue = numpy._NoValue


class GeneralizedUFunc:
    """A function of small arrays, applied to stacks of them, with the keywords of NumPy's generalized ufuncs.

    Parameters
    ----------
    func : callable
        Called as ``func(*inputs, **kwargs)`` with device arrays whose core dimensions come last; returns an
        array, or a tuple of arrays. It may consist of plain NumPy calls.
    signature : str
        The core dimensions of inputs and outputs in NumPy's notation, such as ``"(m,n),(n)->(m)"``. A name
        may be a fixed size, such as ``(3)``, or end in ``?`` if operands may lack that dimension.
    name : str, optional
        The name in messages; by default that of the function.
    doc : str, optional
        The docstring; by default that of the function.
    supports_batched : bool, optional
        The function takes whole stacks: it is called once, with arrays that have their loop dimensions
        before the core dimensions and are not yet broadcast together. By default it is called once for
        each position of the loop dimensions, with core dimensions only.
    supports_out : bool, optional
        The function is called with ``out=`` as well: an array to fill (a tuple of them for several outputs),
        or None if it shall create its result.
    signatures : tuple of str, optional
        The dtypes that the function takes and returns, such as ``("ff->f", "dd->d")``. Inputs are converted
        to the first of these loops to which they can be cast safely. By default the function gets its inputs
        as they are.
    try_fastcall_func : callable, optional
        Called first, with the same arguments as the object. What it returns is the result, unless it is
        ``NotImplemented``.

    Attributes
    ----------
    nin, nout, nargs : int
        The numbers of inputs, of outputs, and of both.
    signature : str
        The core dimensions.
    types : list of str
        The loops that ``signatures`` gave.

    Raises
    ------
    ValueError
        If a signature is not valid.

    Notes
    -----
    A call takes the keywords ``out``, ``axes``, ``axis``, ``keepdims``, ``casting``, ``order``, ``dtype`` and
    ``signature`` of `numpy.ufunc`; others are passed to the function. Host arrays are uploaded. Without
    ``signatures``, ``dtype`` converts inputs and outputs, and ``signature`` may name any dtypes. Where the
    loop dimensions are empty and the function runs by positions, the function is not called: the dtypes of
    the results come from ``signatures``, ``dtype`` or ``out``.

    Examples
    --------
    >>> import gpunp
    >>> import numpy as np
    >>> def moments(x):
    ...     return np.mean(x), np.std(x)
    >>> moments = gpunp.GeneralizedUFunc(moments, "(n)->(),()")
    >>> mean, deviation = moments(gpunp.arange(6.0).reshape(3, 2), axis=0)
    >>> mean, np.round(deviation, 3)
    (array([2., 3.]), array([1.633, 1.633]))
    """

    def __init__(
        self,
        func,
        signature,
        *,
        name=None,
        doc=None,
        supports_batched=False,
        supports_out=False,
        signatures=None,
        try_fastcall_func=None,
    ):
        if not callable(func):
            raise TypeError(f"GeneralizedUFunc: func must be callable, not {type(func).__name__}")
        if not isinstance(signature, str):
            raise TypeError(f"GeneralizedUFunc: signature must be a str, not {type(signature).__name__}")
        self._func, self._fast = func, try_fastcall_func
        self._batched, self._takes_out = bool(supports_batched), bool(supports_out)
        self._inputs, self._outputs = parse_signature(signature, optional=True)
        self.signature = "".join(signature.split())
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs = self.nin + self.nout
        self.name = self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = getattr(func, "__doc__", None) if doc is None else doc
        self.types = list(signatures or ())
        self._loops = [parse_loop(self, text) for text in self.types]

    def __repr__(self):
        return f"<gufunc {self.name!r}>"

    def __call__(self, *args, **kwargs):
        """Apply the function to the inputs; see the notes of the class for the keywords."""
        if self._fast is not None:
            found = self._fast(*args, **kwargs)
            if found is not NotImplemented:
                return found
        return self._call(args, **kwargs)

    def _call(
        self,
        args,
        *,
        out=None,
        axes=_NoValue,
        axis=_NoValue,
        keepdims=False,
        casting="same_kind",
        order="K",
        dtype=None,
        signature=_NoValue,
        **kwargs,
    ):
        outs = self._given_outputs(args, out)
        order = order_name(order, "K")
        check_rules(casting, subok=True)
        fixed = fixed_types(self, signature, _NoValue, dtype)
        if axes is not _NoValue and axis is not _NoValue:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if not isinstance(keepdims, bool):
            raise TypeError("'keepdims' must be a boolean")
        args = args[: self.nin]
        inputs = self._arrays(args, outs)
        loop = choose_loop(self, self._loops, args, inputs, casting, fixed, dtype)
        for x, wanted in zip(inputs, loop, strict=False):
            if wanted is not None and wanted.kind != "c":
                warn_of_imaginary(x.dtype, wanted)
        inputs = [
            x if wanted in (None, x.dtype) else layout.converted(x, wanted)
            for x, wanted in zip(inputs, loop, strict=False)
        ]
        call = Call(self, inputs, outs, loop[self.nin :], casting)
        call.place(axes, axis, keepdims)
        results = [call.deliver(k, result, order) for k, result in enumerate(call.run(kwargs))]
        return results[0] if self.nout == 1 else tuple(results)

    def _given_outputs(self, args, out):
        """The arrays to write to, None for those that are not given."""
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{self.name}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} "
                f"{'was' if len(args) == 1 else 'were'} given"
            )
        given = args[self.nin :]
        if given and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        if out is None:
            outs = given + (None,) * (self.nargs - len(args))
        elif isinstance(out, tuple):
            outs = out
            if len(outs) != self.nout:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        elif self.nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        else:
            outs = (out,)
        for each in outs:
            if each is not None and not isinstance(each, ndarray):
                raise TypeError(
                    f"{self.name}: out is a host {type(each).__name__}; give a gpunp array, or copy the "
                    "result with gpunp.asnumpy(result, out=...)"
                )
            if each is not None and not each.flags.writeable:
                raise ValueError("output array is read-only")
        return outs

    def _arrays(self, args, outs):
        """The inputs as arrays on the device of the call."""
        device = device_of(*args, *outs)
        if device is not None:
            for x in args:
                if not isinstance(x, ndarray):
                    check_host_operand(x, self.name)
        inputs = [asarray(x, device=device) for x in args]
        for each in outs:
            if each is not None and each.device is not inputs[0].device:
                raise ValueError(
                    f"{self.name}: the operands are on {inputs[0].device} and out is on {each.device}; move "
                    "one with to_device"
                )
        return inputs

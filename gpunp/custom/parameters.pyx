"""The arguments of elementwise and reduction kernels: arrays, numbers and host arrays for each parameter."""
from cpython.object cimport PyObject

from gpunp.array.ndarray cimport dtype_of, ndarray
from gpunp.device cimport Device, current_device
from gpunp.ufunc.operands cimport FOREIGN, HOST_ARRAY, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, classify, upload

from gpunp.custom.signature import Signature


cdef class Parameters:
    @property
    def __name__(self):
        return self.name

    @property
    def in_params(self):
        """The input parameters."""
        return self.signature.inputs

    @property
    def out_params(self):
        """The output parameters."""
        return self.signature.outputs

    @property
    def params(self):
        """All parameters: inputs, then outputs."""
        return self.signature.params

    def __repr__(self):
        inputs = ", ".join(map(str, self.in_params))
        return f"<{type(self).__name__} {self.name}: {inputs} -> {', '.join(map(str, self.out_params))}>"

    @property
    def cached_code(self):
        """One of the sources that were generated so far."""
        if not self.cached_codes:
            raise ValueError(f"{self.name} has not been compiled yet: call it first")
        return next(iter(self.cached_codes.values()))


cdef int set_parameters(Parameters self, str kind, object name, object in_params, object out_params) except -1:
    cdef int k
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ValueError(f"{kind}: the name {name!r} is not an identifier of C++")
    self.name = name
    self.signature = Signature(in_params, out_params, name)
    self.nin, self.nout, self.nargs = self.signature.nin, self.signature.nout, self.signature.nargs
    if self.nargs > MAX_PARAMS:
        raise ValueError(f"{name}: a kernel has at most {MAX_PARAMS} parameters, not {self.nargs}")
    for k in range(self.nargs):
        self.raw[k] = self.signature.params[k].raw
    return 0


cdef Device read_arguments(Parameters self, tuple args, PyObject** arrays, unsigned char* kinds, list kept):
    cdef Device device = None
    cdef ndarray array
    cdef int k, kind, given = len(args)
    cdef bint hosts = False
    if given != self.nin and given != self.nargs:
        self.signature.check_count(given)
    for k in range(given):
        x = args[k]
        arrays[k] = NULL
        if isinstance(x, ndarray):
            array = <ndarray>x
            if device is None:
                device = array.device_
            elif array.device_ is not device:
                raise ValueError(f"{self.name}: the arguments are on {device} and {array.device_}; "
                                 "move one with to_device")
            arrays[k] = <PyObject*>array
            kinds[k] = array.code
            continue
        param = self.signature.params[k]
        if k >= self.nin:
            raise TypeError(f"{self.name}: the output {param.name} is {type(x).__name__}; give a gpunp array")
        kind = classify(x)
        if kind == FOREIGN:
            raise TypeError(f"{self.name}: the argument {param.name} is {type(x).__name__}, which gpunp cannot convert")
        if self.raw[k] and kind != HOST_ARRAY:
            raise TypeError(f"{self.name}: {param.name} is raw, so its argument must be an array, not {x!r}")
        hosts = hosts or kind == HOST_ARRAY
        kinds[k] = ABSENT if kind == HOST_ARRAY else SINGLE + kind
    for k in range(given, self.nargs):
        arrays[k] = NULL
        kinds[k] = ABSENT
    if device is None:
        device = current_device()
    if hosts:
        for k in range(self.nin):
            if kinds[k] == ABSENT:
                array = upload(args[k], device, self.name)
                kept.append(array)
                arrays[k] = <PyObject*>array
                kinds[k] = array.code
    return device


cdef object _dtype_of_kind(unsigned char kind):
    """The argument of `Signature.resolve` for a kind."""
    if kind == ABSENT:
        return None
    kind &= SINGLE - 1
    if kind == WEAK_INT:
        return int
    if kind == WEAK_FLOAT:
        return float
    if kind == WEAK_COMPLEX:
        return complex
    return dtype_of(kind)


cdef tuple resolve_kinds(Parameters self, const unsigned char* kinds):
    cdef int k
    return self.signature.resolve([_dtype_of_kind(kinds[k]) for k in range(self.nargs)],
                                  [kinds[k] != ABSENT and kinds[k] >= SINGLE for k in range(self.nargs)])


cdef object stream_of(object stream):
    """The stream that a call names; builds without CUDA have none."""
    try:
        from gpunp.cuda.stream import as_stream
    except ImportError as error:
        raise RuntimeError(f"stream= needs gpunp built with CUDA and the cuda-bindings package ({error})") from error
    return as_stream(stream)

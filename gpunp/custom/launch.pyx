"""Launches of elementwise kernels that are compiled at run time.

A call with the dtypes and the layout of the call before packs its parameters and launches; everything else is
decided once for each combination.
"""
import operator

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from gpunp.array.ndarray cimport ndarray, new_array, require_writeable, shape_tuple
from gpunp.array.strides cimport product
from gpunp.compiler.module cimport Module
from gpunp.custom.plan cimport (
    COPY_WORTHWHILE, ELEMENTWISE_SHAPE, Plan, is_transposed, make_plan, pack_plan,
)
from gpunp.custom.words cimport WIDE_SIZE, pack_raw, pack_space
from gpunp.device cimport Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.ufunc.broadcasting cimport broadcast, broadcast_to_output, shapes_text
from gpunp.ufunc.copying cimport copy_into, overlaps
from gpunp.ufunc.operands cimport store_scalar
from gpunp.ufunc.plan cimport describe_now

from gpunp.custom.source import elementwise_source, raw_words, scalar_words, space_words, symbol_of

cdef enum:
    # Forms of parameters in a launch: a role of the plan, a scalar, or a raw array with these bits.
    FORM_SCALAR = 64
    FORM_RAW = 128
    RAW_CONTIGUOUS = 1
    RAW_WIDE = 2
    # Threads of a block up to which a kernel may use all registers; most threads of a block.
    FEW_THREADS = 256
    MOST_THREADS = 1024
    # Bytes of parameters that a launch can have, and words that are packed without an allocation.
    MOST_PARAMETER_BYTES = 32764
    FEW_WORDS = 256


cdef class Variant:
    """A compiled kernel."""


cdef class Typing:
    """The dtypes of all parameters in a call, and the kernels compiled for them."""


cdef class Elementwise:
    """The parts of an elementwise kernel, and its compiled variants."""


cdef int _set_shape(Elementwise self, Call* call, object size) except -1:
    """Set the shape of the loop: that of the arrays that are not raw, or ``size``."""
    cdef int k, ndim, inputs = 0
    cdef bint raw = False
    call.count = 0
    for k in range(self.nargs):
        if self.raw[k]:
            raw = True
        elif call.arrays[k] != NULL:
            describe_now(&call.operands[call.count], <ndarray>call.arrays[k])
            call.param[call.count] = k
            call.count += 1
            inputs += k < self.nin
    if call.count == 0:
        if size is None:
            if raw or self.nin == 0:
                raise ValueError(f"{self.name}: no argument determines the number of elements; give size=")
            call.ndim = 0
            return 0
        call.ndim = 1
        call.shape[0] = operator.index(size)
        if call.shape[0] < 0:
            raise ValueError(f"{self.name}: size is {size}; it must not be negative")
        return 0
    if size is not None:
        raise ValueError(f"{self.name}: size= is allowed only if all arrays are raw; here the arrays determine it")
    ndim = broadcast(call.operands, inputs, call.shape)
    if ndim < 0:
        raise ValueError(f"{self.name}: operands could not be broadcast together with shapes "
                         + shapes_text(call.operands, inputs))
    for k in range(inputs, call.count):
        ndim = broadcast_to_output(call.shape, ndim, &call.operands[k])
    call.ndim = ndim
    return 0


cdef list _outputs(Elementwise self, Typing typing, Call* call, Device device):
    """The outputs: those given, checked, or new ones."""
    cdef list results = []
    cdef ndarray out
    cdef int d, k
    cdef bint same
    for k in range(self.nin, self.nargs):
        if call.arrays[k] == NULL:
            if self.raw[k]:
                raise ValueError(f"{self.name}: the output {self.signature.params[k].name} is raw, so its shape is "
                                 "unknown; give it as an argument")
            out = new_array(typing.codes[k], call.ndim, call.shape, device)
            call.arrays[k] = <PyObject*>out
            describe_now(&call.operands[call.count], out)
            call.param[call.count] = k
            call.count += 1
        else:
            out = <ndarray>call.arrays[k]
            require_writeable(out)
            same = self.raw[k] or out.ndim_ == call.ndim
            if same and not self.raw[k]:
                for d in range(call.ndim):
                    same = same and out.shape_[d] == call.shape[d]
            if not same:
                wanted = tuple([call.shape[d] for d in range(call.ndim)])
                raise ValueError(f"{self.name}: non-broadcastable output operand with shape {shape_tuple(out)} "
                                 f"doesn't match the broadcast shape {wanted}")
        results.append(out)
    return results


cdef int _copy_input(Call* call, int operand, list kept) except -1:
    """Replace an input by a copy in C order; ``kept`` keeps it alive."""
    cdef ndarray source = <ndarray>call.arrays[call.param[operand]]
    cdef ndarray copy = new_array(source.code, source.ndim_, source.shape_, source.device_)
    copy_into(copy, source)
    kept.append(copy)
    describe_now(&call.operands[operand], copy)
    return 0


cdef int _separate(Elementwise self, Call* call, list kept) except -1:
    """Copy inputs that a given output would overwrite before they are read."""
    cdef int i, k
    for i in range(call.count):
        if call.param[i] >= self.nin:
            break
        for k in range(self.nin, self.nargs):
            if not self.raw[k] and overlaps(<ndarray>call.arrays[call.param[i]], <ndarray>call.arrays[k]):
                _copy_input(call, i, kept)
                break
    return 0


cdef int _make_plan(Elementwise self, Typing typing, Call* call, Device device, Plan* plan, list kept) except -1:
    """Plan the loop; large transposed inputs are copied first, since their accesses would be scattered."""
    cdef unsigned long long in_memory = 0
    cdef int i, leader = 0, width = 1 if device.is_cpu else typing.width
    cdef bint copied = False
    for i in range(call.count):
        if self.in_memory[call.param[i]]:
            in_memory |= <unsigned long long>1 << i
        if call.param[i] >= self.nin and call.param[leader] < self.nin:
            leader = i
    make_plan(plan, call.operands, call.count, call.ndim, call.shape, self.ordered, leader, in_memory, width)
    if device.is_cpu or plan.ndim < 2 or plan.size < COPY_WORTHWHILE or not call.operands[leader].c_contiguous:
        return 0
    for i in range(call.count):
        if call.param[i] < self.nin and call.operands[i].size == plan.size and is_transposed(plan, i):
            _copy_input(call, i, kept)
            copied = True
    if copied:
        make_plan(plan, call.operands, call.count, call.ndim, call.shape, self.ordered, leader, in_memory, width)
    return 0


cdef void _set_key(Elementwise self, const Call* call, const Plan* plan, Device device, Key* key) noexcept:
    cdef ndarray array
    cdef int k
    memset(key, 0, sizeof(Key))
    key.device = <void*>device
    key.rank = plan.ndim
    key.width = plan.width
    key.wide = plan.wide
    key.space = call.ndim if self.axes else -1
    key.wide_space = self.axes and plan.size >= WIDE_SIZE
    key.many_threads = call.block > FEW_THREADS
    for k in range(self.nargs):
        key.forms[k] = FORM_SCALAR
        if self.raw[k]:
            array = <ndarray>call.arrays[k]
            key.forms[k] = FORM_RAW
            key.forms[self.nargs + k] = array.ndim_
            if array.c_contiguous:
                key.forms[k] |= RAW_CONTIGUOUS
            if array.size_ >= WIDE_SIZE:
                key.forms[k] |= RAW_WIDE
    for k in range(call.count):
        key.forms[call.param[k]] = plan.roles[k]


cdef Variant _compile(Elementwise self, Typing typing, const Key* key, int count, Device device):
    """Compile a kernel; other threads may run or compile meanwhile."""
    cdef Variant variant = Variant()
    cdef int k
    cdef Module module
    codes = tuple([typing.codes[k] for k in range(self.nargs)])
    space = None if key.space < 0 else (key.space, bool(key.wide_space))
    words = ELEMENTWISE_SHAPE + key.rank + count * (1 + key.rank) + (space_words(*space) if space else 0)
    forms = []
    for k in range(self.nargs):
        if key.forms[k] & FORM_RAW:
            raw = key.forms[self.nargs + k], bool(key.forms[k] & RAW_CONTIGUOUS), bool(key.forms[k] & RAW_WIDE)
            forms.append(("raw", *raw))
            words += raw_words(*raw)
        elif key.forms[k] == FORM_SCALAR:
            forms.append(("scalar",))
            words += scalar_words(codes[k])
        else:
            forms.append(("array", key.forms[k]))
    if words * 8 > MOST_PARAMETER_BYTES:
        raise ValueError(f"{self.name}: the arguments have too many axes for one launch: their shapes and strides "
                         f"take {words * 8} bytes, the limit is {MOST_PARAMETER_BYTES}")
    loop = key.rank, key.width, typing.vectors, bool(key.wide)
    threads = MOST_THREADS if key.many_threads else FEW_THREADS
    source = elementwise_source(self, codes, forms, loop, threads, space)
    module = source.load(device, self.link)
    variant.key = key[0]
    variant.module = module
    variant.kernel = module.kernel(symbol_of(self.name))
    variant.words = words
    self.cached_codes[str(device), codes, tuple(forms), loop, threads, space] = str(source)
    return variant


cdef Variant _variant(Elementwise self, Typing typing, const Call* call, const Plan* plan, Device device):
    """The compiled kernel of a call."""
    cdef Variant variant = typing.last
    cdef Key key
    _set_key(self, call, plan, device, &key)
    if variant is not None and memcmp(&variant.key, &key, sizeof(Key)) == 0:
        return variant
    name = PyBytes_FromStringAndSize(<const char*>&key, sizeof(Key))
    variant = <Variant>typing.variants.get(name)
    if variant is None:
        # Threads that need the same kernel at the same time may all compile it; the first one is kept.
        variant = <Variant>typing.variants.setdefault(name, _compile(self, typing, &key, call.count, device))
    typing.last = variant
    return variant


cdef int _pack(Elementwise self, Typing typing, const Call* call, const Plan* plan, tuple args,
               long long* words) except -1:
    """Write the parameters of a launch; return the number of words."""
    cdef int k, w = pack_plan(words, plan)
    if self.axes:
        w += pack_space(words + w, call.ndim, call.shape, plan.size)
    for k in range(self.nargs):
        if self.raw[k]:
            w += pack_raw(words + w, <ndarray>call.arrays[k])
        elif call.arrays[k] == NULL:
            store_scalar(<unsigned char*>(words + w), typing.codes[k], args[k])
            w += 2 if itemsize_of(typing.codes[k]) == 16 else 1
    return w


cdef int _launch(Elementwise self, Typing typing, Call* call, const Plan* plan, tuple args, Device device) except -1:
    cdef Variant variant = _variant(self, typing, call, plan, device)
    cdef long long[FEW_WORDS] few
    cdef long long* words = few
    cdef long long each = <long long>call.block * typing.vectors
    cdef long long blocks = (plan.chunks + each - 1) // each
    if blocks > 0x7fffffff and not device.is_cpu:
        raise ValueError(f"{self.name}: {plan.size} elements are too many for one launch")
    if variant.words > FEW_WORDS:
        words = <long long*>malloc(variant.words * sizeof(long long))
        if words == NULL:
            raise MemoryError()
    try:
        _pack(self, typing, call, plan, args, words)
        device.launch(variant.kernel, blocks, 1, 1, call.block, 0, words, variant.words * sizeof(long long))
    finally:
        if words != few:
            free(words)
    return 0


cdef list execute(Elementwise self, Typing typing, Call* call, tuple args, Device device, object size):
    cdef Plan plan
    cdef list results, kept
    _set_shape(self, call, size)
    results = _outputs(self, typing, call, device)
    if product(call.ndim, call.shape) == 0:
        return results
    kept = []
    if call.given > self.nin:
        _separate(self, call, kept)
    _make_plan(self, typing, call, device, &plan, kept)
    _launch(self, typing, call, &plan, args, device)
    return results

"""Launches of users' reduction kernels.

A call with the dtypes and the layout of the call before plans, packs its parameters and launches; kernels are compiled
once for each combination.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from gpunp.array.ndarray cimport MAX_NDIM, ndarray, new_array
from gpunp.array.operators cimport hooks
from gpunp.compiler.module cimport Module
from gpunp.custom.reduction_plan cimport (
    ROWS_OF_STRIDES, ReductionPlan, add_axis, make_reduction_plan, pack_plan, planned_words,
)
from gpunp.custom.words cimport WIDE_SIZE, pack_raw
from gpunp.device cimport Buffer, Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.reduction.arguments cimport checked_out, mark_axes
from gpunp.reduction.counters cimport take_counters
from gpunp.ufunc.broadcasting cimport broadcast, shapes_text
from gpunp.ufunc.copying cimport overlaps
from gpunp.ufunc.operands cimport store_scalar
from gpunp.ufunc.plan cimport Operand, describe_now

from gpunp.custom.reduction_source import given_words, reduction_source
from gpunp.custom.source import symbol_of

cdef enum:
    # Layouts of raw arrays.
    RAW_CONTIGUOUS = 1
    RAW_WIDE = 2
    # Bytes of parameters that a launch can have, and words that are packed without an allocation.
    MOST_PARAMETER_BYTES = 32764
    FEW_WORDS = 256


cdef class Compilation:
    pass


cdef class Typing:
    pass


cdef class Reduction:
    pass


cdef int _set_shapes(Reduction self, Call* call, object axis, bint keepdims) except -1:
    """Set the shapes of the broadcast inputs and of the results."""
    cdef int k, d
    call.count = 0
    for k in range(self.nin):
        if not self.raw[k] and call.arrays[k] != NULL:
            describe_now(&call.operands[call.count], <ndarray>call.arrays[k])
            call.count += 1
    call.ndim = broadcast(call.operands, call.count, call.shape)
    if call.ndim < 0:
        raise ValueError(f"{self.name}: operands could not be broadcast together with shapes "
                         + shapes_text(call.operands, call.count))
    mark_axes(axis, call.ndim, call.reduced)
    call.out_ndim = 0
    call.folded = call.size = 1
    for d in range(call.ndim):
        if call.reduced[d]:
            call.folded *= call.shape[d]
        else:
            call.size *= call.shape[d]
        if keepdims or not call.reduced[d]:
            call.out_shape[call.out_ndim] = 1 if call.reduced[d] else call.shape[d]
            call.out_ndim += 1
    if call.folded == 0 and call.size and self.identity is None:
        raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
    return 0


cdef list _results(Reduction self, Typing typing, Call* call, Device device):
    """The outputs: those given, checked, or new ones."""
    cdef list results = []
    cdef ndarray array
    cdef int k
    for k in range(self.nin, self.nargs):
        if call.arrays[k] == NULL:
            array = new_array(typing.codes[k], call.out_ndim, call.out_shape, device)
            call.arrays[k] = <PyObject*>array
        else:
            array = <ndarray>call.arrays[k]
            if self.raw[k]:
                checked_out(self.name, array, array, array.ndim_, array.shape_)
            else:
                checked_out(self.name, array, array, call.out_ndim, call.out_shape)
        results.append(array)
    return results


cdef bint _overlaps_input(Reduction self, const Call* call, ndarray array) noexcept:
    cdef int k
    for k in range(self.nin):
        if call.arrays[k] != NULL and overlaps(array, <ndarray>call.arrays[k]):
            return True
    return False


cdef list _separate(Reduction self, Call* call, list kept):
    """Replace outputs that overlap inputs by copies; returns pairs of output and copy."""
    cdef ndarray array, copy
    cdef list pairs = []
    cdef int k
    for k in range(self.nin, self.nargs):
        array = <ndarray>call.arrays[k]
        if not self.raw[k] and _overlaps_input(self, call, array):
            copy = new_array(array.code, array.ndim_, array.shape_, array.device_)
            # Expressions may read outputs.
            hooks.copy(copy, array)
            kept.append(copy)
            call.arrays[k] = <PyObject*>copy
            pairs.append((array, copy))
    return pairs


cdef int _check_alignment(Reduction self, ndarray array) except -1:
    cdef size_t bits = <size_t>array.data_ptr()
    cdef int d
    for d in range(array.ndim_):
        bits |= <size_t>array.strides_[d]
    if array.size_ and bits % <size_t>array.itemsize_:
        raise ValueError(f"{self.name}: the array's elements are not aligned to their size; copy it first")
    return 0


cdef int _make_plan(Reduction self, Call* call, Device device, ReductionPlan* plan) except -1:
    cdef Py_ssize_t[ROWS_OF_STRIDES][MAX_NDIM] strides
    cdef Py_ssize_t index = 1, index_out = 1, most = -1
    cdef Operand operand
    cdef ndarray array
    cdef int d, k, lead, place, arrays
    plan.inputs = call.count
    plan.outputs = 0
    plan.leader = 0
    plan.indexed = self.indexed
    plan.kept.ndim = plan.reduced.ndim = 0
    plan.work.first = plan.work.first_out = 0
    plan.work.outputs = call.size
    plan.work.reduced = call.folded
    for k in range(call.count):
        operand = call.operands[k]
        plan.data[k] = operand.data
        plan.itemsize[k] = itemsize_of(operand.code)
        if operand.size * plan.itemsize[k] > most:
            most = operand.size * plan.itemsize[k]
            plan.leader = k
        lead = call.ndim - operand.ndim
        for d in range(call.ndim):
            strides[k][d] = 0 if d < lead or operand.shape[d - lead] == 1 else operand.strides[d - lead]
    for k in range(self.nargs):
        if call.arrays[k] == NULL:
            continue
        array = <ndarray>call.arrays[k]
        _check_alignment(self, array)
        if k < self.nin or self.raw[k]:
            continue
        arrays = call.count + plan.outputs
        plan.data[arrays] = array.data_ptr()
        plan.itemsize[arrays] = array.itemsize_
        place = 0
        for d in range(call.ndim):
            strides[arrays][d] = 0 if call.reduced[d] else array.strides_[place]
            place += not call.reduced[d] or call.out_ndim == call.ndim
        plan.outputs += 1
    arrays = plan.inputs + plan.outputs
    for d in range(call.ndim - 1, -1, -1):
        strides[arrays][d] = index
        strides[arrays + 1][d] = 0 if call.reduced[d] else index_out
        index *= call.shape[d]
        if not call.reduced[d]:
            index_out *= call.shape[d]
    for d in range(call.ndim):
        if call.shape[d] != 1:
            add_axis(plan, call.reduced[d], call.shape[d], strides, d)
    make_reduction_plan(plan, device.is_cpu, &device.tuning, device.multiprocessors)
    return 0


cdef void _set_key(Reduction self, const Call* call, const ReductionPlan* plan, Device device,
                   Key* key) noexcept:
    cdef ndarray array
    cdef int k
    memset(key, 0, sizeof(Key))
    key.device = <void*>device
    key.variant = plan.variant
    key.capacity = plan.capacity
    key.repeated = plan.repeated
    for k in range(self.nargs):
        if self.raw[k]:
            array = <ndarray>call.arrays[k]
            key.raw[2 * k] = array.ndim_
            key.raw[2 * k + 1] = ((RAW_CONTIGUOUS if array.c_contiguous else 0)
                                  | (RAW_WIDE if array.size_ >= WIDE_SIZE else 0))


cdef Compilation _compile(Reduction self, Typing typing, const Call* call, const Key* key, Device device):
    """Compile a kernel; other threads may run or compile meanwhile."""
    cdef Compilation made = Compilation()
    cdef Module module
    cdef int k
    codes = tuple([typing.codes[k] for k in range(self.nargs)])
    forms = []
    for k in range(self.nargs):
        if self.raw[k]:
            forms.append(("raw", key.raw[2 * k], bool(key.raw[2 * k + 1] & RAW_CONTIGUOUS),
                          bool(key.raw[2 * k + 1] & RAW_WIDE)))
        else:
            forms.append(("number",) if call.arrays[k] == NULL else ("array",))
    plan = key.variant, key.repeated, key.capacity
    source = reduction_source(self, codes, forms, plan)
    module = source.load(device)
    made.key = key[0]
    made.module = module
    made.kernel = module.kernel(symbol_of(self.name))
    made.given = given_words(codes, forms)
    self.cached_codes[str(device), codes, tuple(forms), plan] = str(source)
    return made


cdef Compilation _compiled(Reduction self, Typing typing, const Call* call, const ReductionPlan* plan,
                           Device device):
    """The compiled kernel of a call."""
    cdef Compilation found = typing.last
    cdef Key key
    _set_key(self, call, plan, device, &key)
    if found is not None and memcmp(&found.key, &key, sizeof(Key)) == 0:
        return found
    name = PyBytes_FromStringAndSize(<const char*>&key, sizeof(Key))
    found = <Compilation>typing.compiled.get(name)
    if found is None:
        # Threads that need the same kernel at the same time may all compile it; the first one is kept.
        found = <Compilation>typing.compiled.setdefault(name, _compile(self, typing, call, &key, device))
    typing.last = found
    return found


cdef int _pack_given(Reduction self, Typing typing, const Call* call, tuple args, long long* words) except -1:
    """Write the numbers and raw arrays."""
    cdef int k
    for k in range(self.nargs):
        if self.raw[k]:
            words += pack_raw(words, <ndarray>call.arrays[k])
        elif call.arrays[k] == NULL:
            store_scalar(<unsigned char*>words, typing.codes[k], args[k])
            words += 2 if itemsize_of(typing.codes[k]) == 16 else 1
    return 0


cdef int _launch(Reduction self, Typing typing, Call* call, ReductionPlan* plan, tuple args,
                 Device device) except -1:
    cdef Compilation compiled = _compiled(self, typing, call, plan, device)
    cdef Buffer partials
    cdef long long[FEW_WORDS] few
    cdef long long* words = few
    cdef int planned = planned_words(plan), count = planned + max(compiled.given, 1)
    if count * 8 > MOST_PARAMETER_BYTES:
        raise ValueError(f"{self.name}: the arguments have too many axes for one launch: their shapes and strides take "
                         f"{count * 8} bytes, the limit is {MOST_PARAMETER_BYTES}")
    if plan.work.splits > 1:
        if compiled.partial == 0:
            compiled.partial = compiled.module.global_address(f"{symbol_of(self.name)}_partial")[1]
        partials = device.allocate(compiled.partial * plan.work.outputs * plan.work.splits)
        plan.work.partials = partials.ptr
        plan.work.counters = take_counters(device, plan.work.tiles)
    if count > FEW_WORDS:
        words = <long long*>malloc(count * sizeof(long long))
        if words == NULL:
            raise MemoryError()
    try:
        pack_plan(plan, words)
        _pack_given(self, typing, call, args, words + planned)
        device.launch(compiled.kernel, plan.blocks, 1, 1, plan.threads, 0, words, count * sizeof(long long))
    finally:
        if words != few:
            free(words)
    return 0


cdef list execute(Reduction self, Typing typing, Call* call, tuple args, Device device, object axis, bint keepdims,
                  list kept):
    cdef ReductionPlan plan
    cdef list results, pairs = None
    _set_shapes(self, call, axis, keepdims)
    results = _results(self, typing, call, device)
    if call.size == 0:
        return results
    if len(args) > self.nin:
        pairs = _separate(self, call, kept)
    _make_plan(self, call, device, &plan)
    _launch(self, typing, call, &plan, args, device)
    if pairs:
        for target, copy in pairs:
            hooks.copy(target, copy)
    return results

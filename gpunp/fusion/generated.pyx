"""Kernels of groups that are compiled at run time: found by what the group looks like, and launched.

The first time that a group is seen, its code is looked for on disk, where other processes may have left it, unless
this was in vain for several groups. The second time, it is looked for and compiled in the background.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy

from gpunp.custom.plan cimport (
    COPY_WORTHWHILE, ELEMENTWISE_SHAPE, ELEMENTWISE_STRIDED, Plan, is_transposed, make_plan, pack_plan,
)
from gpunp.device cimport Device
from gpunp.dtype_codes cimport itemsize_of
from gpunp.fusion.group cimport MAX_CONSTANTS, MAX_MEMORY, MAX_STEPS, Group, Step
from gpunp.ufunc.plan cimport ELEMENTWISE_BLOCK, Loop, elementwise_vectors, elementwise_width

from gpunp import compiler
from gpunp.compiler.cache_folder import has_files
from gpunp.fusion.description import NAME, Description, StepText

cdef enum:
    # Seen this often, a group is compiled.
    ENOUGH_SIGHTINGS = 2
    # After this many new groups in a row that are not on disk, only the background thread looks there, and new groups
    # are described when they come again: a look takes 0.2 ms, a description 0.05, and a program that keeps making new
    # groups hardly ever finds one.
    ENOUGH_MISSES = 8
    # Keys of groups without a description that are kept at most.
    MOST_SEEN = 4096
    # Most axes after merging; groups with more run step by step.
    MOST_AXES = 8
    # Most bytes of its operands that a thread has in registers, and up to which it takes two vectors.
    MOST_BYTES = 256
    FEW_BYTES = 128
    # Most operations of a thread: more take longer to compile, and gain nothing.
    MOST_OPERATIONS = 256
    MOST_BLOCKS = 0x7fffffff
    # Vectors for each multiprocessor below which a thread takes one: more threads hide more latency.
    FEW_CHUNKS = 8192
    # Parts of arrays among the operands from which vectors are short and blocks compute tiles.
    MANY_PARTS = 4
    # The fewest rows and the shortest rows for tiles, and the vectors for each multiprocessor of arrays that the L2
    # cache holds.
    LEAST_ROWS = 64
    LEAST_TILED = 512
    CACHED_CHUNKS = 1 << 16
    # Bytes of a key, and words of a launch's parameters.
    KEY_BYTES = 16 + 19 * MAX_STEPS + 3 * MAX_MEMORY + MAX_CONSTANTS
    MOST_WORDS = ELEMENTWISE_SHAPE + MOST_AXES + MAX_MEMORY * (1 + MOST_AXES) + 2 + 2 * MAX_CONSTANTS

# Kernels by key, and by device and description: loops of one symbol may be different objects.
cdef dict _entries = {}
cdef dict _described = {}


# How often a name was given to a kernel.
cdef dict _names = {}
cdef Py_ssize_t _loaded = 0
cdef int _misses = 0
# Keys of groups that came once and are not described.
cdef set _seen = set()
cdef Entry _launched = None


cdef object launched_name():
    return None if _launched is None else _launched.name


cdef class Entry:
    """A kernel, or what will become one.

    Attributes
    ----------
    name : str
        For reports.
    device : Device
    description : Description or Reduced
    ready : bool
        Whether the kernel is loaded.
    requested : bool
        Whether it was requested from the background thread.
    failed : bool
        Whether there will be none.
    """

    @property
    def ready(self):
        return self.kernel is not None

    def make(self):
        """Find or compile the code, load the kernel, and keep the code on disk; return whether it was compiled."""
        from gpunp.fusion import worker
        worker.bring(for_cuda=self.architecture != 0, reduces=self.description.name != NAME)
        from gpunp.fusion import compiled
        if self.find():
            return False
        worker.pause()
        built = compiled.build(self.description, self.architecture)
        worker.pause()
        self.load(built)
        worker.pause()
        try:
            compiled.keep(self.key, built, self.description, self.architecture)
        except OSError as error:
            # The kernel is there. Another process will have to compile it.
            worker.fail(self, error)
        return True

    cdef bint find(self) except -1:
        """Load the kernel if its code is on disk."""
        global _loaded
        from gpunp.fusion import compiled
        if self.key is None:
            self.key = compiled.key_of(self.description, self.architecture)
        found = compiled.find(self.key)
        if found is not None:
            self.load(found)
            _loaded += 1
        return found is not None

    cdef int load(self, object code) except -1:
        # The kernel keeps its module loaded.
        self.kernel = compiler.load_module(code, self.device).get_kernel(self.description.name)
        return 0

    cdef int sight(self, bint at_once) except -1:
        self.sightings += 1
        if at_once:
            from gpunp.fusion.worker import make_now
            make_now(self)
        elif self.sightings >= ENOUGH_SIGHTINGS and not self.requested and not self.failed:
            from gpunp.fusion.worker import request
            request(self)
        return 0

    def __str__(self):
        return f"{self.description} on {self.device}"


cdef bint is_passing(bytes key) except -1:
    global passed
    if _misses < ENOUGH_MISSES:
        return False
    if key in _seen:
        _seen.discard(key)
        return False
    if len(_seen) == MOST_SEEN:
        _seen.clear()
    _seen.add(key)
    passed = True
    return True


cdef Entry entry_of(dict known, Device device, object description, object name):
    global _misses
    cdef object found = known.get((device, description))
    cdef Entry entry
    if found is not None:
        return <Entry>found
    entry = Entry.__new__(Entry)
    entry.device = device
    entry.description = description
    _names[name] = number = _names.get(name, 0) + 1
    entry.name = f"{name}_{number}"
    entry.architecture = 0 if device.is_cpu else device.architecture
    entry = <Entry>known.setdefault((device, description), entry)
    try:
        # Without files in the cache, the background thread works out the key.
        if _misses < ENOUGH_MISSES:
            _misses = 0 if has_files() and entry.find() else _misses + 1
        else:
            # It came before without a description.
            entry.sightings = 1
    except Exception as error:
        # No compiler, for example.
        from gpunp.fusion.worker import fail
        fail(entry, error)
    return entry


cdef object _describe(const Group* group, const Plan* plan, int vectors, int down):
    cdef const Step* step
    cdef int i, k, leaves = group.leaves
    cdef list steps = []
    for i in range(group.steps):
        step = &group.step[i]
        steps.append(StepText((<Loop>step.loop).unit, (<Loop>step.loop).symbol,
                              tuple([step.source[k] for k in range(5)]), step.code))
    return Description(
        tuple(steps),
        tuple([(group.operand[k].code, plan.roles[k]) for k in range(leaves)]),
        tuple([(group.operand[k].code, plan.roles[k], group.stored[k]) for k in range(leaves, group.memory)]),
        tuple([group.constant_code[k] for k in range(group.constants)]),
        (plan.ndim, plan.width, vectors, bool(plan.wide), down))


cdef int _widths(const Group* group, bint on_cpu, int* vectors) noexcept:
    """Elements of a vector, and the vectors of a thread."""
    cdef int k, size, width, total = 0, largest = 1, smallest = 16, parts = 0
    for k in range(group.memory):
        parts += not group.operand[k].c_contiguous and not group.operand[k].f_contiguous
        size = itemsize_of(group.operand[k].code)
        total += size
        largest = max(largest, size)
        smallest = min(smallest, size)
    vectors[0] = elementwise_vectors(largest)
    if on_cpu:
        return 1
    width = elementwise_width(largest, smallest)
    if total * width * vectors[0] > FEW_BYTES or group.steps * width * vectors[0] > MOST_OPERATIONS:
        vectors[0] = 1
    while width > 1 and (total * width > MOST_BYTES or group.steps * width > MOST_OPERATIONS):
        width //= 2
    if parts >= MANY_PARTS and width > 2:
        # Rows of stencils are not aligned, so their elements are loaded one by one: short vectors read each cache line
        # fewer times. One H100, five points of 16384^2 float32: 0.91 ms with vectors of 4, 0.83 with 2 x 2.
        vectors[0] = 2
        return 2
    return width


cdef int _warps_down(const Group* group, const Plan* plan, int multiprocessors) noexcept:
    """The warps of a block below one another if parts of arrays may have rows in common, 0 otherwise."""
    cdef int d, k, last = plan.ndim - 1, parts = 0
    cdef long long rows = 1
    for d in range(last):
        rows *= plan.shape[d]
    if (last == 0 or plan.shape[last] < LEAST_TILED or rows < LEAST_ROWS or plan.size > MOST_BLOCKS
            or plan.chunks < <long long>FEW_CHUNKS * multiprocessors):
        return 0
    for k in range(group.memory):
        if plan.roles[k] == ELEMENTWISE_STRIDED:
            return 0
        parts += not group.operand[k].c_contiguous and not group.operand[k].f_contiguous
    if parts < MANY_PARTS:
        return 0
    # Arrays in the L2 cache gain by higher tiles, larger ones by longer rows. An H200, five points of 2048^2 float32:
    # 9.6 us by four, 10.7 by two, and 11.6 without tiles; of 16384^2: 597, 593 and 662.
    return 4 if plan.chunks < <long long>CACHED_CHUNKS * multiprocessors else 2


cdef int _vectors_down(const Group* group, int width) noexcept:
    """The vectors of a thread in a tile."""
    cdef int k, total = 0
    for k in range(group.memory):
        total += itemsize_of(group.operand[k].code)
    return 4 if 4 * total * width <= MOST_BYTES else 2


cdef long long _tiles(const Plan* plan, int vectors, int down) noexcept:
    """The number of blocks of a launch with tiles."""
    cdef long long inner = plan.shape[plan.ndim - 1], high = down * vectors, wide = 256 // down * plan.width
    return (plan.size // inner + high - 1) // high * ((inner + wide - 1) // wide)


cdef bint _pays(const Group* group, const Plan* plan, Device device) noexcept:
    """Whether one kernel is faster than several, which copy large transposed operands tile by tile."""
    cdef int k
    if plan.ndim > MOST_AXES:
        return False
    if device.is_cpu or plan.ndim < 2 or plan.size < COPY_WORTHWHILE:
        return True
    for k in range(group.memory):
        if group.operand[k].size == plan.size and is_transposed(plan, k):
            return False
    return True


cdef int _pack_key(unsigned char* key, const Group* group, const Plan* plan, int vectors, int down,
                   Device device) noexcept:
    """Write everything that the kernel depends on; return the number of bytes."""
    cdef const Step* step
    cdef void* address = <void*>device
    cdef int i, w = 16
    memcpy(key, &address, 8)
    key[8], key[9], key[10], key[11] = group.steps, group.leaves, group.memory, group.constants
    key[12], key[13], key[14], key[15] = plan.ndim, plan.width, vectors, plan.wide + 2 * down
    for i in range(group.steps):
        step = &group.step[i]
        memcpy(key + w, &step.loop, 8)
        memcpy(key + w + 8, step.source, 10)
        key[w + 18] = step.code
        w += 19
    for i in range(group.memory):
        key[w], key[w + 1] = group.operand[i].code, plan.roles[i]
        key[w + 2] = 0 if i < group.leaves else group.stored[i]
        w += 3
    memcpy(key + w, group.constant_code, group.constants)
    return w + group.constants


cdef int _pack(long long* words, const Group* group, const Plan* plan) noexcept:
    """Write the parameters of a launch; return the number of words."""
    cdef int k, size, w = pack_plan(words, plan)
    # The negative zeros of kernels/include/gpunp/fusion/group.h, as float and as double.
    words[w] = 0x80000000
    words[w + 1] = <long long>0x8000000000000000u
    w += 2
    for k in range(group.constants):
        size = itemsize_of(group.constant_code[k])
        memcpy(words + w, group.constant[k], size)
        w += 2 if size == 16 else 1
    return w


cdef int launch_group(Device device, Group* group, bint at_once=False, object name=None) except -1:
    global _launched, passed
    cdef Plan plan
    cdef unsigned char[KEY_BYTES] key
    cdef long long[MOST_WORDS] words
    cdef long long blocks
    cdef Entry entry
    cdef int d, width, vectors, length, down
    passed = False
    for d in range(group.ndim):
        if group.shape[d] == 0:
            return 1
    width = _widths(group, device.is_cpu, &vectors)
    make_plan(&plan, group.operand, group.memory, group.ndim, group.shape, False, group.leaves, 0, width)
    if plan.chunks < <long long>FEW_CHUNKS * device.multiprocessors:
        vectors = 1
    down = 0 if device.is_cpu else _warps_down(group, &plan, device.multiprocessors)
    if down:
        vectors = _vectors_down(group, width)
    blocks = (_tiles(&plan, vectors, down) if down else
              (plan.chunks + ELEMENTWISE_BLOCK * vectors - 1) // (ELEMENTWISE_BLOCK * vectors))
    if blocks > MOST_BLOCKS or not _pays(group, &plan, device):
        return 0
    length = _pack_key(key, group, &plan, vectors, down, device)
    key_bytes = PyBytes_FromStringAndSize(<const char*>key, length)
    entry = <Entry>_entries.get(key_bytes)
    if entry is None:
        if not at_once and is_passing(key_bytes):
            return 0
        entry = entry_of(_described, device, _describe(group, &plan, vectors, down), name or "chain")
        entry = <Entry>_entries.setdefault(key_bytes, entry)
    if entry.kernel is None:
        entry.sight(at_once)
        if entry.kernel is None:
            # Without a compiler, nothing will ever be fused.
            passed = entry.failed
            return 0
    length = _pack(words, group, &plan)
    _launched = entry
    device.start(entry.kernel, blocks, 1, 1, ELEMENTWISE_BLOCK, 0, words, length * sizeof(long long))
    return 1


def loaded():
    """How many kernels were found on disk, for groups and reductions."""
    return _loaded


def reset_loaded():
    """Count from zero again."""
    global _loaded
    _loaded = 0


def entries():
    """What is known of the groups seen so far.

    Returns
    -------
    list of Entry
    """
    return list(_described.values())


def forget():
    """Forget all groups: they are new when they are seen again."""
    global _misses
    _entries.clear()
    _described.clear()
    _seen.clear()
    _misses = 0

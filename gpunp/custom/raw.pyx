"""Raw kernels: kernels that users write in CUDA C++, launched with arguments from Python."""
import operator

from cpython.long cimport PyLong_CheckExact
from libc.stdlib cimport free, malloc

from gpunp.custom.arguments cimport device_of, pack
from gpunp.device cimport Device, check_status, current_device

from gpunp.custom.program import Program

cdef extern from "Python.h":
    long PyLong_AsLongAndOverflow(object value, int* overflow) except? -1

cdef enum:
    # Parameters of up to this many bytes are packed on the stack.
    STACK_BYTES = 4096
    # Of every dimension of a grid or a block; the limits of the device are lower and checked by the launch.
    MOST = 0x7FFFFFFF


cdef class DeviceFunction:
    """A kernel that is loaded on one device."""

    def __dealloc__(self):
        free(self.layout.offsets)

    cdef int launch(self, const Launch* how, object stream, char* params) except -1:
        raise NotImplementedError

    @property
    def parameters(self):
        """Offset and size in bytes of every parameter, a list of pairs."""
        return [(self.layout.offsets[i], self.layout.sizes[i]) for i in range(self.layout.count)]

    def __repr__(self):
        return f"<{type(self).__name__} {self.name} on {self.device}>"


cdef int _read_dims(object dims, unsigned int* out, str kernel, str what) except -1:
    """Read a grid, block or cluster: up to three positive integers, or one."""
    cdef int d, count, overflow = 0
    cdef long extent
    if type(dims) is not tuple:
        dims = tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
    count = <int>len(<tuple>dims)
    if not 1 <= count <= 3:
        raise ValueError(f"{kernel}: {what} must have one to three dimensions, {dims} has {count}")
    out[1] = out[2] = 1
    for d in range(count):
        value = (<tuple>dims)[d]
        if not PyLong_CheckExact(value):
            try:
                value = operator.index(value)
            except TypeError:
                raise TypeError(f"{kernel}: {what} must be a tuple of integers, not {dims!r}") from None
        extent = PyLong_AsLongAndOverflow(value, &overflow)
        if overflow or not 1 <= extent <= MOST:
            raise ValueError(f"{kernel}: every dimension of {what} must be between 1 and {MOST}, it is {dims}")
        out[d] = <unsigned int>extent
    return 0


cdef class OfProgram:
    """What raw kernels and modules say of their program."""

    @property
    def code(self):
        """The source, or None for machine code."""
        return self._program.code

    @property
    def file_path(self):
        """The file that was read, or None."""
        return self._program.path

    @property
    def options(self):
        """The options of the compiler, a tuple."""
        return self._program.options

    @property
    def backend(self):
        """The compiler: ``"nvrtc"`` or ``"nvcc"``."""
        return self._program.backend

    @property
    def enable_cooperative_groups(self):
        """Whether launches are cooperative."""
        return self._program.enable_cooperative_groups


cdef class RawKernel(OfProgram):
    """A kernel written in CUDA C++.

    Parameters
    ----------
    code : str
        CUDA C++ source.
    name : str
        The kernel's name in the source: of an ``extern "C"`` function, or any name expression such as
        ``"scale<float>"``.
    options : tuple of str, optional
        Options of the compiler.
    backend : {"nvrtc", "nvcc"}, default "nvrtc"
    translate_cucomplex : bool, default False
        Whether the types and functions of ``cuComplex.h`` are those of ``complex<T>``, with operators.
    enable_cooperative_groups : bool, default False
        Whether launches are cooperative, so that ``grid.sync()`` works.
    jitify : bool, default False
        Has no effect: headers are found without it.

    Notes
    -----
    The kernel is compiled for a device at its first call there, and taken from the cache on disk after that.

    Examples
    --------
    >>> import gpunp
    >>> add = gpunp.RawKernel(r'''
    ... extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) out[i] = x[i] + y[i];
    ... }''', "add")
    >>> add
    <RawKernel add>
    """

    def __init__(self, code, name, options=(), backend="nvrtc", translate_cucomplex=False, *,
                 enable_cooperative_groups=False, jitify=False):
        if not isinstance(name, str):
            raise TypeError(f"RawKernel: name must be a str, not {type(name).__name__}")
        # Every name that is not mangled is a name expression: templates and functions in C++ linkage work.
        names = () if name.startswith("_Z") else (name,)
        self._program = Program("RawKernel", code, None, options, backend, translate_cucomplex,
                                enable_cooperative_groups, names)
        self.name = name
        self.cooperative = enable_cooperative_groups
        self.functions = []
        self.settings = {}

    @staticmethod
    def _of(program, str name not None):
        """The kernel ``name`` of a program."""
        cdef RawKernel self = RawKernel.__new__(RawKernel)
        self._program = program
        self.name = name
        self.cooperative = program.enable_cooperative_groups
        self.functions = []
        self.settings = {}
        return self

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None, cluster=None):
        """Launch the kernel; it is compiled before if it was not.

        Parameters
        ----------
        grid : tuple of int
            Blocks along up to three axes.
        block : tuple of int
            Threads of a block along up to three axes.
        args : tuple
            The arguments: arrays, Python and NumPy scalars, structures, pointers; see the documentation.
        shared_mem : int, default 0
            Dynamic shared memory per block, in bytes.
        stream : Stream, int or object with ``__cuda_stream__``, optional
            The current stream by default.
        cluster : tuple of int, optional
            Blocks of a thread block cluster along up to three axes; from compute capability 9.0 on.

        Raises
        ------
        TypeError
            For arguments whose number, kind or size is not that of the kernel's parameters.
        ValueError
            For a grid, block, cluster or shared memory beyond the limits of the device or the kernel.
        RuntimeError
            If the current device is the CPU.

        Notes
        -----
        The kernel runs on the device of the first gpunp array among its arguments, else on the stream's, else on
        the current one. The call does not wait for it.
        """
        cdef char[STACK_BYTES] stack
        cdef char* params = stack
        cdef Launch how
        cdef DeviceFunction function
        cdef Device device
        # Arrays of other libraries must live until the launch.
        cdef object _held
        cdef long shared
        cdef int overflow = 0
        if type(args) is not tuple:
            args = _arguments(self.name, args)
        device = device_of(<tuple>args)
        if device is None:
            device = current_device() if stream is None else _device_of_stream(stream)
        function = self.function_on(device)
        _read_dims(grid, how.grid, self.name, "the grid")
        _read_dims(block, how.block, self.name, "the block")
        if cluster is None:
            how.cluster[0] = 0
        else:
            _read_dims(cluster, how.cluster, self.name, "the cluster")
        shared = PyLong_AsLongAndOverflow(shared_mem, &overflow)
        if overflow or not 0 <= shared <= MOST:
            raise ValueError(f"{self.name}: shared_mem must be a number of bytes between 0 and {MOST}, not "
                             f"{shared_mem}")
        how.shared_bytes = <unsigned int>shared
        how.cooperative = self.cooperative
        check_status(device)
        if function.layout.nbytes > STACK_BYTES:
            params = <char*>malloc(function.layout.nbytes)
            if params == NULL:
                raise MemoryError()
        try:
            _held = pack(&function.layout, <tuple>args, device, self.name, params)
            function.launch(&how, stream, params)
        finally:
            if params != stack:
                free(params)

    cdef DeviceFunction function_on(self, Device device):
        cdef object found
        if device.index < len(self.functions) and not device.is_cpu:
            found = self.functions[device.index]
            if found is not None:
                return <DeviceFunction>found
        return self._load(device)

    def _load(self, Device device not None):
        """Compile and load the kernel on a device."""
        found = self._program.function_on(device, self.name)
        for name, value in self.settings.items():
            found.set_attribute(name, value)
        while len(self.functions) <= device.index:
            self.functions.append(None)
        # Another thread may have loaded it in the meantime.
        if self.functions[device.index] is None:
            self.functions[device.index] = found
        return self.functions[device.index]

    def compile(self, log_stream=None):
        """Compile the kernel for the current device, again if it was compiled before.

        Parameters
        ----------
        log_stream : file object, optional
            The compiler's output is written to it.
        """
        device = current_device()
        self._program.compile(device, log_stream)
        self.functions = []
        self._load(device)

    @property
    def kernel(self):
        """The kernel as it is loaded on the current device; its ``ptr`` is the CUfunction handle."""
        return self.function_on(current_device())

    @property
    def attributes(self):
        """The kernel's attributes on the current device, a dict; -1 for those that the driver does not know."""
        return self.kernel.attributes()

    @property
    def max_dynamic_shared_size_bytes(self):
        """The most dynamic shared memory of a launch, in bytes; a launch that needs more raises it."""
        return self.kernel.get_attribute("max_dynamic_shared_size_bytes")

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value):
        self._set("max_dynamic_shared_size_bytes", value)

    @property
    def preferred_shared_memory_carveout(self):
        """The share of the L1 cache to be used as shared memory, in percent; -1 is the driver's choice."""
        return self.kernel.get_attribute("preferred_shared_memory_carveout")

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, value):
        self._set("preferred_shared_memory_carveout", value)

    def _set(self, name, value):
        """Set an attribute on the devices where the kernel is loaded, and on those where it will be."""
        value = operator.index(value)
        self.kernel.set_attribute(name, value)
        for function in self.functions:
            if function is not None:
                function.set_attribute(name, value)
        self.settings[name] = value

    @property
    def binary_version(self):
        """The architecture of the machine code, 90 for compute capability 9.0."""
        return self.kernel.get_attribute("binary_version")

    @property
    def cache_mode_ca(self):
        """Whether global loads are cached in L1 by an option of the compiler."""
        return self.kernel.get_attribute("cache_mode_ca")

    @property
    def const_size_bytes(self):
        """Constant memory of the kernel's module, in bytes."""
        return self.kernel.get_attribute("const_size_bytes")

    @property
    def local_size_bytes(self):
        """Local memory of a thread, in bytes; not 0 if registers are spilled."""
        return self.kernel.get_attribute("local_size_bytes")

    @property
    def max_threads_per_block(self):
        """The most threads of a block of this kernel."""
        return self.kernel.get_attribute("max_threads_per_block")

    @property
    def num_regs(self):
        """Registers of a thread."""
        return self.kernel.get_attribute("num_regs")

    @property
    def ptx_version(self):
        """The virtual architecture that the kernel was compiled for."""
        return self.kernel.get_attribute("ptx_version")

    @property
    def shared_size_bytes(self):
        """Static shared memory of a block, in bytes."""
        return self.kernel.get_attribute("shared_size_bytes")

    def __reduce__(self):
        return _restored, (self._program, self.name, self.settings)

    def __repr__(self):
        return f"<RawKernel {self.name}>"


def _restored(program, name, settings):
    """A kernel from what was pickled of it."""
    cdef RawKernel kernel = RawKernel._of(program, name)
    kernel.settings = settings
    return kernel


cdef tuple _arguments(str kernel, object args):
    """The arguments as a tuple."""
    if isinstance(args, (list, tuple)):
        return tuple(args)
    raise TypeError(f"{kernel}: args must be a tuple of the kernel's arguments, not {type(args).__name__}; "
                    "write (x,) for one")


cdef Device _device_of_stream(object stream):
    from gpunp.cuda.stream import as_stream
    return as_stream(stream).device

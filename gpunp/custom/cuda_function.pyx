"""Raw kernels on CUDA devices: their parameters, attributes, limits and launches."""
from cpython.object cimport PyObject
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from cuda.bindings.cydriver cimport (
    CUdevice_attribute, CUfunction, CUfunction_attribute, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig,
    CUresult, CUstream, cuFuncGetAttribute, cuFuncGetParamInfo, cuFuncSetAttribute, cuLaunchKernelEx,
    cuOccupancyMaxActiveBlocksPerMultiprocessor)

from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.cuda.driver cimport check, note_launch, permanent_name, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream
from gpunp.custom.raw cimport DeviceFunction, Launch

from gpunp.cuda.stream import as_stream

cdef enum:
    # Launches with up to this many parameters need no memory from the heap.
    STACK_PARAMETERS = 64
    CLUSTERS = 90           # the first compute capability with clusters
    PORTABLE_CLUSTER = 8    # blocks; more need an attribute of the function

# The attributes that users see, to their numbers in the driver's enumeration.
cdef dict _ATTRIBUTES = {
    "max_threads_per_block": CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    "shared_size_bytes": CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    "const_size_bytes": CUfunction_attribute.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    "local_size_bytes": CUfunction_attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    "num_regs": CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS,
    "ptx_version": CUfunction_attribute.CU_FUNC_ATTRIBUTE_PTX_VERSION,
    "binary_version": CUfunction_attribute.CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    "cache_mode_ca": CUfunction_attribute.CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    "max_dynamic_shared_size_bytes": CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    "preferred_shared_memory_carveout": CUfunction_attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
}


cdef struct Limits:
    # Of a launch on a device.
    unsigned int[3] grid
    unsigned int[3] block


cdef tuple _dims(const unsigned int* dims):
    return dims[0], dims[1], dims[2]


cdef class CudaFunction(DeviceFunction):
    """A kernel that is loaded on a CUDA device.

    Parameters
    ----------
    kernel : Kernel
        Of a module of `gpunp.compiler`.
    device : Device
    name : str
        The name that users gave it.
    """

    cdef CudaKernel kernel
    cdef CUfunction handle
    cdef Limits limits
    cdef unsigned int max_threads
    cdef unsigned int static_shared
    cdef bint any_cluster       # clusters of more than 8 blocks were allowed
    cdef PyObject* noted        # the name for `note_launch`

    def __init__(self, CudaKernel kernel not None, CudaDevice device not None, str name not None):
        cdef int d
        self.name = name
        self.device = device
        # The kernel holds its module.
        self.kernel = kernel
        self.handle = <CUfunction>kernel.function
        self.noted = permanent_name(name)
        use_context(device.context)
        self.read_parameters()
        self.max_threads = self.read_attribute("max_threads_per_block")
        kernel.shared_limit = self.read_attribute("max_dynamic_shared_size_bytes")
        self.static_shared = self.read_attribute("shared_size_bytes")
        for d in range(3):
            # The attributes of x, y and z have consecutive numbers.
            self.limits.block[d] = device.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d)
            self.limits.grid[d] = device.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + d)

    cdef int read_parameters(self) except -1:
        cdef size_t offset = 0, size = 0
        cdef int count = 0, i
        while cuFuncGetParamInfo(self.handle, count, &offset, &size) == CUresult.CUDA_SUCCESS:
            count += 1
        self.layout.offsets = <size_t*>malloc((2 * count + 1) * sizeof(size_t))
        if self.layout.offsets == NULL:
            raise MemoryError()
        self.layout.sizes = self.layout.offsets + count
        self.layout.count = count
        for i in range(count):
            check(cuFuncGetParamInfo(self.handle, i, &self.layout.offsets[i], &self.layout.sizes[i]),
                  "cuFuncGetParamInfo")
            self.layout.nbytes = max(self.layout.nbytes, self.layout.offsets[i] + self.layout.sizes[i])
        return 0

    cdef int launch(self, const Launch* how, object stream, char* params) except -1:
        cdef CudaDevice device = <CudaDevice>self.device
        cdef CUlaunchConfig config
        cdef CUlaunchAttribute[2] attributes
        cdef void* stack[STACK_PARAMETERS]
        cdef void** pointers = stack
        cdef CUresult result
        cdef int i
        if (how.block[0] > self.limits.block[0] or how.block[1] > self.limits.block[1]
                or how.block[2] > self.limits.block[2] or how.grid[0] > self.limits.grid[0]
                or how.grid[1] > self.limits.grid[1] or how.grid[2] > self.limits.grid[2]
                or <unsigned long long>how.block[0] * how.block[1] * how.block[2] > self.max_threads):
            raise self.shape_error(how)
        if how.shared_bytes > self.kernel.shared_limit:
            self.allow_shared(how.shared_bytes)
        config.gridDimX, config.gridDimY, config.gridDimZ = how.grid[0], how.grid[1], how.grid[2]
        config.blockDimX, config.blockDimY, config.blockDimZ = how.block[0], how.block[1], how.block[2]
        config.sharedMemBytes = how.shared_bytes
        if stream is None:
            config.hStream = current_stream(device.index).handle
        else:
            config.hStream = self.handle_of(stream)
        config.attrs = attributes
        config.numAttrs = 0
        if how.cluster[0] or how.cooperative:
            self.add_attributes(how, &config)
        if self.layout.count > STACK_PARAMETERS:
            pointers = <void**>malloc(self.layout.count * sizeof(void*))
            if pointers == NULL:
                raise MemoryError()
        for i in range(self.layout.count):
            pointers[i] = params + self.layout.offsets[i]
        use_context(device.context)
        result = unlocked(host_calls.existing, cuLaunchKernelEx, &config, self.handle, pointers, NULL)
        if pointers != stack:
            free(pointers)
        if result != CUresult.CUDA_SUCCESS:
            self.launch_failed(result, how)
        note_launch(self.noted)
        return 0

    cdef CUstream handle_of(self, object stream) except? NULL:
        cdef Stream found = stream if type(stream) is Stream else as_stream(stream, self.device)
        if found.device_index != self.device.index:
            raise ValueError(f"{self.name}: the stream is on cuda:{found.device_index} and the arrays are on "
                             f"{self.device}")
        return found.handle

    cdef int add_attributes(self, const Launch* how, CUlaunchConfig* config) except -1:
        """Add the attributes of clusters and of cooperative launches; there is room for both."""
        cdef CUlaunchAttribute* attribute = config.attrs
        cdef unsigned long long blocks
        cdef int d
        memset(attribute, 0, 2 * sizeof(CUlaunchAttribute))
        if how.cluster[0]:
            if (<CudaDevice>self.device).architecture < CLUSTERS:
                raise ValueError(f"{self.name}: thread block clusters need compute capability 9.0, {self.device} "
                                 f"has {'.'.join(map(str, self.device.compute_capability))}")
            blocks = <unsigned long long>how.cluster[0] * how.cluster[1] * how.cluster[2]
            for d in range(3):
                if how.grid[d] % how.cluster[d]:
                    raise ValueError(f"{self.name}: the grid {_dims(how.grid)} is not a multiple of the cluster "
                                     f"{_dims(how.cluster)}")
            if blocks > PORTABLE_CLUSTER and not self.any_cluster:
                check(cuFuncSetAttribute(
                    self.handle, CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                    "cuFuncSetAttribute")
                self.any_cluster = True
            attribute.id = CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            attribute.value.clusterDim.x = how.cluster[0]
            attribute.value.clusterDim.y = how.cluster[1]
            attribute.value.clusterDim.z = how.cluster[2]
            attribute += 1
            config.numAttrs += 1
        if how.cooperative:
            attribute.id = CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            attribute.value.cooperative = 1
            config.numAttrs += 1
        return 0

    cdef int allow_shared(self, unsigned int shared_bytes) except -1:
        """Raise the function's limit of dynamic shared memory, if the device has so much."""
        cdef size_t most = (<CudaDevice>self.device).shared_memory_per_block
        if shared_bytes + self.static_shared > most:
            raise ValueError(
                f"{self.name}: {shared_bytes} bytes of dynamic and {self.static_shared} of static shared memory are "
                f"more than the {most} that a block can have on {self.device}")
        self.set_attribute("max_dynamic_shared_size_bytes", shared_bytes)
        return 0

    cdef object shape_error(self, const Launch* how):
        """The exception of a grid or a block beyond the limits."""
        cdef unsigned long long threads = <unsigned long long>how.block[0] * how.block[1] * how.block[2]
        for what, dims, most in (("grid", _dims(how.grid), _dims(self.limits.grid)),
                                 ("block", _dims(how.block), _dims(self.limits.block))):
            if any(extent > limit for extent, limit in zip(dims, most)):
                return ValueError(f"{self.name}: the {what} {dims} is more than {self.device} can run: at most {most}")
        return ValueError(f"{self.name}: a block {_dims(how.block)} has {threads} threads, and this kernel can run "
                          f"with at most {self.max_threads} ({self.read_attribute('num_regs')} registers per thread)")

    cdef int launch_failed(self, CUresult result, const Launch* how) except -1:
        """Raise the error that a launch returned, with its configuration."""
        cdef int blocks = 0
        cdef int threads = how.block[0] * how.block[1] * how.block[2]
        if result == CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
            check(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, self.handle, threads, how.shared_bytes),
                  "cuOccupancyMaxActiveBlocksPerMultiprocessor")
            raise ValueError(f"{self.name}: the blocks of a cooperative launch run at the same time, and {self.device} "
                             f"can run {blocks * self.device.multiprocessors} of {threads} threads, not the grid "
                             f"{_dims(how.grid)}")
        try:
            check(result, "cuLaunchKernelEx")
        except RuntimeError as error:
            cluster = f", cluster {_dims(how.cluster)}" if how.cluster[0] else ""
            error.add_note(f"launch of {self.name} on {self.device}: grid {_dims(how.grid)}, block {_dims(how.block)}"
                           f"{cluster}, {how.shared_bytes} bytes of dynamic shared memory")
            raise
        return 0

    cdef int read_attribute(self, str name) except? -2:
        cdef int value = 0
        use_context((<CudaDevice>self.device).context)
        if cuFuncGetAttribute(&value, <CUfunction_attribute><int>_ATTRIBUTES[name], self.handle) != 0:
            return -1
        return value

    def get_attribute(self, str name not None):
        """An attribute by name; -1 if the driver does not know it."""
        return self.read_attribute(name)

    def set_attribute(self, str name not None, int value):
        """Set one of the two attributes that can be set."""
        cdef CUresult result
        use_context((<CudaDevice>self.device).context)
        result = cuFuncSetAttribute(self.handle, <CUfunction_attribute><int>_ATTRIBUTES[name], value)
        if result == CUresult.CUDA_ERROR_INVALID_VALUE:
            most = (<CudaDevice>self.device).shared_memory_per_block - self.static_shared
            limit = f"0 to {most} bytes" if name == "max_dynamic_shared_size_bytes" else "-1 to 100 percent"
            raise ValueError(f"{self.name}: {name} cannot be {value} on {self.device}; the range is {limit}")
        check(result, "cuFuncSetAttribute")
        if name == "max_dynamic_shared_size_bytes":
            self.kernel.shared_limit = value

    def attributes(self):
        """All attributes, a dict."""
        return {name: self.read_attribute(name) for name in _ATTRIBUTES}

    @property
    def ptr(self):
        """The CUfunction handle, an integer."""
        return <uintptr_t>self.handle

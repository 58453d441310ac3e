"""Launches of thread block clusters, whose blocks can access the shared memory of the whole cluster."""
from libc.string cimport memset
from cuda.bindings.cydriver cimport (
    CUfunction, CUfunction_attribute, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig, CUresult,
    cuFuncGetAttribute, cuFuncSetAttribute, cuLaunchKernelEx, cuOccupancyMaxActiveClusters)

from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.cuda.driver cimport check, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport current_stream

cdef enum:
    CLUSTERS = 90       # the first compute capability with clusters
    THREADS = 512       # block size for which `largest_cluster` holds

# Kernels whose limits on cluster size and shared memory are already raised.
cdef set _prepared = set()
# Per device index: the most blocks a cluster may have; 0 without clusters.
cdef dict _most_blocks = {}
# Per kernel and number of blocks in a cluster: how many clusters run at a time.
cdef dict _active = {}


cdef int launch_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int count,
                         unsigned int threads, const void* params, unsigned int shared_bytes=0) except -1:
    cdef CUlaunchConfig config
    cdef CUlaunchAttribute cluster
    cdef void* arguments[1]
    cdef CUresult result
    _configure(&config, &cluster, device, blocks, count, threads)
    config.sharedMemBytes = shared_bytes
    arguments[0] = <void*>params
    use_context(device.context)
    result = unlocked(host_calls.existing, cuLaunchKernelEx, &config, <CUfunction>kernel.function, arguments, NULL)
    if result != 0:
        device.launch_failed(<int>result, kernel, (blocks * count, 1, 1), threads, shared_bytes)
    return 0


cdef void _configure(CUlaunchConfig* config, CUlaunchAttribute* cluster, CudaDevice device,
                     unsigned int blocks, unsigned int count, unsigned int threads):
    memset(config, 0, sizeof(CUlaunchConfig))
    device.flush()
    memset(cluster, 0, sizeof(CUlaunchAttribute))
    config.gridDimX, config.gridDimY, config.gridDimZ = blocks * count, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
    config.hStream = current_stream(device.index).handle
    config.attrs = cluster
    config.numAttrs = 1
    cluster.id = CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    cluster.value.clusterDim.x = blocks
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1


cdef CudaKernel cluster_kernel(CudaDevice device, str unit, str name, unsigned int shared_bytes=0):
    cdef CudaKernel kernel = <CudaKernel>device.kernel(unit, name)
    if kernel not in _prepared:
        use_context(device.context)
        check(cuFuncSetAttribute(
            <CUfunction>kernel.function,
            CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "cuFuncSetAttribute")
        if shared_bytes:
            device.allow_shared(kernel, shared_bytes)
        _prepared.add(kernel)
    return kernel


cdef int largest_cluster(CudaDevice device) except -1:
    cdef CudaKernel kernel
    cdef int blocks, version = 0
    found = _most_blocks.get(device.index)
    if found is not None:
        return found
    most = 0
    if device.architecture >= CLUSTERS:
        use_context(device.context)
        kernel = cluster_kernel(device, "cluster_tridiagonal", "tridiagonal")
        # Kernels built for an older architecture have no clusters.
        cuFuncGetAttribute(&version, CUfunction_attribute.CU_FUNC_ATTRIBUTE_PTX_VERSION,
                           <CUfunction>kernel.function)
        for blocks in (16, 8) if version >= CLUSTERS else ():
            if active_clusters(device, kernel, blocks, THREADS, 0):
                most = blocks
                break
    _most_blocks[device.index] = most
    return most


cdef int active_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int threads,
                         unsigned int shared_bytes) except -1:
    cdef CUlaunchConfig config
    cdef CUlaunchAttribute cluster
    cdef int count = 0
    found = _active.get((kernel, blocks))
    if found is not None:
        return found
    use_context(device.context)
    _configure(&config, &cluster, device, blocks, 1, threads)
    config.sharedMemBytes = shared_bytes
    if cuOccupancyMaxActiveClusters(&count, <CUfunction>kernel.function, &config) != 0:
        count = 0
    _active[kernel, blocks] = count
    return count

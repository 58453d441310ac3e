"""Launches of thread block clusters, whose blocks can access the shared memory of the whole cluster."""
from gpunp.cuda.device cimport CudaDevice, CudaKernel

# The most blocks of 512 threads that a cluster may have on the device: 16, 8, or 0 without clusters.
cdef int largest_cluster(CudaDevice device) except -1
# A kernel, allowed to run in clusters of 16 blocks with ``shared_bytes`` of dynamic shared memory per block.
cdef CudaKernel cluster_kernel(CudaDevice device, str unit, str name, unsigned int shared_bytes=*)
# Launch ``count`` clusters of ``blocks`` blocks each.
cdef int launch_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int count,
                         unsigned int threads, const void* params, unsigned int shared_bytes=*) except -1
# How many clusters of ``blocks`` blocks the device runs at a time.
cdef int active_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int threads,
                         unsigned int shared_bytes) except -1

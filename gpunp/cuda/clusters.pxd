"""Launches of clusters of blocks, which see each other's shared memory."""
from gpunp.cuda.device cimport CudaDevice, CudaKernel

# How many blocks of 512 threads a cluster may have on the device: 16, 8, or 0 where there are none.
cdef int largest_cluster(CudaDevice device) except -1
# A kernel that may run in clusters of 16 blocks with so much dynamic shared memory.
cdef CudaKernel cluster_kernel(CudaDevice device, str unit, str name, unsigned int shared_bytes=*)
# So many clusters of so many blocks.
cdef int launch_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int count,
                         unsigned int threads, const void* params, unsigned int shared_bytes=*) except -1
# How many clusters of so many blocks the device runs at a time.
cdef int active_clusters(CudaDevice device, CudaKernel kernel, unsigned int blocks, unsigned int threads,
                         unsigned int shared_bytes) except -1

"""Gathers from arrays of which each cluster of blocks holds a part in its shared memory."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from gpunp.cuda.clusters cimport active_clusters, cluster_kernel, largest_cluster, launch_clusters
from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.device cimport Device
from gpunp.indexing.gather cimport GatherParams
from gpunp.indexing.windows cimport gather_hooks

cdef extern from "gpunp/indexing/gather_cluster_params.h" namespace "gpunp":
    enum:
        GATHER_CLUSTER_BLOCK, GATHER_CLUSTER_BYTES
    cdef struct GatherClusterParams:
        GatherParams move
        int32_t blocks
        uint32_t held

cdef enum:
    # Largest k of clusters of 1 << k blocks; clusters of 16 are slower than the L2 cache.
    MOST_BLOCKS = 3


cdef bint _by_cluster(const GatherParams* p, Device any_device, int itemsize) except -1:
    cdef CudaDevice device = <CudaDevice>any_device
    cdef GatherClusterParams params
    cdef CudaKernel kernel
    cdef int64_t nbytes = p.extent[0] * itemsize
    cdef int count
    # Highest percentage of the elements that a cluster holds: the more blocks, the slower each access.
    cdef int64_t[4] shares = [device.tuning.cluster_share_1, device.tuning.cluster_share_2,
                              device.tuning.cluster_share_4, device.tuning.cluster_share_8]
    if not largest_cluster(device) or device.shared_memory_per_block < <size_t>GATHER_CLUSTER_BYTES:
        return False
    params.move = p[0]
    params.blocks = 0
    while params.blocks < MOST_BLOCKS and nbytes > device.tuning.cluster_block_bytes << params.blocks:
        params.blocks += 1
    kernel = cluster_kernel(device, "cluster_gather", f"gather_cluster_{itemsize}", GATHER_CLUSTER_BYTES)
    count = active_clusters(device, kernel, 1 << params.blocks, GATHER_CLUSTER_BLOCK, GATHER_CLUSTER_BYTES)
    if count == 0:
        return False
    params.held = <uint32_t>min(p.extent[0] * shares[params.blocks] // 100,
                                <int64_t>(GATHER_CLUSTER_BYTES // itemsize) << params.blocks)
    launch_clusters(device, kernel, 1 << params.blocks, count, GATHER_CLUSTER_BLOCK, &params, GATHER_CLUSTER_BYTES)
    return True


gather_hooks.by_cluster = _by_cluster

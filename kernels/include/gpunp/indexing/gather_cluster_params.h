// Parameters of the kernels of a gather from shared memory; filled by gpunp/indexing/gather_cluster.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int GATHER_CLUSTER_BLOCK = 1024;
constexpr int GATHER_CLUSTER_EACH = 8;         // indices per thread at a time
constexpr int GATHER_CLUSTER_BYTES = 3 << 16;  // bytes of the array in each block
constexpr int GATHER_CLUSTER_RUN = 5;          // runs of 2^5 neighboring elements go to the blocks in turn

struct GatherClusterParams {
    GatherParams move;  // one index array of one dimension
    int32_t blocks;     // base-2 logarithm of the blocks of a cluster
    uint32_t held;      // elements that the cluster holds, from the first one on
};

}  // namespace gpunp

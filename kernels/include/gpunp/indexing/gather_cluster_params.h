// What the kernels of a gather from shared memory are told; filled by gpunp/indexing/gather_cluster.pyx.
#pragma once
#include "gpunp/indexing/gather_params.h"

namespace gpunp {

constexpr int GATHER_CLUSTER_BLOCK = 1024;
constexpr int GATHER_CLUSTER_EACH = 8;         // indices of a thread at a time
constexpr int GATHER_CLUSTER_BYTES = 3 << 16;  // of the array in each block
constexpr int GATHER_CLUSTER_RUN = 5;          // blocks have neighbouring elements in turn, 2^5 each

struct GatherClusterParams {
    GatherParams move;  // one index array of one dimension
    int32_t blocks;     // of a cluster, as a power of two: there are 1 << blocks
    uint32_t held;      // how many elements the cluster holds, from the first one
};

}  // namespace gpunp

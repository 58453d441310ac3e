// Thread block clusters (compute capability 9.0): blocks that write to each other's shared memory.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace cluster {

// Clusters of 16 blocks must be allowed for each kernel (a non-portable size); 8 always are.
enum { MOST_BLOCKS = 16 };

#if __CUDA_ARCH__ >= 900
__device__ inline unsigned rank() {
    unsigned value;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
    return value;
}

__device__ inline unsigned size() {
    unsigned value;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(value));
    return value;
}

// The index of the cluster in the launch.
__device__ inline unsigned index() {
    unsigned value;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(value));
    return value;
}

// A single block uses plain stores, and a barrier instead of mailboxes: checking tools treat a cluster of one
// block as no cluster.
__device__ inline bool alone() {
    return size() == 1;
}

// Waits for all threads of the cluster; their earlier stores are visible afterwards. Takes a microsecond.
__device__ inline void sync() {
    if (alone())
        __syncthreads();
    else
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                         : "memory");
}

// A barrier in shared memory that counts the bytes arriving from other blocks. Users alternate between two of
// them from round to round.
struct Mailbox {
    unsigned long long barrier;

    __device__ unsigned address() const { return (unsigned)__cvta_generic_to_shared(&barrier); }

    // Called by one thread, before `sync`.
    __device__ void open() {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(address())
            : "memory");
    }
    // Called by one thread per round: sets how many bytes will arrive; they may have arrived already.
    __device__ void expect(unsigned bytes) {
        if (alone()) return;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                     : "memory");
    }
    // Used instead of bytes: one thread signals that the writes in this block of itself and of the threads
    // that it has synchronized with are complete.
    __device__ void announce() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    // Waits until the round is complete; `parity` is 0 in the mailbox's first round and then alternates.
    __device__ void wait(unsigned parity) const {
        unsigned done = 0;
        while (!done) {
            asm volatile(
                "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(address()), "r"(parity)
                : "memory");
        }
    }
    // Called by all threads of a block or warp: wait until the bytes sent to them have arrived.
    __device__ void wait_by_block(unsigned parity) const {
        if (alone())
            __syncthreads();
        else
            wait(parity);
    }
    __device__ void wait_by_warp(unsigned parity) const {
        if (alone())
            __syncwarp();
        else
            wait(parity);
    }
};

// The address of another block's counterpart of `place`.
__device__ inline unsigned address_in(unsigned block, const void* place) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"((unsigned)__cvta_generic_to_shared(place)), "r"(block));
    return there;
}

// Stores to another block's counterpart of `place`, in shared memory, and counts the bytes in its mailbox.
template <class T>
__device__ inline void send(T* place, Mailbox* mailbox, unsigned block, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");
    if (alone()) {
        *place = value;
        return;
    }
    const unsigned there = address_in(block, place), box = address_in(block, mailbox);
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        memcpy(&bits, &value, 4);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there),
                     "r"(bits), "r"(box)
                     : "memory");
    } else {
        unsigned long long bits;
        memcpy(&bits, &value, 8);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(there),
                     "l"(bits), "r"(box)
                     : "memory");
    }
}

// Sends 16 bytes in one message.
template <class V>
__device__ inline void send_vector(V* place, Mailbox* mailbox, unsigned block, V value) {
    static_assert(sizeof(V) == 16 && alignof(V) == 16, "four words");
    if (alone()) {
        *place = value;
        return;
    }
    unsigned bits[4];
    memcpy(bits, &value, 16);
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            address_in(block, place)),
        "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(address_in(block, mailbox))
        : "memory");
}

// Sends two neighboring elements; a pair of floats is one message.
__device__ inline void send_pair(float* place, Mailbox* mailbox, unsigned block, float first, float second) {
    send(reinterpret_cast<unsigned long long*>(place), mailbox, block,
         (unsigned long long)__float_as_uint(second) << 32 | __float_as_uint(first));
}
__device__ inline void send_pair(double* place, Mailbox* mailbox, unsigned block, double first,
                                 double second) {
    send(place, mailbox, block, first);
    send(place + 1, mailbox, block, second);
}
#else
// Older devices have no clusters; kernels that use them are never launched there.
__device__ inline unsigned rank() {
    return 0;
}
__device__ inline unsigned size() {
    return 1;
}
__device__ inline unsigned index() {
    return blockIdx.x;
}
__device__ inline bool alone() {
    return true;
}
__device__ inline void sync() {}
struct Mailbox {
    unsigned long long barrier;
    __device__ void open() {}
    __device__ void expect(unsigned) {}
    __device__ void announce() {}
    __device__ void wait(unsigned) const {}
    __device__ void wait_by_block(unsigned) const {}
    __device__ void wait_by_warp(unsigned) const {}
};
template <class T>
__device__ inline void send(T* place, Mailbox*, unsigned, T value) {
    *place = value;
}
template <class V>
__device__ inline void send_vector(V* place, Mailbox*, unsigned, V value) {
    *place = value;
}
template <class T>
__device__ inline void send_pair(T* place, Mailbox*, unsigned, T first, T second) {
    place[0] = first;
    place[1] = second;
}
#endif

}  // namespace cluster
}  // namespace gpunp
#endif

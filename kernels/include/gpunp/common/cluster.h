// Thread block clusters (compute capability 9.0): blocks that write to each other's shared memory.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace cluster {

// Clusters of 16 blocks have to be allowed for a kernel; 8 are always.
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

// Which cluster of the launch.
__device__ inline unsigned index() {
    unsigned value;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(value));
    return value;
}

// A block that is alone stores plainly and has a barrier instead of mailboxes: a cluster of one block counts
// as none for tools that check it.
__device__ inline bool alone() {
    return size() == 1;
}

// Waits for all threads of the cluster; what they stored before is visible after. Takes a microsecond.
__device__ inline void sync() {
    if (alone())
        __syncthreads();
    else
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                         : "memory");
}

// In shared memory: counts the bytes that arrive from other blocks. Of two, every other round uses one.
struct Mailbox {
    unsigned long long barrier;

    __device__ unsigned address() const { return (unsigned)__cvta_generic_to_shared(&barrier); }

    // One thread, before `sync`.
    __device__ void open() {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(address())
            : "memory");
    }
    // One thread a round says how many bytes will come; they may have come already.
    __device__ void expect(unsigned bytes) {
        if (alone()) return;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                     : "memory");
    }
    // Instead of bytes: one thread says that what it and those it has met wrote in this block is there.
    __device__ void announce() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    // Until the round is complete; `parity` is of how often this mailbox was used.
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
    // All threads of a block, or of a warp: until the bytes that they were sent are here.
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

// Where another block has what `place` is in this one.
__device__ inline unsigned address_in(unsigned block, const void* place) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"((unsigned)__cvta_generic_to_shared(place)), "r"(block));
    return there;
}

// Stores where another block has `place`, which is in shared memory, and counts the bytes in its mailbox.
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

// 16 bytes in one message.
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

// Neighbours; a pair of floats is one message.
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
// Older devices have no clusters; nothing is launched there.
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

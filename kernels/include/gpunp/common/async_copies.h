// Copies from global to shared memory that go on while the threads do other things.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace async {

// Starts a copy of one value.
template <class T>
__device__ __forceinline__ void copy(T* to, const T* from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "sizes that the instruction has");
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"((int)sizeof(T))
                 : "memory");
}
// Ends a group of copies of this thread.
__device__ __forceinline__ void end_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for this thread's groups but for the latest ones. Other threads see the values after a barrier.
template <int LATEST>
__device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LATEST) : "memory");
}
// Waits for all copies of this thread.
__device__ __forceinline__ void wait_for_all() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace async
}  // namespace gpunp
#endif

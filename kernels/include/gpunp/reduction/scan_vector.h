// Vectors of 16 bytes, accessed as CUDA's built-in vector types.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/types.h"

namespace gpunp {

// Vectors are converted field by field from and to CUDA's vector types: a byte copy would move the registers
// that hold them to local memory.
template <class A>
struct VectorAccess;
#define GPUNP_VECTOR_ACCESS(A, Wide)                                                                \
    template <>                                                                                     \
    struct VectorAccess<A> {                                                                        \
        using type = Wide;                                                                          \
        static __device__ __forceinline__ void unpack(const Wide& w, Vector<A>& v) { GPUNP_UNPACK } \
        static __device__ __forceinline__ void pack(const Vector<A>& v, Wide& w) { GPUNP_PACK }     \
    };
#define GPUNP_UNPACK v.at[0] = w.x, v.at[1] = w.y, v.at[2] = w.z, v.at[3] = w.w;
#define GPUNP_PACK w.x = v.at[0], w.y = v.at[1], w.z = v.at[2], w.w = v.at[3];
GPUNP_VECTOR_ACCESS(i4, int4)
GPUNP_VECTOR_ACCESS(u4, uint4)
GPUNP_VECTOR_ACCESS(f4, float4)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0] = w.x, v.at[1] = w.y;
#define GPUNP_PACK w.x = v.at[0], w.y = v.at[1];
GPUNP_VECTOR_ACCESS(i8, longlong2)
GPUNP_VECTOR_ACCESS(u8, ulonglong2)
GPUNP_VECTOR_ACCESS(f8, double2)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0].re = w.x, v.at[0].im = w.y, v.at[1].re = w.z, v.at[1].im = w.w;
#define GPUNP_PACK w.x = v.at[0].re, w.y = v.at[0].im, w.z = v.at[1].re, w.w = v.at[1].im;
GPUNP_VECTOR_ACCESS(c8, float4)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0].re = w.x, v.at[0].im = w.y;
#define GPUNP_PACK w.x = v.at[0].re, w.y = v.at[0].im;
GPUNP_VECTOR_ACCESS(c16, double2)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#undef GPUNP_VECTOR_ACCESS

}  // namespace gpunp

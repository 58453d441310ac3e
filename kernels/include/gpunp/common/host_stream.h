// Copies to memory past the caches, for results that are larger than those: nothing reads the old contents of
// their lines, and they displace no others.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpunp {

// Other threads see what was copied after finish_streams().
inline void stream_copy(void* target, const void* source, size_t nbytes) {
#if defined(__SSE2__)
    char* to = static_cast<char*>(target);
    const char* from = static_cast<const char*>(source);
    const size_t lead = -(uintptr_t)to & 63;
    if (nbytes < lead + 64) {
        memcpy(to, from, nbytes);
        return;
    }
    memcpy(to, from, lead);
    to += lead;
    from += lead;
    nbytes -= lead;
    // Whole lines, as the parts of a line are joined on their way.
    for (; nbytes >= 64; nbytes -= 64, to += 64, from += 64) {
        const __m128i a = _mm_loadu_si128((const __m128i*)from),
                      b = _mm_loadu_si128((const __m128i*)from + 1),
                      c = _mm_loadu_si128((const __m128i*)from + 2),
                      d = _mm_loadu_si128((const __m128i*)from + 3);
        _mm_stream_si128((__m128i*)to, a);
        _mm_stream_si128((__m128i*)to + 1, b);
        _mm_stream_si128((__m128i*)to + 2, c);
        _mm_stream_si128((__m128i*)to + 3, d);
    }
    memcpy(to, from, nbytes);
#else
    memcpy(target, source, nbytes);
#endif
}

// Has lines brought to the second level of caches, without a wait for them.
inline void fetch_ahead(const void* from, size_t nbytes) {
    const char* at = static_cast<const char*>(from);
    for (const char* const end = at + nbytes; at < end; at += 64) __builtin_prefetch(at, 0, 2);
}

inline void finish_streams() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace gpunp

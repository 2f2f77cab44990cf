// Instructions that not every x86-64 processor has: functions are compiled for them besides, and chosen
// when the module is loaded. Results are the same with and without them.
#pragma once

#include <cstddef>

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#define KARAT_WITH_WIDE 1
#define KARAT_ALWAYS_INLINE __attribute__((always_inline)) inline
#define KARAT_AVX2 __attribute__((target("avx2")))
#define KARAT_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define KARAT_WITH_WIDE 0
#define KARAT_ALWAYS_INLINE inline
#endif

namespace karat {

inline constexpr std::size_t kDrawnAtOnce = 64;  // draws of a stream

#if KARAT_WITH_WIDE
enum class Width { plain, avx2, avx512 };

// What processor and system have. Asked here: what compilers offer needs a part of their runtime
// that not each of them links.
inline Width widest() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return Width::plain;
    unsigned kept = 0, upper = 0;  // which registers the system keeps for a process
    __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    if ((kept & 0x6u) != 0x6u || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return Width::plain;
    const unsigned needed = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    return (kept & 0xE6u) == 0xE6u && (b & needed) == needed ? Width::avx512 : Width::avx2;
}

inline const Width kWidth = widest();
#endif

}  // namespace karat

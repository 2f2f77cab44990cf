// Bits of numbers.
#pragma once

#include <cstdint>

namespace karat {

// The place of the lowest bit that is set; one is.
inline std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__)
    return static_cast<std::uint32_t>(__builtin_ctzll(bits));
#else
    std::uint32_t place = 0;
    for (; (bits & 1) == 0; bits >>= 1) ++place;
    return place;
#endif
}

}  // namespace karat

// The random numbers of Perl's srand and rand: drand48's 48-bit generator.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace karat {

class PerlRandom {
  public:
    explicit PerlRandom(std::uint32_t seed) : state_((static_cast<std::uint64_t>(seed) << 16) + 0x330E) {}

    // The stream of a trial among others: that of srand(trial).
    PerlRandom(std::uint64_t, std::uint64_t trial) : PerlRandom(static_cast<std::uint32_t>(trial)) {}

    std::size_t below(std::size_t bound) {
        state_ = (0x5DEECE66Du * state_ + 0xB) & 0xFFFFFFFFFFFFu;
        return static_cast<std::size_t>(static_cast<double>(state_) / 281474976710656.0 * static_cast<double>(bound));
    }

  private:
    std::uint64_t state_;
};

// The mean of as many rows as there are, drawn after srand(seed). Rows are added in
// the order in which they are drawn, on which the last digits depend.
inline void perl_mean(std::uint32_t seed, const double *rows, std::size_t count, std::size_t columns, double *mean) {
    PerlRandom random(seed);
    std::fill(mean, mean + columns, 0.0);
    // Some rows are drawn ahead and asked for, since most are in no cache.
    std::array<const double *, 32> drawn;
    for (std::size_t i = 0; i < count; i += drawn.size()) {
        const std::size_t size = std::min(drawn.size(), count - i);
        for (std::size_t k = 0; k < size; ++k) {
            drawn[k] = rows + random.below(count) * columns;
#if defined(__GNUC__)
            for (std::size_t c = 0; c < columns; c += 8) __builtin_prefetch(drawn[k] + c);
#endif
        }
        for (std::size_t k = 0; k < size; ++k) {
            for (std::size_t c = 0; c < columns; ++c) mean[c] += drawn[k][c];
        }
    }
    for (std::size_t c = 0; c < columns; ++c) mean[c] /= static_cast<double>(count);
}

// Adds how often each of `count` rows is drawn after srand(0), srand(1), ..., srand(trials - 1).
inline void perl_draws(std::size_t count, std::size_t trials, std::int64_t *draws) {
    for (std::size_t trial = 0; trial < trials; ++trial) {
        PerlRandom random(static_cast<std::uint32_t>(trial));
        for (std::size_t i = 0; i < count; ++i) ++draws[random.below(count)];
    }
}

}  // namespace karat

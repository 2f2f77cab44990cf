// The random numbers of Perl's srand and rand: drand48's 48-bit generator.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "karat/wide.hpp"

namespace karat {

// From a state of the generator to that in 1, 2, ... steps.
struct PerlSteps {
    static constexpr std::uint64_t kFactor = 0x5DEECE66Du, kAdded = 0xB, kMask = 0xFFFFFFFFFFFFu;
    std::array<std::uint64_t, kDrawnAtOnce> factor{}, added{};

    constexpr PerlSteps() {
        std::uint64_t f = 1, a = 0;
        for (std::size_t i = 0; i < kDrawnAtOnce; ++i) {
            factor[i] = f = (f * kFactor) & kMask;
            added[i] = a = (a * kFactor + kAdded) & kMask;
        }
    }
};

class PerlRandom {
  public:
    explicit PerlRandom(std::uint32_t seed) : state_((static_cast<std::uint64_t>(seed) << 16) + 0x330E) {}

    // The stream of a trial among others: that of srand(trial).
    PerlRandom(std::uint64_t, std::uint64_t trial) : PerlRandom(static_cast<std::uint32_t>(trial)) {}

    std::size_t below(std::size_t bound) {
        state_ = (kFactor * state_ + kAdded) & kMask;
        return static_cast<std::size_t>(static_cast<double>(state_) / 281474976710656.0 * static_cast<double>(bound));
    }

    // The next draws below bound at once: that in n steps needs none of those before it.
    KARAT_ALWAYS_INLINE bool below(std::uint32_t bound, std::uint32_t *drawn, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t next = (kSteps.factor[i] * state_ + kSteps.added[i]) & kMask;
            const auto share = static_cast<double>(static_cast<std::int64_t>(next)) / 281474976710656.0;
            drawn[i] = static_cast<std::uint32_t>(static_cast<std::int64_t>(share * static_cast<double>(bound)));
        }
        state_ = (kSteps.factor[count - 1] * state_ + kSteps.added[count - 1]) & kMask;
        return true;
    }

  private:
    static constexpr std::uint64_t kFactor = PerlSteps::kFactor, kAdded = PerlSteps::kAdded;
    static constexpr std::uint64_t kMask = PerlSteps::kMask;
    static constexpr PerlSteps kSteps{};

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

// The random numbers of Perl's srand and rand: drand48's 48-bit generator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace karat {

class PerlRandom {
  public:
    explicit PerlRandom(std::uint32_t seed) : state_((static_cast<std::uint64_t>(seed) << 16) + 0x330E) {}

    std::size_t below(std::size_t bound) {
        state_ = (0x5DEECE66Du * state_ + 0xB) & 0xFFFFFFFFFFFFu;
        return static_cast<std::size_t>(static_cast<double>(state_) / 281474976710656.0 * static_cast<double>(bound));
    }

  private:
    std::uint64_t state_;
};

// How often each row is drawn after srand(seed), in as many draws as there are rows.
inline void perl_weights(std::uint32_t seed, double *weights, std::size_t rows) {
    PerlRandom random(seed);
    for (std::size_t i = 0; i < rows; ++i) weights[i] = 0;
    for (std::size_t i = 0; i < rows; ++i) weights[random.below(rows)] += 1;
}

}  // namespace karat

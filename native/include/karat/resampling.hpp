// Random weights of table rows: the inner loops of bootstrap and randomisation
// tests, whose sums are then one matrix product. Every trial has a random stream
// of its own, so results depend on the seed alone, not on the number of threads
// or the size of blocks, nor on any library's generator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "karat/wide.hpp"

namespace karat {

// splitmix64 (Steele, Lea and Flood 2014).
class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
        state_ = next() ^ (stream * 0xD1342543DE82EF95u);
        state_ = next();
    }

    std::uint64_t next() {
        return mixed(state_ += kStep);
    }

    // Uniform below bound, without bias (Lemire 2019, on 32 bits).
    std::uint32_t below(std::uint32_t bound) {
        for (;;) {
            const std::uint64_t product = (next() >> 32) * bound;
            const auto low = static_cast<std::uint32_t>(product);
            if (low >= bound || low >= (0u - bound) % bound) {
                return static_cast<std::uint32_t>(product >> 32);
            }
        }
    }

    // The next draws below bound at once, or none where one of them might have to be drawn again. None waits
    // for another one, so that compilers make several with an instruction.
    KARAT_ALWAYS_INLINE bool below(std::uint32_t bound, std::uint32_t *drawn, std::size_t count) {
        std::uint32_t doubtful = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t product = (mixed(state_ + (i + 1) * kStep) >> 32) * bound;
            drawn[i] = static_cast<std::uint32_t>(product >> 32);
            doubtful |= static_cast<std::uint32_t>(product) < bound;
        }
        if (doubtful != 0) return false;
        state_ += count * kStep;
        return true;
    }

  private:
    static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;

    static KARAT_ALWAYS_INLINE std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

// How often each row is drawn in as many draws with replacement as there are rows.
inline void bootstrap_weights(Random random, double *weights, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) weights[i] = 0;
    const auto bound = static_cast<std::uint32_t>(rows);
    for (std::size_t i = 0; i < rows; ++i) weights[random.below(bound)] += 1;
}

// One or zero for each row, by a fair toss.
inline void coin_weights(Random random, double *weights, std::size_t rows) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < rows; ++i, bits >>= 1) {
        if (i % 64 == 0) bits = random.next();
        weights[i] = static_cast<double>(bits & 1);
    }
}

}  // namespace karat

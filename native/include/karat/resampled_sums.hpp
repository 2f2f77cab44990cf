// Sums of table rows under random weights: the whole of a bootstrap or of a randomisation
// test, without a table of weights that leaves the cache.
//
// Rows are taken block by block and column by column. Columns of small whole numbers, as counts
// are, become 16 bits wide and are summed in integers, so that their sums are exact and compilers
// make eight products and more with one instruction; others are summed as doubles in a fixed order. A trial
// is summed by one thread, so that no sum depends on their number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "karat/parallel.hpp"
#include "karat/resampling.hpp"
#include "karat/wide.hpp"

namespace karat {

// Independent Poisson(1) weights. That of a row depends on the seed, the trial and the number of
// the row alone, so that sums over parts of a table add up to those over all of it.
class PoissonStream {
  public:
    PoissonStream(std::uint64_t seed, std::uint64_t trial) : key_(Random(seed, trial).next()) {}

    // Weights of rows first, first + 1, ... Four rows share a number of 64 bits: row r has bits
    // 16 (r mod 4) and above of number r div 4 of splitmix64 from the trial's key.
    void fill(std::uint64_t first, std::int16_t *weights, std::size_t count) const {
        std::size_t i = 0;
        for (; i < count && (first + i) % 4 != 0; ++i) weights[i] = exact(first + i);
        std::uint64_t number = (first + i) / 4;
        for (; i + kAtOnce <= count; i += kAtOnce, number += kAtOnce / 4) {
            std::array<std::int16_t, kAtOnce> drawn;
            for (std::size_t j = 0; j < kAtOnce / 4; ++j) spread(at(number + j), drawn.data() + 4 * j);
            if (count_steps(drawn.data(), weights + i)) {
                for (std::size_t j = 0; j < kAtOnce; ++j) weights[i + j] = exact(first + i + j);
            }
        }
        for (; i < count; ++i) weights[i] = exact(first + i);
    }

    // 16 bits decide but where the distribution function has a step within them: then 48 more do.
    std::int16_t exact(std::uint64_t row) const {
        const std::uint64_t number = at(row / 4);
        const std::uint64_t lane = row % 4;
        std::uint64_t drawn = (number >> (16 * lane)) << 48;
        drawn |= mixed(number + (lane + 1) * 0xD1342543DE82EF95u) >> 16;
        std::int16_t weight = 0;
        while (weight < static_cast<std::int16_t>(kSteps.size()) && drawn >= kSteps[weight]) ++weight;
        return weight;
    }

  private:
    // The distribution function of Poisson(1) at 0, 1, ..., times 2^64. Beyond 19 it is 1.
    static constexpr std::array<std::uint64_t, 20> kSteps{
        0x5e2d58d8b3bcdf1au, 0xbc5ab1b16779be35u, 0xeb715e1dc1582dc2u, 0xfb23979734a252f1u,
        0xff1025f59174dc3du, 0xffd90f3ba4055e19u, 0xfffa8b71fc72c913u, 0xffff540c0914b3c9u,
        0xffffed1f4aa8f120u, 0xfffffe216e641462u, 0xffffffd4d85d3183u, 0xfffffffc6da262b4u,
        0xffffffffba12d178u, 0xfffffffffb07c64cu, 0xffffffffffab8ea5u, 0xfffffffffffabe22u,
        0xffffffffffffb11au, 0xfffffffffffffba1u, 0xffffffffffffffc5u, 0xfffffffffffffffdu};

    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    std::uint64_t at(std::uint64_t number) const { return mixed(key_ + (number + 1) * 0x9E3779B97F4A7C15u); }

    // The four draws of a number, lowest first, in signed order.
    static void spread(std::uint64_t number, std::int16_t *draws) {
        number ^= 0x8000800080008000u;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        std::memcpy(draws, &number, sizeof number);
#else
        for (int lane = 0; lane < 4; ++lane) draws[lane] = static_cast<std::int16_t>(number >> (16 * lane));
#endif
    }

    // Weights of some draws by their 16 bits; whether these do not decide one of them. A loop for
    // each step is what compilers turn into instructions on eight draws at a time.
    static bool count_steps(const std::int16_t *drawn, std::int16_t *weights) {
        std::array<std::int16_t, kAtOnce> passed{}, met{};
        for (std::size_t k = 0; k < kDecided; ++k) {
            // In signed order, as the draws are.
            const auto step = static_cast<std::int16_t>(static_cast<int>(kSteps[k] >> 48) - 32768);
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                passed[i] = static_cast<std::int16_t>(passed[i] - (drawn[i] > step ? -1 : 0));
            }
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                met[i] = static_cast<std::int16_t>(met[i] | (drawn[i] == step ? -1 : 0));
            }
        }
        std::int16_t undecided = 0;
        for (std::size_t i = 0; i < kAtOnce; ++i) {
            weights[i] = passed[i];
            undecided = static_cast<std::int16_t>(undecided | met[i]);
        }
        return undecided != 0;
    }

    static constexpr std::size_t kAtOnce = 32;

    // So many steps have upper 16 bits of their own; those of all further ones are 65535 too.
    static constexpr std::size_t kDecided = 8;

    std::uint64_t key_;
};

namespace resampled {

inline constexpr std::size_t kBlock = 2048;         // rows at a time: a column of them is 4 KB
inline constexpr std::size_t kTableCells = 1 << 22; // of drawn weights at a time, on each thread
inline constexpr std::size_t kNear = 64;            // rows whose columns are taken one by one out of the cache
inline constexpr int kLargest = 32767;

// Which columns hold small whole numbers only.
inline std::vector<bool> whole_columns(const double *rows, std::size_t count, std::size_t columns) {
    std::vector<bool> whole(columns, true);
    std::vector<std::size_t> left(columns);
    for (std::size_t c = 0; c < columns; ++c) left[c] = c;
    for (std::size_t begin = 0; begin < count && !left.empty(); begin += kNear) {
        const std::size_t end = std::min(count, begin + kNear);
        for (std::size_t c : left) {
            bool fits = true;
            for (std::size_t r = begin; r < end; ++r) {
                const double value = rows[r * columns + c];
                fits &= std::abs(value) <= kLargest && value == std::trunc(value);
            }
            whole[c] = fits;
        }
        left.erase(std::remove_if(left.begin(), left.end(), [&](std::size_t c) { return !whole[c]; }), left.end());
    }
    return whole;
}

// For each column the first one that is equal to it, often itself. Sums of equal columns are equal, and
// a table has some: where each text is one sentence, two measures of ROUGE are the same.
inline std::vector<std::size_t> equal_columns(const double *rows, std::size_t count, std::size_t columns) {
    std::vector<std::size_t> equal(columns);
    for (std::size_t c = 0; c < columns; ++c) {
        equal[c] = c;
        for (std::size_t other = 0; other < c && equal[c] == c; ++other) {
            if (equal[other] != other) continue;
            std::size_t r = 0;
            // Bit by bit: sums of 0 and -0 may differ.
            while (r < count && std::memcmp(rows + r * columns + c, rows + r * columns + other, sizeof *rows) == 0) ++r;
            if (r == count) equal[c] = other;
        }
    }
    return equal;
}

// The product of a column of whole numbers with weights whose sum is at most 65535.
KARAT_ALWAYS_INLINE std::int32_t whole_product(const std::int16_t *weights, const std::int16_t *column,
                                               std::size_t count) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::int32_t>(weights[i]) * column[i];
    return sum;
}

inline std::int64_t wide_product(const std::int16_t *weights, const std::int16_t *column, std::size_t count) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::int64_t>(weights[i]) * column[i];
    return sum;
}

// In a fixed order, whatever the width of instructions: eight sums of every eighth product, then these.
KARAT_ALWAYS_INLINE double ordered_product(const double *weights, const double *column, std::size_t count) {
    std::array<double, 8> sums{};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) sums[k] += weights[i + k] * column[i + k];
    }
    for (std::size_t k = 0; i < count; ++i, ++k) sums[k] += weights[i] * column[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

#if KARAT_WITH_WIDE
KARAT_AVX2 inline std::int32_t product_avx2(const std::int16_t *weights, const std::int16_t *column,
                                            std::size_t count) {
    return whole_product(weights, column, count);
}

KARAT_AVX512 inline std::int32_t product_avx512(const std::int16_t *weights, const std::int16_t *column,
                                                std::size_t count) {
    return whole_product(weights, column, count);
}

// Without fused products, which would round otherwise.
KARAT_AVX2 inline double product_avx2(const double *weights, const double *column, std::size_t count) {
    return ordered_product(weights, column, count);
}

template <class Stream>
KARAT_AVX512 bool draws_avx512(Stream &random, std::uint32_t bound, std::uint32_t *drawn) {
    return random.below(bound, drawn, kDrawnAtOnce);
}
#endif

inline std::int32_t product(const std::int16_t *weights, const std::int16_t *column, std::size_t count) {
#if KARAT_WITH_WIDE
    if (kWidth == Width::avx512) return product_avx512(weights, column, count);
    if (kWidth == Width::avx2) return product_avx2(weights, column, count);
#endif
    return whole_product(weights, column, count);
}

inline double product(const double *weights, const double *column, std::size_t count) {
#if KARAT_WITH_WIDE
    if (kWidth != Width::plain) return product_avx2(weights, column, count);
#endif
    return ordered_product(weights, column, count);
}

// The next draws of a stream, or none where it is as fast to draw one by one.
template <class Stream>
bool draws([[maybe_unused]] Stream &random, [[maybe_unused]] std::uint32_t bound,
           [[maybe_unused]] std::uint32_t *drawn) {
#if KARAT_WITH_WIDE
    if (kWidth == Width::avx512) return draws_avx512(random, bound, drawn);
#endif
    return false;
}

// Some rows, column by column.
class Block {
  public:
    Block(const std::vector<bool> &whole, const std::vector<std::size_t> &equal)
        : columns_(whole.size()) {
        for (std::size_t c = 0; c < columns_; ++c) {
            if (equal[c] == c) (whole[c] ? whole_ : others_).push_back(c);
        }
        small_.resize(whole_.size() * kBlock);
        large_.resize(others_.size() * kBlock);
    }

    void load(const double *rows, std::size_t count) {
        count_ = count;
        for (std::size_t begin = 0; begin < count; begin += kNear) load(rows, begin, std::min(count, begin + kNear));
    }

    // Adds the weighted rows to whole and other sums, and gives the sum of the weights.
    std::int64_t add(const std::int16_t *weights, std::int64_t *whole_sums, double *sums) {
        static_assert(kBlock * kLargest <= 0x7FFFFFFF);
        std::int32_t total = 0;
        for (std::size_t r = 0; r < count_; ++r) total += weights[r];
        const std::int16_t *small = small_.data();
        for (const std::size_t c : whole_) {
            whole_sums[c] += total <= 65535 ? product(weights, small, count_) : wide_product(weights, small, count_);
            small += kBlock;
        }
        if (others_.empty()) return total;
        std::copy(weights, weights + count_, weights_.begin());
        const double *large = large_.data();
        for (const std::size_t c : others_) {
            sums[c] += product(weights_.data(), large, count_);
            large += kBlock;
        }
        return total;
    }

  private:
    void load(const double *rows, std::size_t begin, std::size_t end) {
        std::int16_t *small = small_.data();
        for (const std::size_t c : whole_) {
            for (std::size_t r = begin; r < end; ++r) small[r] = static_cast<std::int16_t>(rows[r * columns_ + c]);
            small += kBlock;
        }
        double *large = large_.data();
        for (const std::size_t c : others_) {
            for (std::size_t r = begin; r < end; ++r) large[r] = rows[r * columns_ + c];
            large += kBlock;
        }
    }

    std::size_t columns_;
    std::vector<std::size_t> whole_, others_;  // of equal columns the first one
    std::size_t count_ = 0;
    std::array<double, kBlock> weights_{};
    std::vector<std::int16_t> small_;
    std::vector<double> large_;
};

// The weights of one trial after the other, for each block of rows.
template <class Stream>
class DrawnFrom {  // as many draws with replacement as there are rows
  public:
    DrawnFrom(std::uint64_t seed, std::size_t rows, std::size_t trials)
        : seed_(seed), rows_(rows), weights_(rows * trials) {}

    static std::size_t group(std::size_t rows, std::size_t) {
        return std::clamp<std::size_t>(kTableCells / std::max<std::size_t>(rows, 1), 16, 64);
    }

    void begin(std::size_t first, std::size_t trials) {
        std::fill(weights_.begin(), weights_.end(), std::int16_t{0});
        const auto bound = static_cast<std::uint32_t>(rows_);
        for (std::size_t t = 0; t < trials; ++t) {
            Stream random(seed_, first + t);
            std::int16_t *weights = weights_.data() + t * rows_;
            for (std::size_t i = 0; i < rows_; i += kDrawnAtOnce) {
                const std::size_t count = std::min(kDrawnAtOnce, rows_ - i);
                if (count == kDrawnAtOnce && draws(random, bound, drawn_.data())) {
                    for (const std::uint32_t row : drawn_) draw(weights[row]);
                } else {
                    for (std::size_t k = 0; k < count; ++k) draw(weights[random.below(bound)]);
                }
            }
        }
    }

    const std::int16_t *block(std::size_t trial, std::size_t begin, std::size_t) {
        return weights_.data() + trial * rows_ + begin;
    }

  private:
    static void draw(std::int16_t &weight) {
        if (weight == kLargest) throw std::overflow_error("one row is drawn too often");
        ++weight;
    }

    std::uint64_t seed_;
    std::size_t rows_;
    std::vector<std::int16_t> weights_;
    std::array<std::uint32_t, kDrawnAtOnce> drawn_;
};

using Drawn = DrawnFrom<Random>;

class Tossed {  // one or zero by a fair toss
  public:
    Tossed(std::uint64_t seed, std::size_t, std::size_t) : seed_(seed) {}

    static std::size_t group(std::size_t, std::size_t share) { return std::clamp<std::size_t>(share, 1, 256); }

    void begin(std::size_t first, std::size_t trials) {
        streams_.clear();
        for (std::size_t t = 0; t < trials; ++t) streams_.emplace_back(seed_, first + t);
    }

    const std::int16_t *block(std::size_t trial, std::size_t, std::size_t count) {
        static_assert(kBlock % 64 == 0);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; i += 64) {
            bits = streams_[trial].next();
            const std::size_t end = std::min(count - i, std::size_t{64});
            for (std::size_t j = 0; j < end; ++j) weights_[i + j] = static_cast<std::int16_t>((bits >> j) & 1);
        }
        return weights_.data();
    }

  private:
    std::uint64_t seed_;
    std::vector<Random> streams_;
    std::array<std::int16_t, kBlock> weights_{};
};

class Poisson {  // independent weights
  public:
    Poisson(std::uint64_t seed, std::size_t, std::size_t, std::uint64_t first_row = 0)
        : seed_(seed), first_row_(first_row) {}

    static std::size_t group(std::size_t rows, std::size_t share) { return Tossed::group(rows, share); }

    void begin(std::size_t first, std::size_t trials) {
        streams_.clear();
        for (std::size_t t = 0; t < trials; ++t) streams_.emplace_back(seed_, first + t);
    }

    const std::int16_t *block(std::size_t trial, std::size_t begin, std::size_t count) {
        streams_[trial].fill(first_row_ + begin, weights_.data(), count);
        return weights_.data();
    }

  private:
    std::uint64_t seed_, first_row_;
    std::vector<PoissonStream> streams_;
    std::array<std::int16_t, kBlock> weights_{};
};

}  // namespace resampled

// Weighted sums of all rows, `columns` + 1 for each trial: the last one is the sum of the weights.
template <class Weights, class... More>
void resampled_sums(const double *rows, std::size_t count, std::size_t columns, std::size_t first, std::size_t trials,
                    std::uint64_t seed, std::size_t threads, double *sums, More... more) {
    using namespace resampled;
    const std::vector<bool> whole = whole_columns(rows, count, columns);
    const std::vector<std::size_t> equal = equal_columns(rows, count, columns);
    const std::size_t group = Weights::group(count, (trials + 2 * threads - 1) / (2 * threads));
    parallel_for((trials + group - 1) / group, threads, [&] {
        return [&, block = Block(whole, equal), weights = Weights(seed, count, std::min(group, trials), more...),
                whole_sums = std::vector<std::int64_t>()](std::size_t part) mutable {
            const std::size_t begin = part * group, size = std::min(group, trials - begin);
            whole_sums.assign(size * (columns + 1), 0);
            double *own = sums + begin * (columns + 1);
            std::fill(own, own + size * (columns + 1), 0.0);
            weights.begin(first + begin, size);
            for (std::size_t row = 0; row < count; row += kBlock) {
                const std::size_t height = std::min(kBlock, count - row);
                block.load(rows + row * columns, height);
                for (std::size_t t = 0; t < size; ++t) {
                    const std::size_t at = t * (columns + 1);
                    whole_sums[at + columns] += block.add(weights.block(t, row, height), &whole_sums[at], own + at);
                }
            }
            // What is not whole was summed as it is, and has no whole sum.
            for (std::size_t i = 0; i < whole_sums.size(); ++i) own[i] += static_cast<double>(whole_sums[i]);
            for (std::size_t t = 0; t < size; ++t) {
                double *row = own + t * (columns + 1);
                for (std::size_t c = 0; c < columns; ++c) row[c] = row[equal[c]];
            }
        };
    });
}

}  // namespace karat

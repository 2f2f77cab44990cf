// Levenshtein distance of integer sequences, 64 cells of a column at a time
// (Myers 1999, in the blocked form of Hyyrö 2003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace karat {

struct Tokens {
    const std::int32_t *data;
    std::size_t size;
};

// One object per thread: the tables are as large as the vocabulary and the
// longest pattern, and are reused from pair to pair.
class EditDistance {
  public:
    explicit EditDistance(std::size_t vocabulary = 0) : slot_(vocabulary, -1) {}

    // Tokens may be as large as this from now on.
    void widen(std::size_t vocabulary) {
        if (slot_.size() < vocabulary) slot_.resize(vocabulary, -1);
    }

    std::int64_t operator()(Tokens a, Tokens b) { return within(a, b, std::numeric_limits<std::size_t>::max()); }

    // The same; -1 where it would take more than so many steps of 64 cells, or words in a table.
    std::int64_t within(Tokens a, Tokens b, std::size_t steps, std::size_t words = std::numeric_limits<std::size_t>::max()) {
        trim(a, b);
        if (a.size > b.size) std::swap(a, b);
        if (a.size == 0) return static_cast<std::int64_t>(b.size);
        if ((a.size + 63) / 64 > steps / b.size) return -1;
        const std::int64_t distance = a.size <= 64 && words >= 64 ? one_word(a, b) : prepare(a, words) ? columns(a.size, b) : -1;
        for (std::size_t i = 0; i < a.size; ++i) slot_[a.data[i]] = -1;
        return distance;
    }

  private:
    static void trim(Tokens &a, Tokens &b) {
        while (a.size && b.size && a.data[0] == b.data[0]) {
            ++a.data, --a.size;
            ++b.data, --b.size;
        }
        while (a.size && b.size && a.data[a.size - 1] == b.data[b.size - 1]) --a.size, --b.size;
    }

    // The distance where one word holds a column: the same without the loop over words.
    std::int64_t one_word(Tokens pattern, Tokens text) {
        std::uint64_t masks[65] = {0};  // the first is that of other tokens
        std::int32_t distinct = 0;
        for (std::size_t i = 0; i < pattern.size; ++i) {
            std::int32_t &slot = slot_[pattern.data[i]];
            if (slot < 0) slot = distinct++;
            masks[slot + 1] |= std::uint64_t{1} << i;
        }
        std::int64_t distance = static_cast<std::int64_t>(pattern.size);
        std::uint64_t vp = ~std::uint64_t{0}, vn = 0;
        for (std::size_t j = 0; j < text.size; ++j) {
            const std::uint64_t x = masks[slot_[text.data[j]] + 1];
            const std::uint64_t zero = (((x & vp) + vp) ^ vp) | x | vn;
            const std::uint64_t hp = vn | ~(zero | vp), hn = zero & vp;
            distance += static_cast<std::int64_t>(hp >> (pattern.size - 1) & 1);
            distance -= static_cast<std::int64_t>(hn >> (pattern.size - 1) & 1);
            vp = hn << 1 | ~(zero | (hp << 1 | 1));
            vn = (hp << 1 | 1) & zero;
        }
        return distance;
    }

    // For each distinct token of the pattern, the bit set of its positions.
    bool prepare(Tokens pattern, std::size_t words) {
        blocks_ = (pattern.size + 63) / 64;
        masks_.clear();
        std::int32_t distinct = 0;
        for (std::size_t i = 0; i < pattern.size; ++i) {
            std::int32_t &slot = slot_[pattern.data[i]];
            if (slot < 0) {
                if (masks_.size() + blocks_ > words) return false;
                slot = distinct++;
                masks_.resize(masks_.size() + blocks_, 0);
            }
            masks_[slot * blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
        }
        absent_.assign(blocks_, 0);
        plus_.assign(blocks_, ~std::uint64_t{0});
        minus_.assign(blocks_, 0);
        return true;
    }

    std::int64_t columns(std::size_t pattern_size, Tokens text) {
        std::int64_t distance = static_cast<std::int64_t>(pattern_size);
        const std::uint64_t last_row = std::uint64_t{1} << ((pattern_size - 1) % 64);
        for (std::size_t j = 0; j < text.size; ++j) {
            const std::int32_t slot = slot_[text.data[j]];
            const std::uint64_t *equal = slot < 0 ? absent_.data() : &masks_[slot * blocks_];
            std::uint64_t carry_plus = 1, carry_minus = 0;
            for (std::size_t k = 0; k < blocks_; ++k) {
                const std::uint64_t vp = plus_[k], vn = minus_[k];
                const std::uint64_t x = equal[k] | carry_minus;
                const std::uint64_t zero = (((x & vp) + vp) ^ vp) | x | vn;
                std::uint64_t hp = vn | ~(zero | vp);
                std::uint64_t hn = zero & vp;
                if (k + 1 == blocks_) {
                    distance += (hp & last_row) != 0;
                    distance -= (hn & last_row) != 0;
                }
                const std::uint64_t out_plus = hp >> 63, out_minus = hn >> 63;
                hp = (hp << 1) | carry_plus;
                hn = (hn << 1) | carry_minus;
                carry_plus = out_plus, carry_minus = out_minus;
                plus_[k] = hn | ~(zero | hp);
                minus_[k] = hp & zero;
            }
        }
        return distance;
    }

    std::vector<std::int32_t> slot_;
    std::size_t blocks_ = 0;
    std::vector<std::uint64_t> masks_, absent_, plus_, minus_;
};

}  // namespace karat

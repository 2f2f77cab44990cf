// Longest common subsequences of integer sequences: lengths, and the unions over
// sentences that summary-level ROUGE-L and ROUGE-W count (Lin 2004).
//
// Rows are computed 64 cells at a time (Crochemore et al. 2001, Hyyro 2004): a
// row is the bit set of the columns where the length grows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace karat {

inline int count_bits(std::uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_popcountll(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
#endif
}

struct Span {
    const std::int32_t *data;
    std::size_t size;
};

// The sentences of one text.
using Sentences = std::vector<Span>;

// One object per thread; tables are as large as the vocabulary and are reused.
class CommonSubsequence {
  public:
    explicit CommonSubsequence(std::size_t vocabulary) : slot_(vocabulary, -1) {}

    // The length of the longest common subsequence; -1 where more than `budget` rows are needed.
    std::int64_t length(Span a, Span b, double budget) {
        if (a.size == 0 || b.size == 0) return 0;
        const double size = static_cast<double>(b.size) / 64;
        if (static_cast<double>(a.size) * size > budget || static_cast<double>(b.size) * size > most_words) return -1;
        const Sentences gold{a};
        number(gold);
        place(b);
        rows_.assign(blocks_, ~std::uint64_t{0});
        for (std::size_t i = 0; i < a.size; ++i) next_row(slot_[a.data[i]], rows_.data(), rows_.data());
        std::int64_t zeros = 0;
        for (std::size_t j = 0; j < b.size; ++j) zeros += !(rows_[j / 64] >> (j % 64) & 1);
        unplace();
        clear(gold);
        return zeros;
    }

    struct Union {
        double hits, gold, system;
    };

    // The tokens of gold sentences that are in a common subsequence with some
    // sentence of the system, each as often as both texts have it. With a weight
    // runs count more than their tokens, and the gold size is weighted too.
    // How often a text has a token is counted in `all_system` and `all_gold`, which
    // a length limit may make other than the sentences. Nothing is done, and hits
    // are -1, where more than `budget` rows are needed.
    Union matched(const Sentences &system, const Sentences &gold, Span all_system, Span all_gold, double weight,
                  double budget) {
        Union result{0, 0, static_cast<double>(all_system.size)};
        for (const Span &sentence : gold) {
            const auto size = static_cast<double>(sentence.size);
            result.gold += weight > 0 ? std::pow(size, weight) : size;
        }
        number(gold);
        masks_.resize(gold.size());
        find_copies(system, gold);
        if (cost(gold, weight) > budget) {
            result.hits = -1;
        } else {
            for (const Span &sentence : distinct_) {
                if (weight > 0) {
                    weighted_union(sentence, gold, weight);
                } else {
                    plain_union(sentence, gold);
                }
            }
            result.hits = count(gold, all_system, all_gold, weight);
        }
        clear(gold);
        return result;
    }

  private:
    static constexpr double most_words = 1 << 27;  // a gigabyte in a table

    // Numbers the distinct tokens of the gold side; others have no number.
    void number(const Sentences &gold) {
        distinct_tokens_ = 0;
        for (const Span &sentence : gold) {
            for (std::size_t i = 0; i < sentence.size; ++i) {
                std::int32_t &slot = slot_[sentence.data[i]];
                if (slot < 0) slot = distinct_tokens_++;
            }
        }
        local_.assign(distinct_tokens_, -1);
    }

    void clear(const Sentences &gold) {
        for (const Span &sentence : gold) {
            for (std::size_t i = 0; i < sentence.size; ++i) slot_[sentence.data[i]] = -1;
        }
    }

    // The bit sets of places, in one sentence, of each numbered token that it has.
    void place(Span sentence) {
        blocks_ = (sentence.size + 63) / 64;
        places_.clear();
        for (std::size_t j = 0; j < sentence.size; ++j) {
            const std::int32_t slot = slot_[sentence.data[j]];
            if (slot < 0) continue;
            if (local_[slot] < 0) {
                local_[slot] = static_cast<std::int32_t>(placed_.size());
                placed_.push_back(slot);
                places_.resize(places_.size() + blocks_, 0);
            }
            places_[local_[slot] * blocks_ + j / 64] |= std::uint64_t{1} << (j % 64);
        }
    }

    void unplace() {
        for (const std::int32_t slot : placed_) local_[slot] = -1;
        placed_.clear();
    }

    void next_row(std::int32_t slot, const std::uint64_t *above, std::uint64_t *row) const {
        if (local_[slot] < 0) {
            if (row != above) std::memcpy(row, above, blocks_ * sizeof *row);
            return;
        }
        const std::uint64_t *match = &places_[local_[slot] * blocks_];
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < blocks_; ++k) {
            const std::uint64_t v = above[k], hit = v & match[k];
            const std::uint64_t partial = v + hit, sum = partial + carry;
            carry = (partial < v) | (sum < partial);
            row[k] = sum | (v & ~match[k]);
        }
    }

    static std::uint64_t hash(Span sentence) {
        std::uint64_t h = sentence.size;
        for (std::size_t i = 0; i < sentence.size; ++i) {
            h = (h ^ static_cast<std::uint32_t>(sentence.data[i])) * 0x9E3779B97F4A7C15u;
            h ^= h >> 32;
        }
        return h;
    }

    static bool same(Span a, Span b) {
        return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size * sizeof *a.data) == 0);
    }

    // The distinct sentences of the system, in order. A gold sentence that is
    // among them is matched as a whole and needs no table: -1 marks it.
    void find_copies(const Sentences &system, const Sentences &gold) {
        std::size_t capacity = 8;
        while (capacity < 2 * (system.size() + 1)) capacity *= 2;
        table_.assign(capacity, -1);
        distinct_.clear();
        for (const Span &sentence : system) {
            if (sentence.size == 0) continue;
            std::int32_t &entry = seek(sentence);
            if (entry >= 0) continue;
            entry = static_cast<std::int32_t>(distinct_.size());
            distinct_.push_back(sentence);
        }
        whole_.assign(gold.size(), 0);
        for (std::size_t g = 0; g < gold.size(); ++g) {
            whole_[g] = gold[g].size > 0 && seek(gold[g]) >= 0;
            masks_[g].assign(gold[g].size, whole_[g]);
        }
    }

    std::int32_t &seek(Span sentence) {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t i = hash(sentence) & mask;; i = (i + 1) & mask) {
            if (table_[i] < 0 || same(distinct_[table_[i]], sentence)) return table_[i];
        }
    }

    // The rows of 64 cells (of one cell, where weighted) that all tables have, or
    // infinity where one table is too large to keep.
    double cost(const Sentences &gold, double weight) const {
        double rows = 0, columns = 0, longest = 0, widest = 0;
        for (std::size_t g = 0; g < gold.size(); ++g) {
            const double size = whole_[g] ? 0 : static_cast<double>(gold[g].size);
            rows += size;
            longest = std::max(longest, size);
        }
        for (const Span &sentence : distinct_) {
            const auto size = static_cast<double>(sentence.size);
            columns += weight > 0 ? size : std::ceil(size / 64);
            widest = std::max(widest, size);
        }
        const bool too_large = std::max(longest, weight > 0 ? 0 : widest) * widest / 64 > most_words;
        return rows > 0 && too_large ? HUGE_VAL : rows * columns;
    }

    void plain_union(Span system, const Sentences &gold) {
        place(system);
        for (std::size_t g = 0; g < gold.size(); ++g) {
            if (whole_[g] || gold[g].size == 0) continue;
            const Span r = gold[g];
            rows_.resize((r.size + 1) * blocks_);
            for (std::size_t k = 0; k < blocks_; ++k) rows_[k] = ~std::uint64_t{0};
            for (std::size_t i = 0; i < r.size; ++i) {
                next_row(slot_[r.data[i]], &rows_[i * blocks_], &rows_[(i + 1) * blocks_]);
            }
            trace(r, system.size, masks_[g]);
        }
        unplace();
    }

    std::int64_t cell(std::size_t i, std::size_t j) const {
        const std::uint64_t *row = &rows_[i * blocks_];
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < j / 64; ++k) sum += count_bits(~row[k]);
        if (j % 64) sum += count_bits(~row[j / 64] & ((std::uint64_t{1} << (j % 64)) - 1));
        return sum;
    }

    bool grows(std::size_t i, std::size_t j) const { return !(rows_[i * blocks_ + j / 64] >> (j % 64) & 1); }

    // From the last cell back: a match is taken; else up, where that loses nothing; else left.
    void trace(Span r, std::size_t columns, std::vector<char> &mask) const {
        std::size_t i = r.size, j = columns;
        std::int64_t here = cell(i, j), above = cell(i - 1, j);
        while (here > 0) {
            const std::int32_t local = local_[slot_[r.data[i - 1]]];
            if (local >= 0 && places_[local * blocks_ + (j - 1) / 64] >> ((j - 1) % 64) & 1) {
                mask[--i] = 1;
                --j;
                --here;
                above = here > 0 ? cell(i - 1, j) : 0;
            } else if (above == here) {
                --i;
                above = cell(i - 1, j);
            } else {
                --j;
                here -= grows(i, j);
                above -= grows(i - 1, j);
            }
        }
    }

    void weighted_union(Span system, const Sentences &gold, double weight) {
        const std::size_t n = system.size;
        for (std::size_t g = 0; g < gold.size(); ++g) {
            if (whole_[g] || gold[g].size == 0) continue;
            const Span r = gold[g];
            powers(std::min(r.size, n) + 1, weight);
            up_.assign(r.size * n, false);
            score_.assign(n + 1, 0.0);
            run_.assign(n + 1, 0);
            for (std::size_t i = 0; i < r.size; ++i) {
                double diagonal = 0;
                std::size_t run = 0;
                for (std::size_t j = 1; j <= n; ++j) {
                    const double above = score_[j];
                    const std::size_t run_above = run_[j];
                    if (r.data[i] == system.data[j - 1]) {
                        score_[j] = diagonal + power_[run + 1] - power_[run];
                        run_[j] = run + 1;
                    } else {
                        up_[i * n + j - 1] = above >= score_[j - 1];
                        if (!up_[i * n + j - 1]) score_[j] = score_[j - 1];
                        run_[j] = 0;
                    }
                    diagonal = above;
                    run = run_above;
                }
            }
            for (std::size_t i = r.size, j = n; i > 0 && j > 0;) {
                if (r.data[i - 1] == system.data[j - 1]) {
                    masks_[g][--i] = 1;
                    --j;
                } else if (up_[(i - 1) * n + j - 1]) {
                    --i;
                } else {
                    --j;
                }
            }
        }
    }

    void powers(std::size_t most, double weight) {
        if (weight != power_weight_) power_.clear();
        power_weight_ = weight;
        for (std::size_t k = power_.size(); k <= most; ++k) power_.push_back(std::pow(static_cast<double>(k), weight));
    }

    // What the masks give when no token counts more often than either text has it.
    double count(const Sentences &gold, Span all_system, Span all_gold, double weight) {
        tally(all_gold, left_gold_);
        tally(all_system, left_system_);
        double hits = 0;
        for (std::size_t g = 0; g < gold.size(); ++g) {
            const std::vector<char> &mask = masks_[g];
            std::size_t run = 0;
            for (std::size_t i = 0; i < gold[g].size; ++i) {
                const std::int32_t slot = slot_[gold[g].data[i]];
                if (!mask[i] || left_gold_[slot] <= 0 || left_system_[slot] <= 0) continue;
                --left_gold_[slot];
                --left_system_[slot];
                if (weight > 0) {
                    // A run ends before a token without mask or with the sentence; a masked
                    // token that may not count any more neither extends nor ends it.
                    ++run;
                    if (i + 1 == gold[g].size || !mask[i + 1]) {
                        hits += std::pow(static_cast<double>(run), weight);
                        run = 0;
                    }
                } else {
                    hits += 1;
                }
            }
        }
        return hits;
    }

    void tally(Span text, std::vector<std::int64_t> &counts) const {
        counts.assign(distinct_tokens_, 0);
        for (std::size_t i = 0; i < text.size; ++i) {
            const std::int32_t slot = slot_[text.data[i]];
            if (slot >= 0) ++counts[slot];
        }
    }

    std::vector<std::int32_t> slot_, local_, placed_, table_;
    std::int32_t distinct_tokens_ = 0;
    std::size_t blocks_ = 0;
    std::vector<std::uint64_t> places_, rows_;
    Sentences distinct_;
    std::vector<char> whole_;
    std::vector<bool> up_;
    std::vector<std::vector<char>> masks_;
    std::vector<double> score_, power_;
    double power_weight_ = 0;
    std::vector<std::size_t> run_;
    std::vector<std::int64_t> left_gold_, left_system_;
};

}  // namespace karat

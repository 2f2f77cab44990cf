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

#include "karat/names.hpp"

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
        if (static_cast<double>(a.size) * (static_cast<double>(b.size) / 64) > budget) return -1;
        if (same(a, b)) return static_cast<std::int64_t>(a.size);
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
        if (!(weight > 0) && system.size() == 1 && gold.size() == 1 && same(system[0], all_system) &&
            same(gold[0], all_gold)) {
            // One sentence on either side: what they share is one subsequence, of which the length is enough.
            const bool copies = same(system[0], gold[0]);
            const double rows = static_cast<double>(gold[0].size) * width(system[0], weight);
            if (copies) result.hits = static_cast<double>(gold[0].size);
            else result.hits = rows > budget ? -1 : static_cast<double>(length(gold[0], system[0], budget));
            return result;
        }
        number(gold);
        masks_.resize(gold.size());
        find_copies(system, gold);
        const bool found = gold.size() * distinct_.size() > many_pairs ? some_pairs(gold, weight, budget)
                                                                       : all_pairs(gold, weight, budget);
        result.hits = found ? count(gold, all_system, all_gold, weight) : -1;
        clear(gold);
        return result;
    }

  private:
    static constexpr double most_words = 1 << 27;            // a gigabyte in a table
    static constexpr std::size_t many_pairs = 1 << 16;       // of sentences: look for those that matter
    static constexpr std::size_t most_dense = 1 << 16;       // words of bit sets that are kept whole
    static constexpr std::size_t most_kept_rows = 1 << 22;   // words of table rows that are all kept

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

    // The bit sets of places, in one sentence, of each numbered token that it has. In long
    // sentences, where most words of most sets would be 0, only the others are kept.
    void place(Span sentence) {
        blocks_ = (sentence.size + 63) / 64;
        places_.clear();
        for (std::size_t j = 0; j < sentence.size; ++j) {
            const std::int32_t slot = slot_[sentence.data[j]];
            if (slot < 0 || local_[slot] >= 0) continue;
            local_[slot] = static_cast<std::int32_t>(placed_.size());
            placed_.push_back(slot);
        }
        sparse_ = placed_.size() * blocks_ > most_dense;
        if (sparse_) {
            place_sparsely(sentence);
            return;
        }
        places_.assign(placed_.size() * blocks_, 0);
        for (std::size_t j = 0; j < sentence.size; ++j) {
            const std::int32_t slot = slot_[sentence.data[j]];
            if (slot >= 0) places_[local_[slot] * blocks_ + j / 64] |= std::uint64_t{1} << (j % 64);
        }
    }

    void place_sparsely(Span sentence) {
        first_.assign(placed_.size() + 1, 0);
        std::vector<std::size_t> last(placed_.size(), ~std::size_t{0});
        const auto each = [&](auto &&take) {
            std::fill(last.begin(), last.end(), ~std::size_t{0});
            for (std::size_t j = 0; j < sentence.size; ++j) {
                const std::int32_t slot = slot_[sentence.data[j]];
                if (slot >= 0) take(static_cast<std::size_t>(local_[slot]), j);
            }
        };
        each([&](std::size_t local, std::size_t j) {
            first_[local + 1] += last[local] != j / 64;
            last[local] = j / 64;
        });
        for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
        words_.resize(first_.back());
        std::vector<std::size_t> end(first_.begin(), first_.end() - 1);
        each([&](std::size_t local, std::size_t j) {
            if (last[local] != j / 64) words_[end[local]++] = {j / 64, 0};
            last[local] = j / 64;
            words_[end[local] - 1].bits |= std::uint64_t{1} << (j % 64);
        });
    }

    void unplace() {
        for (const std::int32_t slot : placed_) local_[slot] = -1;
        placed_.clear();
    }

    // One word of the next row; the carry goes on to the word to the right.
    static std::uint64_t next_word(std::uint64_t above, std::uint64_t match, std::uint64_t &carry) {
        const std::uint64_t partial = above + (above & match), sum = partial + carry;
        carry = (partial < above) | (sum < partial);
        return sum | (above & ~match);
    }

    void next_row(std::int32_t slot, const std::uint64_t *above, std::uint64_t *row) const {
        if (local_[slot] < 0 || sparse_) {
            if (row != above) std::memcpy(row, above, blocks_ * sizeof *row);
            if (local_[slot] >= 0) next_row_in_place(slot, row);
            return;
        }
        const std::uint64_t *match = &places_[local_[slot] * blocks_];
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < blocks_; ++k) row[k] = next_word(above[k], match[k], carry);
    }

    // Words without match and without carry stay as they are.
    void next_row_in_place(std::int32_t slot, std::uint64_t *row) const {
        std::size_t k = 0;
        std::uint64_t carry = 0;
        const Word *word = &words_[first_[local_[slot]]];
        if (first_[local_[slot] + 1] - first_[local_[slot]] == blocks_) {
            for (; k < blocks_; ++k) row[k] = next_word(row[k], word[k].bits, carry);
            return;
        }
        for (std::size_t w = first_[local_[slot]]; w < first_[local_[slot] + 1]; ++w) {
            for (; carry && k < words_[w].block; ++k) row[k] = next_word(row[k], 0, carry);
            k = words_[w].block;
            row[k] = next_word(row[k], words_[w].bits, carry);
            ++k;
        }
        for (; carry && k < blocks_; ++k) row[k] = next_word(row[k], 0, carry);
    }

    static std::uint64_t hash(Span sentence) {
        std::uint64_t h = kHashSeed ^ sentence.size;
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

    // The union over all pairs of sentences; false where that takes more than `budget` rows
    // of 64 cells (of one cell, where weighted).
    bool all_pairs(const Sentences &gold, double weight, double budget) {
        double rows = 0;
        for (std::size_t g = 0; g < gold.size(); ++g) rows += whole_[g] ? 0 : static_cast<double>(gold[g].size);
        double columns = 0;
        for (const Span &sentence : distinct_) columns += width(sentence, weight);
        if (rows * columns > budget) return false;
        for (const Span &sentence : distinct_) {
            if (!(weight > 0)) place(sentence);
            for (std::size_t g = 0; g < gold.size(); ++g) {
                if (whole_[g] || gold[g].size == 0) continue;
                if (!add_pair(sentence, gold[g], weight, masks_[g])) return false;
            }
            if (!(weight > 0)) unplace();
        }
        return true;
    }

    // The same union from few pairs: a token can only be in a common subsequence with a
    // sentence that has it, so that, rare tokens first, sentences are taken until no token is
    // left that another sentence could add.
    bool some_pairs(const Sentences &gold, double weight, double budget) {
        index_sentences();
        std::vector<std::size_t> visitor(distinct_.size(), 0);
        std::vector<std::int32_t> slots;
        double work = 0;
        for (std::size_t g = 0; g < gold.size(); ++g) {
            if (whole_[g] || gold[g].size == 0) continue;
            const Span r = gold[g];
            std::vector<char> &mask = masks_[g];
            slots.clear();
            for (std::size_t i = 0; i < r.size; ++i) slots.push_back(slot_[r.data[i]]);
            std::sort(slots.begin(), slots.end(), [&](std::int32_t a, std::int32_t b) {
                const std::size_t x = having_first_[a + 1] - having_first_[a],
                                  y = having_first_[b + 1] - having_first_[b];
                return x != y ? x < y : a < b;
            });
            slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
            for (const std::int32_t slot : slots) {
                for (std::size_t h = having_first_[slot]; h < having_first_[slot + 1]; ++h) {
                    const Span &sentence = distinct_[having_[h]];
                    if (visitor[having_[h]] == g + 1) continue;
                    if (!left_open(r, slot, mask)) break;
                    visitor[having_[h]] = g + 1;
                    work += static_cast<double>(r.size) * width(sentence, weight) + static_cast<double>(sentence.size);
                    if (work > budget) return false;
                    if (!(weight > 0)) place(sentence);
                    const bool fits = add_pair(sentence, r, weight, mask);
                    if (!(weight > 0)) unplace();
                    if (!fits) return false;
                }
            }
        }
        return true;
    }

    bool left_open(Span r, std::int32_t slot, const std::vector<char> &mask) const {
        for (std::size_t i = 0; i < r.size; ++i) {
            if (!mask[i] && slot_[r.data[i]] == slot) return true;
        }
        return false;
    }

    // Which of the distinct sentences have each numbered token.
    void index_sentences() {
        having_first_.assign(distinct_tokens_ + 1, 0);
        std::vector<std::int32_t> last(distinct_tokens_);
        const auto each = [&](auto &&take) {
            std::fill(last.begin(), last.end(), -1);
            for (std::size_t d = 0; d < distinct_.size(); ++d) {
                for (std::size_t i = 0; i < distinct_[d].size; ++i) {
                    const std::int32_t slot = slot_[distinct_[d].data[i]];
                    if (slot < 0 || last[slot] == static_cast<std::int32_t>(d)) continue;
                    last[slot] = static_cast<std::int32_t>(d);
                    take(slot, d);
                }
            }
        };
        each([&](std::int32_t slot, std::size_t) { ++having_first_[slot + 1]; });
        for (std::size_t k = 1; k < having_first_.size(); ++k) having_first_[k] += having_first_[k - 1];
        having_.resize(having_first_.back());
        std::vector<std::size_t> end(having_first_.begin(), having_first_.end() - 1);
        each([&](std::int32_t slot, std::size_t d) { having_[end[slot]++] = static_cast<std::int32_t>(d); });
    }

    static double width(Span sentence, double weight) {
        const auto size = static_cast<double>(sentence.size);
        return weight > 0 ? size : std::ceil(size / 64);
    }

    // Adds what one pair of sentences has in common; false where its table is too large.
    // The system's sentence is placed, where nothing is weighted.
    bool add_pair(Span system, Span r, double weight, std::vector<char> &mask) {
        const double cells = static_cast<double>(r.size) * static_cast<double>(system.size);
        if (weight > 0) {
            if (cells / 64 > most_words) return false;
            weighted_pair(system, r, weight, mask);
            return true;
        }
        // Where all rows would not fit, every so many are kept, and those between are
        // computed a second time on the way back.
        const bool all = (r.size + 1) * blocks_ <= most_kept_rows;
        step_ = all ? r.size : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(r.size))));
        if (static_cast<double>(step_ + 1) * static_cast<double>(blocks_) > most_words) return false;
        kept_.resize((r.size / step_ + 1) * blocks_);
        std::fill_n(kept_.begin(), blocks_, ~std::uint64_t{0});
        rows_.resize((step_ + 1) * blocks_);
        for (std::size_t segment = 0; segment * step_ < r.size; ++segment) {
            compute(r, segment);
            const std::size_t next = segment + 1;
            if (next * step_ < r.size) {
                std::copy_n(rows_.begin() + step_ * blocks_, blocks_, kept_.begin() + next * blocks_);
            }
        }
        trace(system, r, mask);
        return true;
    }

    // The rows of a segment, from the one that was kept before it.
    void compute(Span r, std::size_t segment) {
        base_ = segment * step_;
        std::copy_n(kept_.begin() + segment * blocks_, blocks_, rows_.begin());
        for (std::size_t i = base_; i < std::min(r.size, base_ + step_); ++i) {
            next_row(slot_[r.data[i]], &rows_[(i - base_) * blocks_], &rows_[(i - base_ + 1) * blocks_]);
        }
    }

    std::int64_t cell(std::size_t i, std::size_t j) const {
        const std::uint64_t *row = &rows_[(i - base_) * blocks_];
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < j / 64; ++k) sum += count_bits(~row[k]);
        if (j % 64) sum += count_bits(~row[j / 64] & ((std::uint64_t{1} << (j % 64)) - 1));
        return sum;
    }

    bool grows(std::size_t i, std::size_t j) const {
        return !(rows_[(i - base_) * blocks_ + j / 64] >> (j % 64) & 1);
    }

    // The length in the row above `i`, which may be in the segment before.
    std::int64_t cell_above(Span r, std::size_t i, std::size_t j) {
        if (i == base_) compute(r, base_ / step_ - 1);
        return cell(i - 1, j);
    }

    // From the last cell back: a match is taken; else up, where that loses nothing; else left.
    void trace(Span system, Span r, std::vector<char> &mask) {
        std::size_t i = r.size, j = system.size;
        std::int64_t here = cell(i, j), above = cell_above(r, i, j);
        while (here > 0) {
            if (r.data[i - 1] == system.data[j - 1]) {
                mask[--i] = 1;
                --j;
                --here;
                above = here > 0 ? cell_above(r, i, j) : 0;
            } else if (above == here) {
                --i;
                above = cell_above(r, i, j);
            } else {
                --j;
                here -= grows(i, j);
                above -= grows(i - 1, j);
            }
        }
    }

    void weighted_pair(Span system, Span r, double weight, std::vector<char> &mask) {
        const std::size_t n = system.size;
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
                mask[--i] = 1;
                --j;
            } else if (up_[(i - 1) * n + j - 1]) {
                --i;
            } else {
                --j;
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
    std::vector<std::uint64_t> places_, rows_, kept_;
    bool sparse_ = false;
    struct Word {
        std::size_t block;
        std::uint64_t bits;
    };
    std::vector<Word> words_;
    std::vector<std::size_t> first_, having_first_;
    std::vector<std::int32_t> having_;
    std::size_t step_ = 0, base_ = 0;
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

// Edits with shifts of phrases from one integer sequence to another, by the
// greedy search of Tercom (Snover et al. 2006) with the limits that sacreBLEU has:
// the edit distance is computed in a band around the diagonal, and at most 1000
// shifts are tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace karat {

struct Words {
    const std::int32_t *data;
    std::ptrdiff_t size;
};

// One object per thread; its tables are reused.
class TranslationEdits {
  public:
    std::int64_t operator()(Words system, Words gold) {
        moves_.clear();
        if (gold.size == 0) {
            trace_.assign(static_cast<std::size_t>(system.size), deletion);
            return system.size;
        }
        gold_ = gold;
        words_.assign(system.data, system.data + system.size);
        set_band();
        rows_.resize(static_cast<std::size_t>((size() + 1) * width()));
        operations_.resize(rows_.size());
        for (std::ptrdiff_t j = 0; j <= gold_.size; ++j) {
            cell(0, j) = static_cast<std::int32_t>(j);
            operations_[static_cast<std::size_t>(j)] = insertion;
        }
        std::int64_t shifts = 0;
        int tried = 0;
        for (;;) {
            fill_table();
            const bool better = find_shift(tried);
            if (tried >= most_tried || !better) break;
            ++shifts;
            moves_.push_back(best_move_);
            words_ = best_words_;
        }
        return shifts + cell(size(), gold_.size);
    }

    // So many words from `start` on are taken to `target`, a place before the shift; inside the
    // phrase, it moves on by as many words.
    struct Move {
        std::ptrdiff_t start, length, target;
    };

    // The shifts of the last pair, in order.
    const std::vector<Move> &moves() const { return moves_; }

    // What is done to the words of the last pair after all shifts, from first to last: `=` keeps a word,
    // `s` substitutes it, `d` deletes it, `i` inserts a gold word.
    std::string steps() const {
        std::string result;
        for (auto how = trace_.rbegin(); how != trace_.rend(); ++how) result += "?=sid"[static_cast<int>(*how)];
        return result;
    }

  private:
    static constexpr std::ptrdiff_t longest_shift = 10, farthest_shift = 50;
    static constexpr int most_tried = 1000;
    static constexpr double beam = 25;
    static constexpr std::int32_t unreached = 1 << 29;
    enum Operation : char { unset, match, substitution, insertion, deletion };

    std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(words_.size()); }
    std::ptrdiff_t width() const { return gold_.size + 1; }
    std::int32_t &cell(std::ptrdiff_t i, std::ptrdiff_t j) { return rows_[static_cast<std::size_t>(i * width() + j)]; }

    // The columns of each row that are computed. The last row is computed to its end.
    void set_band() {
        const std::ptrdiff_t n = size();
        const double ratio = n > 0 ? static_cast<double>(gold_.size) / static_cast<double>(n) : 1;
        const auto half = static_cast<std::ptrdiff_t>(beam < ratio / 2 ? std::ceil(ratio / 2 + beam) : beam);
        first_.assign(static_cast<std::size_t>(n) + 1, 0);
        last_.assign(static_cast<std::size_t>(n) + 1, width());
        for (std::ptrdiff_t i = 1; i <= n; ++i) {
            const auto diagonal = static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(i) * ratio));
            first_[i] = std::max<std::ptrdiff_t>(0, diagonal - half);
            last_[i] = i == n ? width() : std::min(width(), diagonal + half);
        }
    }

    // Distances and operations of the present words; ties go to match or
    // substitution, then deletion, then insertion.
    void fill_table() {
        for (std::ptrdiff_t i = 1; i <= size(); ++i) {
            std::int32_t *row = &cell(i, 0);
            const std::int32_t *above = row - width();
            char *operation = &operations_[static_cast<std::size_t>(i * width())];
            std::fill(row, row + width(), unreached);
            std::fill(operation, operation + width(), static_cast<char>(unset));
            const std::int32_t word = words_[i - 1];
            for (std::ptrdiff_t j = first_[i]; j < last_[i]; ++j) {
                if (j == 0) {
                    row[0] = above[0] + 1;
                    operation[0] = deletion;
                    continue;
                }
                const bool equal = word == gold_.data[j - 1];
                std::int32_t best = unreached;
                char how = unset;
                if (above[j - 1] + !equal < best) best = above[j - 1] + !equal, how = equal ? match : substitution;
                if (above[j] + 1 < best) best = above[j] + 1, how = deletion;
                if (row[j - 1] + 1 < best) best = row[j - 1] + 1, how = insertion;
                row[j] = best;
                operation[j] = how;
            }
        }
    }

    // The distance of words that agree with the present ones before `from`.
    std::int32_t distance(const std::vector<std::int32_t> &words, std::ptrdiff_t from) {
        above_.assign(&cell(from, 0), &cell(from, 0) + width());
        below_.resize(static_cast<std::size_t>(width()));
        for (std::ptrdiff_t i = from + 1; i <= size(); ++i) {
            const std::int32_t word = words[i - 1];
            std::ptrdiff_t j = first_[i];
            const std::ptrdiff_t end = last_[i];
            std::int32_t left = unreached;
            if (j == 0) {
                left = below_[0] = above_[0] + 1;
                ++j;
            } else {
                below_[j - 1] = unreached;
            }
            for (; j < end; ++j) {
                const std::int32_t diagonal = above_[j - 1] + (word != gold_.data[j - 1]);
                left = std::min(std::min(diagonal, above_[j] + 1), left + 1);
                left = std::min(left, unreached);
                below_[j] = left;
            }
            // The next row reads up to its own end, which lies further right.
            const std::ptrdiff_t next_end = i < size() ? last_[i + 1] : end;
            for (; j < next_end; ++j) below_[j] = unreached;
            above_.swap(below_);
        }
        return above_[static_cast<std::size_t>(gold_.size)];
    }

    // Where each gold word is aligned, and how many errors each prefix of both sides has.
    void align() {
        trace_.clear();
        for (std::ptrdiff_t i = size(), j = gold_.size; i > 0 || j > 0;) {
            const char how = operations_[static_cast<std::size_t>(i * width() + j)];
            if (how == unset) throw std::logic_error("the band of the edit distance has a gap");
            trace_.push_back(how);
            if (how != insertion) --i;
            if (how != deletion) --j;
        }
        aligned_.clear();
        gold_errors_.assign(1, 0);
        system_errors_.assign(1, 0);
        std::ptrdiff_t place = -1;
        for (auto how = trace_.rbegin(); how != trace_.rend(); ++how) {
            if (*how != insertion) {
                ++place;
                system_errors_.push_back(system_errors_.back() + (*how != match));
            }
            if (*how != deletion) {
                aligned_.push_back(place);
                gold_errors_.push_back(gold_errors_.back() + (*how != match));
            }
        }
    }

    // Tries shifts of phrases that the gold has elsewhere; whether one is better.
    // Ranked by gain, then length, then the earliest phrase, then the earliest place.
    bool find_shift(int &tried) {
        align();
        const std::int32_t before = cell(size(), gold_.size);
        std::tuple<std::int32_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t> best;
        bool found = false;
        for (std::ptrdiff_t h = 0; h < size(); ++h) {
            const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, h - farthest_shift);
            const std::ptrdiff_t end = std::min(gold_.size, h + farthest_shift + 1);
            for (std::ptrdiff_t r = begin; r < end; ++r) {
                const std::ptrdiff_t most = std::min({longest_shift, size() - h, gold_.size - r});
                for (std::ptrdiff_t length = 1; length <= most; ++length) {
                    if (words_[h + length - 1] != gold_.data[r + length - 1]) break;
                    if (!worth_trying(h, r, length)) continue;
                    try_places(h, r, length, before, best, found, tried);
                    if (tried >= most_tried) return found && std::get<0>(best) > 0;
                }
            }
        }
        return found && std::get<0>(best) > 0;
    }

    // Only where both sides have an error there, and not into the phrase itself.
    bool worth_trying(std::ptrdiff_t h, std::ptrdiff_t r, std::ptrdiff_t length) const {
        return system_errors_[h + length] != system_errors_[h] && gold_errors_[r + length] != gold_errors_[r] &&
               !(h <= aligned_[r] && aligned_[r] < h + length);
    }

    template <class Rank>
    void try_places(std::ptrdiff_t h, std::ptrdiff_t r, std::ptrdiff_t length, std::int32_t before, Rank &best,
                    bool &found, int &tried) {
        std::ptrdiff_t previous = -1;
        for (std::ptrdiff_t offset = -1; offset < length; ++offset) {
            const std::ptrdiff_t target = r + offset == -1 ? 0 : aligned_[r + offset] + 1;
            if (target == previous) continue;
            previous = target;
            shift(h, length, target);
            const Rank rank{before - distance(shifted_, std::min(h, target)), length, -h, -target};
            ++tried;
            if (!found || rank > best) {
                best = rank;
                found = true;
                best_words_ = shifted_;
                best_move_ = {h, length, target};
            }
        }
    }

    void shift(std::ptrdiff_t start, std::ptrdiff_t length, std::ptrdiff_t target) {
        shifted_ = words_;
        const auto begin = shifted_.begin();
        if (target < start) {
            std::rotate(begin + target, begin + start, begin + start + length);
        } else {
            // A target inside the phrase moves it on by as many words.
            const std::ptrdiff_t end = target > start + length ? target : std::min(length + target, size());
            std::rotate(begin + start, begin + start + length, begin + end);
        }
    }

    Words gold_{nullptr, 0};
    std::vector<std::int32_t> words_, shifted_, best_words_, rows_, above_, below_;
    std::vector<std::ptrdiff_t> first_, last_, aligned_;
    std::vector<int> gold_errors_, system_errors_;
    std::vector<char> operations_, trace_;
    std::vector<Move> moves_;
    Move best_move_{0, 0, 0};
};

}  // namespace karat

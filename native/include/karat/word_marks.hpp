// Which words of two texts differ, for people to look at: missing, surplus, changed, moved.
//
// Words are compared as they are written. Of all alignments with the fewest edits, the one is taken
// that, from the end, drops a word of gold where it can, then takes a new one of the system's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "karat/json_text.hpp"
#include "karat/names.hpp"
#include "karat/strings.hpp"

namespace karat {

// The words of a text, where they stand in units of UTF-16, and their numbers.
struct MarkedWords {
    std::vector<std::int32_t> names;
    std::vector<std::int64_t> begin, end;
    std::int64_t size = 0;

    void clear() { names.clear(), begin.clear(), end.clear(), size = 0; }
    std::size_t count() const { return names.size(); }
};

// Finds words with their apostrophes and hyphens, single characters of scripts without blanks, and
// other marks. `is_word` says of each character beyond ASCII whether it may be part of a word.
class WordFinder {
  public:
    explicit WordFinder(const std::uint8_t *is_word) : is_word_(is_word) {}

    void read(std::string_view text, Names &names, MarkedWords &words) {
        words.clear();
        const char *at = text.data(), *const end = at + text.size();
        std::int64_t unit = 0;
        while (at < end) {
            const Character first = next(at, end);
            const char *const begin = at;
            const std::int64_t begin_unit = unit;
            at += first.size, unit += first.units;
            if (is_unspaced(first.code)) {
            } else if (is_word(first.code)) {
                run(at, end, unit, [&](std::uint32_t c) { return is_word(c) && !is_unspaced(c); });
                // Apostrophes and hyphens join what follows them, which may not begin with _.
                while (at < end) {
                    const Character joint = next(at, end);
                    if (joint.code != '\'' && joint.code != '-' && joint.code != 0x2019) break;
                    const char *after = at + joint.size;
                    std::int64_t after_unit = unit + joint.units;
                    const char *const rest = after;
                    run(after, end, after_unit, [&](std::uint32_t c) { return is_word(c) && c != '_'; });
                    if (after == rest) break;
                    at = after, unit = after_unit;
                }
            } else if (is_space(first.code)) {
                continue;
            }
            words.names.push_back(names({begin, static_cast<std::size_t>(at - begin)}));
            words.begin.push_back(begin_unit);
            words.end.push_back(unit);
        }
        words.size = unit;
    }

  private:
    struct Character {
        std::uint32_t code;
        int size, units;
    };

    static Character next(const char *at, const char *end) {
        const auto first = static_cast<unsigned char>(*at);
        if (first < 0x80) return {first, 1, 1};
        const int more = std::min<std::ptrdiff_t>(first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1, end - at - 1);
        std::uint32_t code = first & (0x3Fu >> more);
        for (int i = 1; i <= more; ++i) code = code << 6 | (static_cast<unsigned char>(at[i]) & 0x3Fu);
        return {code, more + 1, code > 0xFFFF ? 2 : 1};
    }

    template <class Wanted>
    static void run(const char *&at, const char *end, std::int64_t &unit, Wanted wanted) {
        while (at < end) {
            const Character character = next(at, end);
            if (!wanted(character.code)) return;
            at += character.size, unit += character.units;
        }
    }

    bool is_word(std::uint32_t c) const {
        if (c < 0x80) return is_ascii_word[c];
        return is_word_ != nullptr && c < 0x110000 && is_word_[c] == 1;
    }

    static constexpr auto is_ascii_word = [] {
        std::array<bool, 0x80> table{};
        for (std::size_t c = '0'; c <= '9'; ++c) table[c] = true;
        for (std::size_t c = 'A'; c <= 'Z'; ++c) table[c] = table[c - 'A' + 'a'] = true;
        table['_'] = true;
        return table;
    }();

    static bool is_unspaced(std::uint32_t c) {
        return c >= 0x3040 && (c <= 0x30FF || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF));
    }

    const std::uint8_t *is_word_;
};

// Alignments of two sequences with the fewest edits (Hyyrö 2003, with the columns kept to find the
// way back). One object for many pairs: what it allocates is used again.
class WordAligner {
  public:
    struct Step {
        std::int64_t gold_begin, gold_end, system_begin, system_end;
    };

    // The stretches that differ, in order.
    const std::vector<Step> &operator()(const std::vector<std::int32_t> &gold, const std::vector<std::int32_t> &system) {
        steps_.clear();
        std::size_t first = 0, n = gold.size(), m = system.size();
        while (first < n && first < m && gold[first] == system[first]) ++first;
        while (n > first && m > first && gold[n - 1] == system[m - 1]) --n, --m;
        n -= first, m -= first;
        if (n && m) fill(gold.data() + first, n, system.data() + first, m);
        trace(gold.data() + first, n, system.data() + first, m);
        join(static_cast<std::int64_t>(first));
        return steps_;
    }

    // How many edits there are at least.
    std::int64_t distance(const std::vector<std::int32_t> &gold, const std::vector<std::int32_t> &system) {
        (*this)(gold, system);
        return edits_;
    }

  private:
    void fill(const std::int32_t *gold, std::size_t n, const std::int32_t *system, std::size_t m) {
        blocks_ = (n + 63) / 64;
        std::size_t size = 16;
        for (shift_ = 60; size < 2 * n; size *= 2) --shift_;
        slots_.assign(size, {0, none});
        masks_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            Slot &slot = slot_of(gold[i]);
            if (slot.mask == none) {
                slot = {gold[i], masks_.size()};
                masks_.resize(masks_.size() + blocks_, 0);
            }
            masks_[slot.mask + i / 64] |= std::uint64_t{1} << (i % 64);
        }
        absent_.assign(blocks_, 0);
        plus_.assign((m + 1) * blocks_, ~std::uint64_t{0});
        minus_.assign((m + 1) * blocks_, 0);
        for (std::size_t j = 0; j < m; ++j) {
            const Slot &found = slot_of(system[j]);
            const std::uint64_t *equal = found.mask == none ? absent_.data() : &masks_[found.mask];
            std::uint64_t carry_plus = 1, carry_minus = 0;
            for (std::size_t k = 0; k < blocks_; ++k) {
                const std::uint64_t vp = plus_[j * blocks_ + k], vn = minus_[j * blocks_ + k];
                const std::uint64_t x = equal[k] | carry_minus;
                const std::uint64_t zero = (((x & vp) + vp) ^ vp) | x | vn;
                std::uint64_t hp = vn | ~(zero | vp), hn = zero & vp;
                const std::uint64_t out_plus = hp >> 63, out_minus = hn >> 63;
                hp = (hp << 1) | carry_plus;
                hn = (hn << 1) | carry_minus;
                carry_plus = out_plus, carry_minus = out_minus;
                plus_[(j + 1) * blocks_ + k] = hn | ~(zero | hp);
                minus_[(j + 1) * blocks_ + k] = hp & zero;
            }
        }
    }

    // The places of a word in gold.
    struct Slot {
        std::int32_t word;
        std::size_t mask;
    };

    Slot &slot_of(std::int32_t word) {
        std::size_t at = static_cast<std::uint32_t>(word) * 0x9e3779b97f4a7c15u >> shift_;
        while (slots_[at].mask != none && slots_[at].word != word) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }

    bool bit(const std::vector<std::uint64_t> &columns, std::size_t j, std::size_t i) const {
        return columns[j * blocks_ + i / 64] >> (i % 64) & 1;
    }

    // Single edits, from the last to the first.
    void trace(const std::int32_t *gold, std::size_t n, const std::int32_t *system, std::size_t m) {
        edits_ = 0;
        const auto add = [&](std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_end) {
            steps_.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i_end),
                              static_cast<std::int64_t>(j), static_cast<std::int64_t>(j_end)});
            ++edits_;
        };
        while (n && m) {
            if (bit(plus_, m, n - 1)) {
                add(n - 1, n, m, m);
                --n;
            } else if (m > 1 && bit(minus_, m - 1, n - 1)) {
                add(n, n, m - 1, m);
                --m;
            } else {
                --n, --m;
                if (gold[n] != system[m]) add(n, n + 1, m, m + 1);
            }
        }
        for (; n; --n) add(n - 1, n, m, m);
        for (; m; --m) add(n, n, m - 1, m);
    }

    // Neighbours of one sort are one step: changed words, lost ones, new ones.
    void join(std::int64_t first) {
        std::reverse(steps_.begin(), steps_.end());
        std::size_t last = 0;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            Step &step = steps_[i];
            step.gold_begin += first, step.gold_end += first, step.system_begin += first, step.system_end += first;
            if (i == 0) continue;
            Step &before = steps_[last];
            if (sort_of(before) == sort_of(step) && before.gold_end == step.gold_begin &&
                before.system_end == step.system_begin) {
                before.gold_end = step.gold_end, before.system_end = step.system_end;
            } else {
                steps_[++last] = step;
            }
        }
        if (!steps_.empty()) steps_.resize(last + 1);
    }

    static int sort_of(const Step &step) {
        return (step.gold_begin < step.gold_end ? 1 : 0) + (step.system_begin < step.system_end ? 2 : 0);
    }

    std::size_t blocks_ = 0;
    std::int64_t edits_ = 0;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::vector<Slot> slots_;
    int shift_ = 0;
    std::vector<std::uint64_t> masks_, absent_, plus_, minus_;
    std::vector<Step> steps_;
};

// Marks of many pairs as JSON, and the differences to be counted, each with a number.
class WordMarks {
  public:
    enum Kind { missing = 1, surplus = 2, changed = 3, moved = 4 };

    struct Fault {
        int kind;
        std::int32_t gold, system;  // names; -1: none
    };

    Names names;
    std::vector<Fault> faults;

    WordMarks() = default;
    WordMarks(const WordMarks &) = delete;
    WordMarks &operator=(const WordMarks &) = delete;

    // Appends the marks of a text against the closest of its references, and the numbers of what
    // differs. Texts of more words than `most` are not compared.
    void compare(WordFinder &finder, std::string_view system, const Strings &references, std::size_t first,
                 std::size_t last, std::size_t most, std::string &marks, std::vector<std::int32_t> &found) {
        marks.push_back('[');
        finder.read(system, names, ours_);
        golds_.resize(std::max(golds_.size(), last - first));
        std::size_t longest = ours_.count();
        for (std::size_t i = first; i < last; ++i) {
            finder.read(references[i], names, golds_[i - first]);
            longest = std::max(longest, golds_[i - first].count());
        }
        if (first < last && longest <= most) {
            std::size_t number = 0;
            std::int64_t best = -1;
            for (std::size_t i = 0; last - first > 1 && i < last - first; ++i) {
                const std::int64_t distance = align_.distance(golds_[i].names, ours_.names);
                if (best < 0 || distance < best) best = distance, number = i;
            }
            mark(golds_[number], number, marks, found);
        }
        if (marks.back() == ',') marks.pop_back();
        marks.push_back(']');
    }

  private:
    void mark(const MarkedWords &gold, std::size_t number, std::string &marks, std::vector<std::int32_t> &found) {
        const auto &steps = align_(gold.names, ours_.names);
        find_moved(gold, steps);
        for (const auto &step : steps) {
            std::int64_t i = step.gold_begin, j = step.system_begin;
            for (;;) {
                while (i < step.gold_end && partner_[static_cast<std::size_t>(i)] >= 0) ++i;
                while (j < step.system_end && taken_[static_cast<std::size_t>(j)]) ++j;
                if (i == step.gold_end || j == step.system_end) break;
                add(marks, changed, number, gold, i, i + 1, j, j + 1);
                found.push_back(fault(changed, gold.names[static_cast<std::size_t>(i)],
                                      ours_.names[static_cast<std::size_t>(j)]));
                ++i, ++j;
            }
            for (; i < step.gold_end; ++i) {
                if (partner_[static_cast<std::size_t>(i)] >= 0) continue;
                add(marks, missing, number, gold, i, i + 1, step.system_end, step.system_end);
                found.push_back(fault(missing, gold.names[static_cast<std::size_t>(i)], -1));
            }
            for (; j < step.system_end; ++j) {
                if (taken_[static_cast<std::size_t>(j)]) continue;
                add(marks, surplus, number, gold, step.gold_end, step.gold_end, j, j + 1);
                found.push_back(fault(surplus, -1, ours_.names[static_cast<std::size_t>(j)]));
            }
        }
        for (const auto &step : steps) {
            for (std::int64_t i = step.gold_begin; i < step.gold_end; ++i) {
                const std::int64_t j = partner_[static_cast<std::size_t>(i)];
                if (j >= 0) add(marks, moved, number, gold, i, i + 1, j, j + 1);
            }
        }
    }

    // Lost words that are new at another place: the first of each is the first of the other.
    void find_moved(const MarkedWords &gold, const std::vector<WordAligner::Step> &steps) {
        partner_.assign(gold.count(), -1);
        taken_.assign(ours_.count(), false);
        waiting_.clear();
        for (const auto &step : steps) {
            for (std::int64_t j = step.system_begin; j < step.system_end; ++j) {
                waiting_.push_back({ours_.names[static_cast<std::size_t>(j)], j});
            }
        }
        std::sort(waiting_.begin(), waiting_.end());
        for (const auto &step : steps) {
            for (std::int64_t i = step.gold_begin; i < step.gold_end; ++i) {
                const std::int32_t name = gold.names[static_cast<std::size_t>(i)];
                auto at = std::lower_bound(waiting_.begin(), waiting_.end(), std::pair<std::int32_t, std::int64_t>{name, -1});
                while (at != waiting_.end() && at->first == name && taken_[static_cast<std::size_t>(at->second)]) ++at;
                if (at == waiting_.end() || at->first != name) continue;
                partner_[static_cast<std::size_t>(i)] = at->second;
                taken_[static_cast<std::size_t>(at->second)] = true;
            }
        }
    }

    void add(std::string &marks, Kind kind, std::size_t number, const MarkedWords &gold, std::int64_t i,
             std::int64_t i_end, std::int64_t j, std::int64_t j_end) const {
        append_number(kind, marks);
        marks.push_back(',');
        append_number(static_cast<std::int64_t>(number), marks);
        marks.push_back(',');
        span(gold, i, i_end, marks);
        span(ours_, j, j_end, marks);
    }

    // From the first of some words to the last; where there is none, a place between two.
    static void span(const MarkedWords &words, std::int64_t begin, std::int64_t end, std::string &marks) {
        const bool inside = static_cast<std::size_t>(begin) < words.count();
        const std::int64_t at = inside ? words.begin[static_cast<std::size_t>(begin)] : words.size;
        append_number(at, marks);
        marks.push_back(',');
        append_number(begin < end ? words.end[static_cast<std::size_t>(end) - 1] : at, marks);
        marks.push_back(',');
    }

    std::int32_t fault(Kind kind, std::int32_t gold, std::int32_t system) {
        const std::uint64_t key = static_cast<std::uint64_t>(kind) << 62 |
                                  static_cast<std::uint64_t>(static_cast<std::uint32_t>(gold + 1)) << 31 |
                                  static_cast<std::uint32_t>(system + 1);
        const auto [number, is_new] = numbers_.try_emplace(key, static_cast<std::int32_t>(faults.size()));
        if (is_new) faults.push_back({kind, gold, system});
        return number->second;
    }

    WordAligner align_;
    MarkedWords ours_;
    std::vector<MarkedWords> golds_;
    std::vector<std::int64_t> partner_;
    std::vector<bool> taken_;
    std::vector<std::pair<std::int32_t, std::int64_t>> waiting_;
    std::unordered_map<std::uint64_t, std::int32_t, HashOfNumber> numbers_;
};

}  // namespace karat

// Sentences of tab-separated columns, a word on each line, read into columns of heads and places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "karat/bits.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karat {

// Which of 64 bytes are this one, a bit each.
inline std::uint64_t equal_bytes(const char *bytes, char wanted) {
    std::uint64_t result = 0;
#if defined(__SSE2__)
    const __m128i all = _mm_set1_epi8(wanted);
    for (int k = 0; k < 4; ++k) {
        const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + 16 * k));
        const auto equal = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, all)));
        result |= static_cast<std::uint64_t>(equal) << (16 * k);
    }
#else
    for (int k = 0; k < 64; ++k) result |= static_cast<std::uint64_t>(bytes[k] == wanted) << k;
#endif
    return result;
}

// How the sentences of a file are laid out.
struct TreeRules {
    std::size_t width = 10;  // 1 (head), 3 (form, tag, head), or the ten of CoNLL; 0: none can be read
    bool conllu = true;      // multiword tokens and empty nodes are passed over
    bool minus_one_is_root = false;
    bool tagged = false;  // some sentence of the file has parts of speech
    bool loose = false;  // there may be cycles, or no words: of trees that were not read from a file

    std::size_t head_column() const { return width == 10 ? 6 : width - 1; }
    bool has_forms() const { return width > 1; }
    bool has_labels() const { return width == 10; }
};

// What is wrong with a sentence.
enum class TreeFault : std::uint8_t {
    none,
    width,      // a line has another number of columns
    id,         // the id is not that of the next word
    range,      // a multiword token is not where its words begin, or ends before
    range_end,  // a multiword token ends after the last word
    no_words,
    head,   // the head is no number, or larger than the sentence
    cycle,  // a word does not reach the root
};

// Ten columns are told apart up to the label; what follows is never looked at.
struct TreeWord {
    static constexpr std::size_t most_bounds = 9;
    std::int32_t head;
    std::int32_t row;                                // which line of the sentence it is on, from 0
    std::array<std::uint32_t, most_bounds> bounds;  // where cells begin; the first after the last one, too
};

// A token that stands for several words, from 1.
struct TreeToken {
    std::int32_t first, last;
    std::uint32_t form_begin, form_end;
};

// Sentences one after the other; places are those in the data that they were read from.
class TreeColumns {
  public:
    std::vector<TreeWord> words;
    std::vector<TreeToken> tokens;
    std::vector<std::size_t> first_word{0}, first_token{0};  // of each sentence, and of one after the last

    std::size_t size() const { return first_word.size() - 1; }
    std::size_t size(std::size_t sentence) const { return first_word[sentence + 1] - first_word[sentence]; }

    static std::string_view cell(std::string_view data, const TreeWord &word, std::size_t column) {
        const std::uint32_t begin = word.bounds[column];
        return data.substr(begin, word.bounds[column + 1] - 1 - begin);
    }
};

// Reads sentences; its memory is used again for each.
class TreeReader {
  public:
    struct Outcome {
        TreeFault fault = TreeFault::none;
        std::int32_t row = 0;  // the line that is wrong, from 0; of a cycle its first word, from 1
    };

    static constexpr std::size_t most_data = (std::size_t{1} << 31) - 2;

    explicit TreeReader(TreeRules rules) : rules_(rules) {}

    // Adds the sentence on the lines from `begin` to `end`, which does not stand behind a line end,
    // unless something is wrong with it. Data may have `most_data` bytes.
    Outcome read(std::string_view data, std::size_t begin, std::size_t end, TreeColumns &into) {
        find_marks(data, begin, end);
        const bool no_words = rules_.loose && begin == end;
        Outcome found = no_words ? Outcome{} : check_widths();
        if (found.fault != TreeFault::none) return found;
        const std::size_t words = into.words.size(), tokens = into.tokens.size();
        if (!no_words) found = rules_.width == 10 ? number(data, begin, into) : all_lines(data, begin, into);
        if (found.fault == TreeFault::none) found = read_heads(data, into, words);
        if (found.fault == TreeFault::none && !rules_.loose) found = find_cycle(into, words);
        if (found.fault != TreeFault::none) {
            into.words.resize(words);
            into.tokens.resize(tokens);
            return found;
        }
        into.first_word.push_back(into.words.size());
        into.first_token.push_back(into.tokens.size());
        return found;
    }

    // The value of one to nine digits; -1 for anything else.
    static std::int64_t decimal(std::string_view text) {
        if (text.empty() || text.size() > 9) return -1;
        std::int64_t value = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') return -1;
            value = 10 * value + (c - '0');
        }
        return value;
    }

  private:
    // A tab, or with this bit set a line end.
    static constexpr std::uint32_t line_end = std::uint32_t{1} << 31;

    // Finds all tabs and line ends. The end of the sentence is one, too.
    void find_marks(std::string_view data, std::size_t begin, std::size_t end) {
        if (marks_.size() < end - begin + 1) marks_.resize(end - begin + 1);
        std::uint32_t *mark = marks_.data();
        std::size_t at = begin;
        for (; at + 64 <= end; at += 64) {
            const std::uint64_t ends = equal_bytes(data.data() + at, '\n');
            std::uint64_t found = ends | equal_bytes(data.data() + at, '\t');
            for (; found != 0; found &= found - 1) {
                const std::uint32_t bit = lowest_bit(found);
                *mark++ = (static_cast<std::uint32_t>(at) + bit) | (static_cast<std::uint32_t>(ends >> bit & 1) << 31);
            }
        }
        for (; at < end; ++at) {
            if (data[at] == '\t') *mark++ = static_cast<std::uint32_t>(at);
            if (data[at] == '\n') *mark++ = static_cast<std::uint32_t>(at) | line_end;
        }
        *mark++ = static_cast<std::uint32_t>(end) | line_end;
        size_ = static_cast<std::size_t>(mark - marks_.data());
    }

    // All lines must have as many columns.
    Outcome check_widths() const {
        std::size_t columns = 1;
        std::int32_t row = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            if ((marks_[i] & line_end) == 0) {
                ++columns;
                continue;
            }
            if (columns != rules_.width) return {TreeFault::width, row};
            columns = 1;
            ++row;
        }
        return {};
    }

    std::int32_t lines() const { return static_cast<std::int32_t>(size_ / rules_.width); }

    std::size_t line_begin(std::size_t begin, std::int32_t row) const {
        return row == 0 ? begin : (marks_[static_cast<std::size_t>(row) * rules_.width - 1] & ~line_end) + 1;
    }

    void add_word(std::string_view data, std::size_t begin, std::int32_t row, TreeColumns &into) const {
        const std::uint32_t *marks = &marks_[static_cast<std::size_t>(row) * rules_.width];
        TreeWord &word = into.words.emplace_back();
        word.row = row;
        word.bounds[0] = static_cast<std::uint32_t>(line_begin(begin, row));
        const std::size_t last = std::min(rules_.width, TreeWord::most_bounds - 1);
        for (std::size_t k = 1; k <= last; ++k) word.bounds[k] = (marks[k - 1] & ~line_end) + 1;
        // A last cell ends before LF or CR LF; a CR without LF is part of it.
        if (last < rules_.width || row + 1 == lines()) return;
        const std::uint32_t end = word.bounds[last] - 1;
        if (end > word.bounds[0] && data[end - 1] == '\r') --word.bounds[last];
    }

    Outcome all_lines(std::string_view data, std::size_t begin, TreeColumns &into) const {
        for (std::int32_t row = 0; row < lines(); ++row) add_word(data, begin, row, into);
        return {};
    }

    // Takes the lines that are words, and the multiword tokens.
    Outcome number(std::string_view data, std::size_t begin, TreeColumns &into) const {
        std::int32_t words = 0, covered = 0;
        for (std::int32_t row = 0; row < lines(); ++row) {
            const std::uint32_t *tabs = &marks_[static_cast<std::size_t>(row) * rules_.width];
            const std::size_t from = line_begin(begin, row);
            const std::string_view id = data.substr(from, tabs[0] - from);
            if (!id.empty() && id[0] != '0' && decimal(id) == words + 1) {
                add_word(data, begin, row, into);
                ++words;
                continue;
            }
            if (!rules_.conllu) return {TreeFault::id, row};
            const std::size_t mark = id.find_first_not_of("0123456789");
            if (mark == std::string_view::npos || mark == 0) return {TreeFault::id, row};
            const std::string_view before = id.substr(0, mark), after = id.substr(mark + 1);
            if (id[mark] == '.') {
                if (after.empty() || after.find_first_not_of("0123456789") != std::string_view::npos) {
                    return {TreeFault::id, row};
                }
                continue;
            }
            const std::int64_t first = decimal(before), last = decimal(after);
            if (id[mark] != '-' || first < 0 || last < 0) return {TreeFault::id, row};
            if (first != words + 1 || last < first || first <= covered) return {TreeFault::range, row};
            covered = static_cast<std::int32_t>(last);
            into.tokens.push_back({static_cast<std::int32_t>(first), covered, tabs[0] + 1, tabs[1]});
        }
        if (covered > words) return {TreeFault::range_end, lines() - 1};
        if (words == 0) return {TreeFault::no_words, 0};
        return {};
    }

    Outcome read_heads(std::string_view data, TreeColumns &into, std::size_t first) const {
        const auto size = static_cast<std::int64_t>(into.words.size() - first);
        const std::size_t column = rules_.head_column();
        for (std::size_t w = first; w < into.words.size(); ++w) {
            const std::string_view text = TreeColumns::cell(data, into.words[w], column);
            const std::int64_t head = rules_.minus_one_is_root && text == "-1" ? 0 : decimal(text);
            if (head < 0 || head > size) return {TreeFault::head, into.words[w].row};
            into.words[w].head = static_cast<std::int32_t>(head);
        }
        return {};
    }

    // The first word of the cycle that the first word leads into which does not reach the root.
    Outcome find_cycle(const TreeColumns &into, std::size_t first) {
        const TreeWord *words = into.words.data() + first;
        const auto size = static_cast<std::int32_t>(into.words.size() - first);
        reached_.assign(static_cast<std::size_t>(size) + 1, 0);
        reached_[0] = -1;
        for (std::int32_t start = 1; start <= size; ++start) {
            std::int32_t word = start;
            for (; reached_[static_cast<std::size_t>(word)] == 0; word = words[word - 1].head) {
                reached_[static_cast<std::size_t>(word)] = start;
            }
            if (reached_[static_cast<std::size_t>(word)] != start) {  // it was known to reach the root
                for (word = start; reached_[static_cast<std::size_t>(word)] == start; word = words[word - 1].head) {
                    reached_[static_cast<std::size_t>(word)] = -1;
                }
                continue;
            }
            std::int32_t least = word;
            for (std::int32_t w = words[word - 1].head; w != word; w = words[w - 1].head) least = std::min(least, w);
            return {TreeFault::cycle, least};
        }
        return {};
    }

    TreeRules rules_;
    std::vector<std::uint32_t> marks_;  // the first `size_` of them
    std::size_t size_ = 0;
    std::vector<std::int32_t> reached_;
};

}  // namespace karat

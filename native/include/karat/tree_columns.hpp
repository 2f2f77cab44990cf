// Sentences of tab-separated columns, a word on each line, read into columns of heads and places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace karat {

// How the sentences of a file are laid out.
struct TreeRules {
    std::size_t width = 10;  // 1 (head), 3 (form, tag, head), or the ten of CoNLL; 0: none can be read
    bool conllu = true;      // multiword tokens and empty nodes are passed over
    bool minus_one_is_root = false;

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

    explicit TreeReader(TreeRules rules) : rules_(rules) {}

    // Adds the sentence on the lines from `begin` to `end`, which does not stand behind a line end,
    // unless something is wrong with it.
    Outcome read(std::string_view data, std::size_t begin, std::size_t end, TreeColumns &into) {
        const Outcome split = split_lines(data, begin, end);
        if (split.fault != TreeFault::none) return split;
        const std::size_t words = into.words.size(), tokens = into.tokens.size();
        Outcome found = rules_.width == 10 ? number(data, into) : all_lines(into);
        if (found.fault == TreeFault::none) found = read_heads(data, into, words);
        if (found.fault == TreeFault::none) found = find_cycle(into, words);
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
    static constexpr std::size_t form_column = 1;

    // Finds tabs and line ends; all lines must have as many columns.
    Outcome split_lines(std::string_view data, std::size_t begin, std::size_t end) {
        lines_.clear();
        line_.row = 0;
        line_.bounds[0] = static_cast<std::uint32_t>(begin);
        columns_ = 1;
        std::size_t at = begin;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__GNUC__)
        for (; at + 8 <= end; at += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, data.data() + at, 8);
            // The highest bit of each byte that is a tab or a line end.
            std::uint64_t marks = equal_bytes(eight, '\t') | equal_bytes(eight, '\n');
            for (; marks != 0; marks &= marks - 1) {
                if (!take_mark(data, at + static_cast<std::size_t>(__builtin_ctzll(marks)) / 8)) {
                    return {TreeFault::width, line_.row};
                }
            }
        }
#endif
        for (; at < end; ++at) {
            if ((data[at] == '\t' || data[at] == '\n') && !take_mark(data, at)) return {TreeFault::width, line_.row};
        }
        return end_line(end + 1) ? Outcome{} : Outcome{TreeFault::width, line_.row};
    }

    static std::uint64_t equal_bytes(std::uint64_t eight, char c) {
        constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
        const std::uint64_t other = eight ^ (0x0101010101010101u * static_cast<unsigned char>(c));
        return ~(((other & low) + low) | other | low);
    }

    // A tab or a line end; false where a line that ends has another number of columns.
    bool take_mark(std::string_view data, std::size_t at) {
        if (data[at] == '\t') {
            if (columns_ < TreeWord::most_bounds) line_.bounds[columns_] = static_cast<std::uint32_t>(at + 1);
            ++columns_;
            return true;
        }
        // The last cell ends before LF or CR LF; a CR without LF is part of it.
        const bool cr = at > line_.bounds[0] && data[at - 1] == '\r';
        if (!end_line(at + 1 - cr)) return false;
        ++line_.row;
        line_.bounds[0] = static_cast<std::uint32_t>(at + 1);
        columns_ = 1;
        return true;
    }

    bool end_line(std::size_t bound) {
        if (columns_ != rules_.width) return false;
        if (columns_ < TreeWord::most_bounds) line_.bounds[columns_] = static_cast<std::uint32_t>(bound);
        lines_.push_back(line_);
        return true;
    }

    Outcome all_lines(TreeColumns &into) const {
        into.words.insert(into.words.end(), lines_.begin(), lines_.end());
        return {};
    }

    // Takes the lines that are words, and the multiword tokens.
    Outcome number(std::string_view data, TreeColumns &into) const {
        std::int32_t words = 0, covered = 0;
        for (const TreeWord &line : lines_) {
            const std::string_view id = TreeColumns::cell(data, line, 0);
            if (!id.empty() && id[0] != '0' && decimal(id) == words + 1) {
                into.words.push_back(line);
                ++words;
                continue;
            }
            if (!rules_.conllu) return {TreeFault::id, line.row};
            const std::size_t mark = id.find_first_not_of("0123456789");
            if (mark == std::string_view::npos || mark == 0) return {TreeFault::id, line.row};
            const std::string_view before = id.substr(0, mark), after = id.substr(mark + 1);
            if (id[mark] == '.') {
                if (after.empty() || after.find_first_not_of("0123456789") != std::string_view::npos) {
                    return {TreeFault::id, line.row};
                }
                continue;
            }
            const std::int64_t first = decimal(before), last = decimal(after);
            if (id[mark] != '-' || first < 0 || last < 0) return {TreeFault::id, line.row};
            if (first != words + 1 || last < first || first <= covered) return {TreeFault::range, line.row};
            covered = static_cast<std::int32_t>(last);
            into.tokens.push_back({static_cast<std::int32_t>(first), covered, line.bounds[form_column],
                                   line.bounds[form_column + 1] - 1});
        }
        if (covered > words) return {TreeFault::range_end, static_cast<std::int32_t>(lines_.size()) - 1};
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
    TreeWord line_{};  // that is being split, and how many columns it has so far
    std::size_t columns_ = 1;
    std::vector<TreeWord> lines_;
    std::vector<std::int32_t> reached_;
};

}  // namespace karat

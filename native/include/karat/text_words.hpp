// Texts, as UTF-8 one after the other, to numbered words: tokenizers and a vocabulary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace karat {

// The numbers of words in order of first sight. The words lie one after the other in `bytes`.
class Vocabulary {
  public:
    Vocabulary() : slots_(4096, -1) {}

    std::int32_t operator()(std::string_view word) {
        if (2 * ends_.size() > slots_.size()) grow();
        std::int32_t &slot = find(word, hash(word));
        if (slot < 0) {
            slot = static_cast<std::int32_t>(ends_.size() - 1);
            bytes_.append(word);
            ends_.push_back(static_cast<std::int64_t>(bytes_.size()));
            hashes_.push_back(hash(word));
        }
        return slot;
    }

    const std::string &bytes() const { return bytes_; }
    std::vector<std::int64_t> &ends() { return ends_; }

  private:
    static std::uint64_t hash(std::string_view word) {
        std::uint64_t h = 0x2545F4914F6CDD1Du ^ word.size();
        std::size_t i = 0;
        for (; i + 8 <= word.size(); i += 8) {
            std::uint64_t part;
            std::memcpy(&part, word.data() + i, 8);
            h = (h ^ part) * 0x9E3779B97F4A7C15u;
            h ^= h >> 29;
        }
        std::uint64_t rest = 0;
        std::memcpy(&rest, word.data() + i, word.size() - i);
        h = (h ^ rest) * 0xBF58476D1CE4E5B9u;
        return h ^ (h >> 32);
    }

    std::string_view word(std::int32_t number) const {
        const auto begin = static_cast<std::size_t>(ends_[static_cast<std::size_t>(number)]);
        const auto end = static_cast<std::size_t>(ends_[static_cast<std::size_t>(number) + 1]);
        return std::string_view(bytes_).substr(begin, end - begin);
    }

    std::int32_t &find(std::string_view wanted, std::uint64_t h) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = h & mask;; i = (i + 1) & mask) {
            const std::int32_t number = slots_[i];
            if (number < 0) return slots_[i];
            if (hashes_[static_cast<std::size_t>(number)] == h && word(number) == wanted) return slots_[i];
        }
    }

    void grow() {
        slots_.assign(slots_.size() * 2, -1);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t number = 0; number < hashes_.size(); ++number) {
            std::size_t i = hashes_[number] & mask;
            while (slots_[i] >= 0) i = (i + 1) & mask;
            slots_[i] = static_cast<std::int32_t>(number);
        }
    }

    std::vector<std::int32_t> slots_;
    std::vector<std::uint64_t> hashes_;
    std::string bytes_;
    std::vector<std::int64_t> ends_{0};
};

// How many bytes the white space at the beginning of a text takes, 0 where there is none:
// what Python's str.split() and str.strip() take for white space.
inline std::size_t space_at(const char *at, const char *end) {
    const auto byte = [&](std::ptrdiff_t i) {
        return at + i < end ? static_cast<unsigned char>(at[i]) : static_cast<unsigned char>(0);
    };
    const unsigned char first = byte(0);
    if (first < 0x80) return (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x20) ? 1 : 0;
    if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
    if (first == 0xE1) return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;
    if (first == 0xE2 && byte(1) == 0x80) {
        const unsigned char last = byte(2);
        return (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;
    }
    if (first == 0xE2) return byte(1) == 0x81 && byte(2) == 0x9F ? 3 : 0;
    if (first == 0xE3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
    return 0;
}

// How many bytes the character takes that begins here.
inline std::size_t character_size(const char *at, const char *end) {
    std::size_t size = 1;
    while (at + size < end && (static_cast<unsigned char>(at[size]) & 0xC0) == 0x80) ++size;
    return size;
}

// Calls `take` with each run of characters that are no white space.
template <class Take>
void split_at_spaces(std::string_view text, Take take) {
    const char *at = text.data(), *const end = at + text.size();
    const char *begin = at;
    while (at < end) {
        if (const std::size_t size = space_at(at, end)) {
            if (at > begin) take(std::string_view(begin, static_cast<std::size_t>(at - begin)));
            at += size;
            begin = at;
        } else {
            ++at;  // the further bytes of a character are no white space
        }
    }
    if (at > begin) take(std::string_view(begin, static_cast<std::size_t>(at - begin)));
}

inline std::string_view without_spaces_at_end(std::string_view text) {
    const char *const begin = text.data(), *end = begin + text.size();
    while (end > begin) {
        const char *last = end - 1;
        while (last > begin && (static_cast<unsigned char>(*last) & 0xC0) == 0x80) --last;
        if (space_at(last, end) != static_cast<std::size_t>(end - last)) break;
        end = last;
    }
    return {begin, static_cast<std::size_t>(end - begin)};
}

// The tokenizer of mteval-v13a as sacreBLEU has it: its substitutions in their order, each of
// which finds its matches from left to right, none overlapping. All characters that they name
// are ASCII, and "not a digit" holds for every byte of other characters, so bytes will do.
class Tokenizer13a {
  public:
    template <class Take>
    void operator()(std::string_view text, Take take) {
        a_.assign(1, ' ');
        a_.append(without_spaces_at_end(text));
        replace("<skipped>", "");
        replace("-\n", "");
        replace("\n", " ");
        replace("&quot;", "\"");
        replace("&amp;", "&");
        replace("&lt;", "<");
        replace("&gt;", ">");
        a_.push_back(' ');
        b_.clear();
        for (const char c : a_) {
            if (!is_symbol(c)) {
                b_.push_back(c);
            } else {
                b_.push_back(' ');
                b_.push_back(c);
                b_.push_back(' ');
            }
        }
        substitute(b_, a_, [](char x, char y) { return !is_digit(x) && is_point(y); }, false, true);
        substitute(a_, b_, [](char x, char y) { return is_point(x) && !is_digit(y); }, true, false);
        substitute(b_, a_, [](char x, char y) { return is_digit(x) && y == '-'; }, false, true);
        split_at_spaces(a_, take);
    }

  private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_point(char c) { return c == '.' || c == ','; }
    // The blank is among them too, but blanks around a blank change nothing.
    static bool is_symbol(char c) {
        return (c > ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
               (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    }

    void replace(std::string_view what, std::string_view with) {
        std::size_t at = a_.find(what);
        if (at == std::string::npos) return;
        b_.clear();
        std::size_t from = 0;
        for (; at != std::string::npos; at = a_.find(what, from)) {
            b_.append(a_, from, at - from).append(with);
            from = at + what.size();
        }
        b_.append(a_, from, std::string::npos);
        a_.swap(b_);
    }

    // Puts a blank between two characters that fit, and one before or behind both.
    template <class Fits>
    static void substitute(const std::string &from, std::string &to, Fits fits, bool before, bool behind) {
        to.clear();
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i + 1 < from.size() && fits(from[i], from[i + 1])) {
                if (before) to.push_back(' ');
                to.push_back(from[i]);
                to.push_back(' ');
                to.push_back(from[++i]);
                if (behind) to.push_back(' ');
            } else {
                to.push_back(from[i]);
            }
        }
    }

    std::string a_, b_;
};

// The words of texts as numbers, line by line; empty lines are left out where lines matter.
struct NumberedWords {
    Vocabulary vocabulary;
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> lines{0};  // where each line ends, in tokens
    std::vector<std::int64_t> texts{0};  // where each text ends, in lines

    // `tokenizer`: "none" (white space), "13a", "char", or "ascii" (lower-cased runs of ASCII
    // letters and digits; the only one for which lines matter).
    NumberedWords(std::string_view data, const std::int64_t *offsets, std::size_t count, std::string_view tokenizer) {
        Tokenizer13a tokenizer_13a;
        const auto take = [&](std::string_view word) { tokens.push_back(vocabulary(word)); };
        for (std::size_t i = 0; i < count; ++i) {
            const auto begin = static_cast<std::size_t>(offsets[i]), end = static_cast<std::size_t>(offsets[i + 1]);
            const std::string_view text = data.substr(begin, end - begin);
            if (tokenizer == "ascii") {
                ascii_lines(text);
            } else {
                if (tokenizer == "13a") {
                    tokenizer_13a(text, take);
                } else if (tokenizer == "none") {
                    split_at_spaces(text, take);
                } else if (tokenizer == "char") {
                    characters(text, take);
                } else {
                    throw std::invalid_argument("no such tokenizer");
                }
                lines.push_back(static_cast<std::int64_t>(tokens.size()));
            }
            texts.push_back(static_cast<std::int64_t>(lines.size()) - 1);
        }
    }

  private:
    template <class Take>
    static void characters(std::string_view text, Take take) {
        split_at_spaces(text, [&](std::string_view run) {
            const char *at = run.data(), *const end = at + run.size();
            while (at < end) {
                const std::size_t size = character_size(at, end);
                take(std::string_view(at, size));
                at += size;
            }
        });
    }

    void ascii_lines(std::string_view text) {
        std::size_t begin = 0;
        while (begin <= text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            if (end > begin) {
                ascii_words(text.substr(begin, end - begin));
                lines.push_back(static_cast<std::int64_t>(tokens.size()));
            }
            begin = end + 1;
        }
    }

    void ascii_words(std::string_view line) {
        word_.clear();
        for (const char c : line) {
            if (c >= 'A' && c <= 'Z') {
                word_.push_back(static_cast<char>(c + ('a' - 'A')));
            } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
                word_.push_back(c);
            } else if (!word_.empty()) {
                tokens.push_back(vocabulary(word_));
                word_.clear();
            }
        }
        if (!word_.empty()) tokens.push_back(vocabulary(word_));
    }

    std::string word_;
};

}  // namespace karat

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

#include "karat/names.hpp"
#include "karat/strings.hpp"

namespace karat {

// The numbers of words in order of first sight. The words lie one after the other in `bytes`.
class Vocabulary {
  public:
    Vocabulary() : slots_(4096, -1) {}

    std::int32_t operator()(std::string_view word) {
        if (2 * ends_.size() > slots_.size()) grow();
        const std::uint64_t h = hash_of_name(word);
        std::int32_t &slot = slots_[place(word, h)];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(ends_.size() - 1);
            bytes_.append(word);
            ends_.push_back(static_cast<std::int64_t>(bytes_.size()));
            hashes_.push_back(h);
        }
        return slot;
    }

    // The number of a word; -1 where it was not seen.
    std::int32_t find(std::string_view word) const { return slots_[place(word, hash_of_name(word))]; }

    // Forgets all words, in time proportional to their number.
    void clear() {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t number = 0; number < hashes_.size(); ++number) {
            std::size_t i = hashes_[number] & mask;
            while (slots_[i] != static_cast<std::int32_t>(number)) i = (i + 1) & mask;
            slots_[i] = -1;
        }
        hashes_.clear();
        bytes_.clear();
        ends_.resize(1);
    }

    const std::string &bytes() const { return bytes_; }
    std::vector<std::int64_t> &ends() { return ends_; }

  private:
    std::string_view word(std::int32_t number) const {
        const auto begin = static_cast<std::size_t>(ends_[static_cast<std::size_t>(number)]);
        const auto end = static_cast<std::size_t>(ends_[static_cast<std::size_t>(number) + 1]);
        return std::string_view(bytes_).substr(begin, end - begin);
    }

    std::size_t place(std::string_view wanted, std::uint64_t h) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = h & mask;; i = (i + 1) & mask) {
            const std::int32_t number = slots_[i];
            if (number < 0) return i;
            if (hashes_[static_cast<std::size_t>(number)] == h && word(number) == wanted) return i;
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
        const auto byte = static_cast<unsigned char>(*at);
        if (byte > ' ' && byte != 0xC2 && (byte < 0xE1 || byte > 0xE3)) {
            ++at;
        } else if (const std::size_t size = space_at(at, end)) {
            if (at > begin) take(std::string_view(begin, static_cast<std::size_t>(at - begin)));
            at += size;
            begin = at;
        } else {
            ++at;  // the further bytes of a character are no white space
        }
    }
    if (at > begin) take(std::string_view(begin, static_cast<std::size_t>(at - begin)));
}

// Calls `take` with each character that is no white space.
template <class Take>
void single_characters(std::string_view text, Take take) {
    split_at_spaces(text, [&](std::string_view run) {
        const char *at = run.data(), *const end = at + run.size();
        while (at < end) {
            const std::size_t size = character_size(at, end);
            take(std::string_view(at, size));
            at += size;
        }
    });
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

// What the tokenizer 13a makes of bytes.
struct Kinds13a {
    enum Kind : unsigned char { other, point, symbol, maybe_space };
    Kind kind[256];

    constexpr Kinds13a() : kind() {
        for (int c = 0; c < 256; ++c) {
            kind[c] = other;
            if (c == '.' || c == ',' || c == '-') kind[c] = point;
            if ((c > ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
                (c >= '[' && c <= '`') || (c >= '{' && c <= '~')) {
                kind[c] = symbol;
            }
            if (c <= ' ' || c == 0xC2 || (c >= 0xE1 && c <= 0xE3)) kind[c] = maybe_space;
        }
    }

    constexpr Kind operator[](unsigned char c) const { return kind[c]; }
};

// The tokenizer of mteval-v13a as sacreBLEU has it. Its last four substitutions put blanks between
// characters: around symbols; before and behind points and commas unless digits are beside them;
// behind a digit before a dash. Each finds its matches from left to right, none overlapping.
// White space is neither a digit nor a point, and a symbol ends up between blanks, so what lies
// between two of these can be cut on its own, with a blank on either side. All characters
// that are named are ASCII, and "not a digit" holds for every byte of others, so bytes will do.
class Tokenizer13a {
  public:
    template <class Take>
    void operator()(std::string_view text, Take take) {
        text = unescaped(without_spaces_at_end(text));
        const char *at = text.data(), *const end = at + text.size();
        const char *begin = at;
        bool plain = true;  // without points, commas and dashes
        const auto close = [&] {
            if (at == begin) return;
            const std::string_view part(begin, static_cast<std::size_t>(at - begin));
            if (plain) {
                take(part);
            } else {
                cut(part, take);
            }
            plain = true;
        };
        while (at < end) {
            switch (kinds[static_cast<unsigned char>(*at)]) {
                case Kinds13a::other:
                    ++at;
                    break;
                case Kinds13a::point:
                    plain = false;
                    ++at;
                    break;
                case Kinds13a::symbol:
                    close();
                    take(std::string_view(at, 1));
                    begin = ++at;
                    break;
                case Kinds13a::maybe_space:
                    if (const std::size_t size = space_at(at, end)) {
                        close();
                        begin = at += size;
                    } else {
                        ++at;  // the further bytes of a character are no white space
                    }
            }
        }
        close();
    }

  private:
    static constexpr Kinds13a kinds{};

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_point(char c) { return c == '.' || c == ','; }

    // The text after the substitutions that take characters away; most texts have nothing of that.
    std::string_view unescaped(std::string_view text) {
        const bool tags = has(text, '<'), lines = has(text, '\n'), entities = has(text, '&');
        if (!tags && !lines && !entities) return text;
        a_.assign(text);
        if (tags) replace("<skipped>", "");
        if (lines) {
            replace("-\n", "");
            replace("\n", " ");
        }
        if (entities) {
            replace("&quot;", "\"");
            replace("&amp;", "&");
            replace("&lt;", "<");
            replace("&gt;", ">");
        }
        return a_;
    }

    static bool has(std::string_view text, char c) { return text.find(c) != std::string_view::npos; }

    template <class Take>
    void cut(std::string_view part, Take take) {
        c_.assign(1, ' ');
        c_.append(part).push_back(' ');
        substitute(c_, b_, [](char x, char y) { return !is_digit(x) && is_point(y); }, false, true);
        substitute(b_, c_, [](char x, char y) { return is_point(x) && !is_digit(y); }, true, false);
        substitute(c_, b_, [](char x, char y) { return is_digit(x) && y == '-'; }, false, true);
        split_at_spaces(b_, take);
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

    std::string a_, b_, c_;
};

// The tokenizer of mteval-v14 ("intl"): punctuation is cut off unless it has a number beside it,
// then symbols are. What kind a character is says a table of all of them.
class TokenizerIntl {
  public:
    enum Kind : std::uint8_t { other, number, punctuation, symbol };

    explicit TokenizerIntl(const std::uint8_t *kinds) : kinds_(kinds) {}

    template <class Take>
    void operator()(std::string_view text, Take take) {
        a_.clear();
        decode(without_spaces_at_end(text), [&](std::uint32_t c) { a_.push_back(c); });
        substitute(a_, b_, [&](auto x, auto y) { return kind(x) != number && kind(y) == punctuation; }, false);
        substitute(b_, a_, [&](auto x, auto y) { return kind(x) == punctuation && kind(y) != number; }, true);
        word_.clear();
        const auto close = [&] {
            if (word_.empty()) return;
            take(std::string_view(reinterpret_cast<const char *>(word_.data()), word_.size() * sizeof(word_[0])));
            word_.clear();
        };
        for (const std::uint32_t c : a_) {
            const bool apart = kind(c) == symbol;
            if (apart || is_space(c)) close();
            if (!is_space(c)) word_.push_back(c);
            if (apart) close();
        }
        close();
    }

  private:
    std::uint8_t kind(std::uint32_t c) const { return c < 0x110000 ? kinds_[c] : static_cast<std::uint8_t>(other); }

    template <class Fits>
    static void substitute(const std::vector<std::uint32_t> &from, std::vector<std::uint32_t> &to, Fits fits,
                           bool before) {
        to.clear();
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i + 1 < from.size() && fits(from[i], from[i + 1])) {
                if (before) to.push_back(' ');
                to.push_back(from[i]);
                to.push_back(' ');
                to.push_back(from[++i]);
                if (!before) to.push_back(' ');
            } else {
                to.push_back(from[i]);
            }
        }
    }

    const std::uint8_t *kinds_;
    std::vector<std::uint32_t> a_, b_, word_;
};

// The words of chrF++: cut at white space, then one mark of punctuation is cut off, behind or before.
template <class Take>
void split_off_marks(std::string_view text, Take take) {
    const auto is_mark = [](char c) {
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    };
    split_at_spaces(text, [&](std::string_view word) {
        const std::size_t last = word.size() - 1;
        if (character_size(word.data(), word.data() + word.size()) == word.size()) {
            take(word);
        } else if (is_mark(word[last])) {
            take(word.substr(0, last));
            take(word.substr(last));
        } else if (is_mark(word[0])) {
            take(word.substr(0, 1));
            take(word.substr(1));
        } else {
            take(word);
        }
    });
}

// Letters and digits of ASCII in lower case.
struct LowerAscii {
    char letter[256];  // 0 for what is not part of a word

    constexpr LowerAscii() : letter() {
        for (int c = 0; c < 256; ++c) {
            const bool upper = c >= 'A' && c <= 'Z';
            const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            letter[c] = static_cast<char>(upper ? c + ('a' - 'A') : kept ? c : 0);
        }
    }
    constexpr char operator[](char c) const { return letter[static_cast<unsigned char>(c)]; }
};

// Lower-cased runs of ASCII letters and digits, line by line: calls `take` with each, and `close` at the
// end of each line that is not empty.
class AsciiLines {
  public:
    template <class Take, class Close>
    void operator()(std::string_view text, Take take, Close close) {
        std::size_t begin = 0;
        while (begin <= text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            if (end > begin) {
                words(text.substr(begin, end - begin), take);
                close();
            }
            begin = end + 1;
        }
    }

  private:
    static constexpr LowerAscii lowered{};

    // A word in lower case is taken where it lies.
    template <class Take>
    void words(std::string_view line, Take take) {
        const char *at = line.data(), *const end = at + line.size();
        for (;;) {
            while (at < end && !lowered[*at]) ++at;
            if (at == end) return;
            const char *const begin = at;
            bool upper = false;
            for (; at < end && lowered[*at]; ++at) upper |= lowered[*at] != *at;
            std::string_view word(begin, static_cast<std::size_t>(at - begin));
            if (upper) {
                word_.assign(word);
                for (char &c : word_) c = lowered[c];
                word = word_;
            }
            take(word);
        }
    }

    std::string word_;
};

// The words of texts as numbers, line by line; empty lines are left out where lines matter.
struct NumberedWords {
    Vocabulary vocabulary;
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> lines{0};  // where each line ends, in tokens
    std::vector<std::int64_t> texts{0};  // where each text ends, in lines

    // `tokenizer`: "none" (white space), "13a", "char", or "ascii" (lower-cased runs of ASCII
    // letters and digits; the only one for which lines matter).
    NumberedWords(const Strings &strings, std::string_view tokenizer) {
        Tokenizer13a tokenizer_13a;
        AsciiLines ascii_lines;
        const auto take = [&](std::string_view word) { tokens.push_back(vocabulary(word)); };
        for (std::size_t i = 0; i < strings.count; ++i) {
            const std::string_view text = strings[i];
            if (tokenizer == "ascii") {
                ascii_lines(text, take, [&] { lines.push_back(static_cast<std::int64_t>(tokens.size())); });
            } else {
                if (tokenizer == "13a") {
                    tokenizer_13a(text, take);
                } else if (tokenizer == "none") {
                    split_at_spaces(text, take);
                } else if (tokenizer == "char") {
                    single_characters(text, take);
                } else {
                    throw std::invalid_argument("no such tokenizer");
                }
                lines.push_back(static_cast<std::int64_t>(tokens.size()));
            }
            texts.push_back(static_cast<std::int64_t>(lines.size()) - 1);
        }
    }
};

}  // namespace karat

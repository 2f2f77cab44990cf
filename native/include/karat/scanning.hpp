// Where the items of a file are: lines, and blocks of lines between blank lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

namespace karat {

// The place of the first byte that is not UTF-8 text, or the size where all is.
inline std::size_t utf8_fault(std::string_view data) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(data.data());
    const std::size_t size = data.size();
    std::size_t i = 0;
    while (i < size) {
        for (std::uint64_t eight[8]; size - i >= sizeof eight; i += sizeof eight) {
            std::memcpy(eight, bytes + i, sizeof eight);
            std::uint64_t all = 0;
            for (const std::uint64_t each : eight) all |= each;
            if (all & 0x8080808080808080u) break;
        }
        if (size - i >= 8) {
            std::uint64_t eight;
            std::memcpy(&eight, bytes + i, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                i += 8;
                continue;
            }
        }
        if (i == size) break;
        const unsigned char first = bytes[i];
        if (first < 0x80) {
            ++i;
            continue;
        }
        // Neither longer than needed, nor a surrogate, nor beyond U+10FFFF.
        std::size_t more = 0;
        unsigned char low = 0x80, high = 0xBF;
        if (first >= 0xC2 && first <= 0xDF) {
            more = 1;
        } else if (first >= 0xE0 && first <= 0xEF) {
            more = 2;
            if (first == 0xE0) low = 0xA0;
            if (first == 0xED) high = 0x9F;
        } else if (first >= 0xF0 && first <= 0xF4) {
            more = 3;
            if (first == 0xF0) low = 0x90;
            if (first == 0xF4) high = 0x8F;
        } else {
            return i;
        }
        for (std::size_t k = 1; k <= more; ++k) {
            if (i + k >= size || bytes[i + k] < low || bytes[i + k] > high) return i;
            low = 0x80;
            high = 0xBF;
        }
        i += more + 1;
    }
    return size;
}

// The code point that begins at a place of valid UTF-8, and how many bytes it has.
struct CodePoint {
    std::uint32_t value;
    std::size_t size;
};

inline CodePoint code_point(std::string_view text, std::size_t i) {
    const auto at = [&](std::size_t k) {
        return i + k < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i + k])) : 0x80u;
    };
    const std::uint32_t first = at(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xE0) return {((first & 0x1F) << 6) | (at(1) & 0x3F), 2};
    if (first < 0xF0) return {((first & 0x0F) << 12) | ((at(1) & 0x3F) << 6) | (at(2) & 0x3F), 3};
    return {((first & 0x07) << 18) | ((at(1) & 0x3F) << 12) | ((at(2) & 0x3F) << 6) | (at(3) & 0x3F), 4};
}

// Unicode's separators of the category Zs.
inline bool is_space_separator(std::uint32_t c) {
    return c == 0x20 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

// What Python's str.isspace takes for white space.
inline bool is_white_space(std::uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0x2028 || c == 0x2029 ||
           is_space_separator(c);
}

// The size of the white space that a text begins with.
inline std::size_t leading_space(std::string_view text) {
    if (!text.empty() && text[0] > ' ' && text[0] < 0x7F) return 0;
    std::size_t i = 0;
    while (i < text.size()) {
        const CodePoint c = code_point(text, i);
        if (!is_white_space(c.value)) break;
        i += c.size;
    }
    return i < text.size() ? i : text.size();
}

#if defined(__SSE2__) && defined(__GNUC__)
#define KARAT_SCANS_64 1
// A bit for each of 64 bytes that is as wanted; `wanted` tells it of 16.
template <class Wanted>
std::uint64_t of_64_bytes(const char *data, Wanted wanted) {
    std::uint64_t found = 0;
    for (int k = 0; k < 4; ++k) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(data) + k);
        found |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(wanted(bytes)))) << (16 * k);
    }
    return found;
}

inline __m128i are_feeds(__m128i bytes) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')); }
#endif

// Where lines end, one after the other. Lines are often short, so it looks at 64 bytes at a time.
class LineEnds {
  public:
    explicit LineEnds(std::string_view data) : data_(data) {}

    // The place of the next line feed, or the size where there is none.
    std::size_t next() {
#if defined(KARAT_SCANS_64)
        for (; !found_ && data_.size() - base_ >= 64; base_ += 64) found_ = of_64_bytes(data_.data() + base_, are_feeds);
        if (found_) {
            const auto bit = static_cast<std::size_t>(__builtin_ctzll(found_));
            found_ &= found_ - 1;
            return base_ - 64 + bit;
        }
#endif
        const void *const found =
            base_ < data_.size() ? std::memchr(data_.data() + base_, '\n', data_.size() - base_) : nullptr;
        if (found == nullptr) return base_ = data_.size();
        base_ = static_cast<std::size_t>(static_cast<const char *>(found) - data_.data()) + 1;
        return base_ - 1;
    }

  private:
    std::string_view data_;
    std::size_t base_ = 0;     // what is before it has been looked at
    std::uint64_t found_ = 0;  // line feeds among the last 64 bytes before it, that are still to come
};

// Calls visit(begin, end, next) for each line of a text; `end` is before LF or CR LF. What
// follows the last line end is a line too, unless `visit` is told that it is empty by the caller.
template <class Visit>
void each_line(std::string_view data, Visit visit) {
    LineEnds ends(data);
    std::size_t begin = 0;
    for (;;) {
        const std::size_t stop = ends.next();
        const bool is_last = stop == data.size();
        const std::size_t end = stop > begin && data[stop - 1] == '\r' ? stop - 1 : stop;
        if (!visit(begin, end, is_last) || is_last) return;
        begin = stop + 1;
    }
}

// How many lines end in a text.
inline std::size_t line_ends(std::string_view data) {
    std::size_t found = 0, i = 0;
#if defined(KARAT_SCANS_64)
    // Each byte of `ends` counts the lines that end in its column, and is added up before it is full.
    while (data.size() - i >= 16) {
        __m128i ends = _mm_setzero_si128();
        for (int row = 0; row < 255 && data.size() - i >= 16; ++row, i += 16) {
            const auto *const at = reinterpret_cast<const __m128i *>(data.data() + i);
            ends = _mm_sub_epi8(ends, are_feeds(_mm_loadu_si128(at)));
        }
        const __m128i sums = _mm_sad_epu8(ends, _mm_setzero_si128());
        found += static_cast<std::size_t>(_mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4));
    }
#endif
    return found + static_cast<std::size_t>(std::count(data.begin() + static_cast<std::ptrdiff_t>(i), data.end(), '\n'));
}

struct Lines {
    std::vector<std::int64_t> begin, end, line;
};

// All lines of a text whose last line has no end; blank ones are left out where that is wanted.
inline Lines scan_lines(std::string_view data, bool skip_blank) {
    Lines result;
    std::int64_t number = 0;
    each_line(data, [&](std::size_t begin, std::size_t end, bool) {
        if (!skip_blank || leading_space(data.substr(begin, end - begin)) < end - begin) {
            result.begin.push_back(static_cast<std::int64_t>(begin));
            result.end.push_back(static_cast<std::int64_t>(end));
            result.line.push_back(number);
        }
        ++number;
        return true;
    });
    return result;
}

// What ends a block, and which of its lines are comments.
struct BlockRules {
    bool spaces = true;     // a line of white space is blank
    char comment = '#';     // what a comment begins with; NUL: there are none
    bool indented = false;  // comments may have white space before them
};

struct Blocks {
    // A row for each block: where it begins, where its first line is that is no comment, where
    // it ends; the numbers of these two lines; how many blank lines come before, since the last
    // block or the beginning; whether a blank line follows.
    static constexpr std::size_t columns = 7;
    std::vector<std::int64_t> rows;
    std::size_t consumed = 0;    // what follows may be part of a block whose end has not come
    std::int64_t lines = 0;      // in what was consumed
    std::int64_t blanks = 0;     // at its end, since the last block
};

// Where a line ends that begins at a place: its line feed, or the end of the text.
inline std::size_t line_end(std::string_view data, std::size_t from) {
    return std::min(data.find('\n', from), data.size());
}

struct LineBegin {
    std::size_t place;
    std::int64_t lines;  // before it
};

// The first line, at a place where one begins or after it, that may be blank, or that has no end.
inline LineBegin next_line_that_may_be_blank(std::string_view data, std::size_t from) {
    const auto is_plain = [](char c) { return c > ' ' && c < 0x7F; };
    LineBegin found{from, 0};
    if (from == data.size() || !is_plain(data[from])) return found;
    std::size_t at = from;
#if defined(KARAT_SCANS_64)
    const auto are_odd = [](__m128i bytes) {
        return _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ' + 1)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
    };
    for (; data.size() - at > 64; at += 64) {
        const std::uint64_t feeds = of_64_bytes(data.data() + at, are_feeds);
        const std::uint64_t begins = feeds & of_64_bytes(data.data() + at + 1, are_odd);  // after these feeds
        if (begins) {
            const auto bit = static_cast<unsigned>(__builtin_ctzll(begins));
            const std::uint64_t before = feeds & ((begins & -begins) - 1);
            return {at + bit + 1, found.lines + __builtin_popcountll(before) + 1};
        }
        if (feeds) {
            found.lines += __builtin_popcountll(feeds);
            found.place = at + 64 - static_cast<unsigned>(__builtin_clzll(feeds));
        }
    }
#endif
    for (; at < data.size(); ++at) {
        if (data[at] != '\n') continue;
        found = {at + 1, found.lines + 1};
        if (found.place == data.size() || !is_plain(data[found.place])) break;
    }
    return found;
}

// The blocks of a text; comments alone are none. Unless it is `final`, what comes after the last
// blank line is left for later.
inline Blocks scan_blocks(std::string_view data, bool final, BlockRules rules, std::int64_t blanks) {
    Blocks result;
    result.blanks = blanks;
    bool open = false, has_body = false;
    std::int64_t begin = 0, body = 0, end = 0, line = 0, body_line = 0, number = 0;
    const auto close = [&](bool closed) {
        if (open && has_body) {
            result.rows.insert(result.rows.end(), {begin, body, end, line, body_line, result.blanks, closed});
            result.blanks = 0;
        }
        open = has_body = false;
    };
    for (std::size_t from = 0;;) {
        const std::size_t stop = line_end(data, from);
        const bool is_last = stop == data.size();
        if (is_last && (from == stop || !final)) break;
        const std::size_t to = stop > from && data[stop - 1] == '\r' ? stop - 1 : stop;
        const std::string_view text = data.substr(from, to - from);
        std::size_t next = std::min(stop + 1, data.size());
        if (text.empty() || (rules.spaces && leading_space(text) == text.size())) {
            close(true);
            ++result.blanks;
            result.consumed = next;
            result.lines = number + 1;
        } else {
            if (!open) {
                begin = static_cast<std::int64_t>(from);
                line = number;
                open = true;
            }
            const std::size_t indent = rules.indented ? leading_space(text) : 0;
            if (!has_body && (rules.comment == '\0' || text[indent] != rules.comment)) {
                has_body = true;
                body = static_cast<std::int64_t>(from);
                body_line = number;
            }
            end = static_cast<std::int64_t>(to);
            // The other lines of a body are only counted.
            if (has_body && !is_last) {
                const LineBegin begun = next_line_that_may_be_blank(data, next);
                if (begun.place > next) {
                    end = static_cast<std::int64_t>(begun.place - (data[begun.place - 2] == '\r' ? 2 : 1));
                    number += begun.lines;
                    next = begun.place;
                }
            }
        }
        ++number;
        if (is_last) break;
        from = next;
    }
    if (final) {
        close(false);
        result.consumed = data.size();
        result.lines = number;
    }
    return result;
}

// A text without the white space around it, as Python's str.strip has it.
inline std::string_view stripped(std::string_view text) {
    text.remove_prefix(leading_space(text));
    while (!text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
        if (!is_white_space(code_point(text, last).value)) break;
        text.remove_suffix(text.size() - last);
    }
    return text;
}

// What the first comment that says `name = value` has as its value, without white space around it.
// Where none says so, it is the beginning of the comments, and empty.
inline std::string_view comment_value(std::string_view comments, std::string_view name) {
    std::string_view value = comments.substr(0, 0);
    each_line(comments, [&](std::size_t first, std::size_t last, bool) {
        if (first == last || comments[first] != '#') return true;
        const std::string_view comment = comments.substr(first + 1, last - first - 1);
        const std::size_t equals = comment.find('=');
        if (equals == std::string_view::npos || stripped(comment.substr(0, equals)) != name) return true;
        value = stripped(comment.substr(equals + 1));
        return false;
    });
    return value;
}

// Where the name of a graph is whose comments begin with `# ::id NAME`, are ASCII and say so once, and
// which has no comment within it; empty where a slower look is needed.
inline std::string_view graph_name(std::string_view comments, std::string_view body) {
    static constexpr std::string_view mark = "::id", start = "# ::id ";
    const std::string_view none = comments.substr(0, 0);
    if (comments.substr(0, start.size()) != start || comments.find(mark, start.size()) != std::string_view::npos ||
        body.find('#') != std::string_view::npos) {
        return none;
    }
    const auto is_blank = [](unsigned char c) { return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20); };
    for (std::size_t i = 0; i < comments.size(); ++i) {
        const auto c = static_cast<unsigned char>(comments[i]);
        if (c >= 0x80) return none;
        if (c == '\n' && i + 1 < comments.size() && (comments[i + 1] == ' ' || comments[i + 1] == '\t')) return none;
    }
    std::size_t from = start.size();
    while (from < comments.size() && comments[from] == ' ') ++from;
    std::size_t to = from;
    while (to < comments.size() && !is_blank(static_cast<unsigned char>(comments[to]))) ++to;
    return comments.substr(from, to - from);
}

// How many characters a form has, without Unicode's space separators.
inline std::int64_t visible_characters(std::string_view form) {
    std::int64_t characters = 0;
    for (std::size_t k = 0; k < form.size();) {
        const auto byte = static_cast<unsigned char>(form[k]);
        if (byte < 0x80) {
            characters += byte != ' ';
            ++k;
            continue;
        }
        const CodePoint c = code_point(form, k);
        characters += !is_space_separator(c.value);
        k += c.size;
    }
    return characters;
}

// For each sentence of ten columns: how many characters its tokens have, white space left out;
// how many the last token has; and whether that is a multiword token. What is not well-formed
// has some figures or other: parsing refuses it.
inline std::vector<std::int64_t> token_characters(std::string_view data, const std::int64_t *body,
                                                  const std::int64_t *end, std::size_t count) {
    std::vector<std::int64_t> result(3 * count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const char *at = data.data() + body[i], *const stop = data.data() + end[i];
        std::int64_t *row = &result[3 * i];
        std::uint64_t word = 0, covered = 0;
        while (at < stop) {
            const char *dash = nullptr;
            bool empty_node = false;
            for (; at < stop && *at != '\t' && *at != '\n'; ++at) {
                if (*at == '-' && dash == nullptr) dash = at;
                empty_node = empty_node || *at == '.';
            }
            const bool has_form = at < stop && *at == '\t';
            if (has_form && !empty_node) {
                if (dash != nullptr) {
                    covered = 0;
                    const char *const last = at - dash > 9 ? dash + 10 : at;
                    for (const char *digit = dash + 1; digit < last; ++digit) {
                        covered = covered * 10 + static_cast<std::uint64_t>(*digit - '0');
                    }
                }
                if (dash != nullptr || ++word > covered) {
                    const char *const form = ++at;
                    while (at < stop && *at != '\t' && *at != '\n') ++at;
                    row[1] = visible_characters({form, static_cast<std::size_t>(at - form)});
                    row[0] += row[1];
                    row[2] = dash != nullptr;
                }
            }
            const void *next = at < stop ? std::memchr(at, '\n', static_cast<std::size_t>(stop - at)) : nullptr;
            at = next == nullptr ? stop : static_cast<const char *>(next) + 1;
        }
    }
    return result;
}

}  // namespace karat

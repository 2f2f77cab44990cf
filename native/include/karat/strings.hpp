// Strings in UTF-8 by where they begin and end in one block of bytes, and their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace karat {

// Also the layout of a column of strings in Arrow.
struct Strings {
    const char *data;
    const std::int64_t *begin, *end;
    std::size_t count;

    std::string_view operator[](std::size_t i) const {
        return {data + begin[i], static_cast<std::size_t>(end[i] - begin[i])};
    }
};

// What Python takes for white space.
inline bool is_space(std::uint32_t c) {
    if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

// Calls `take` with the number of each character. Surrogates count as characters, as in Python;
// bytes that are not UTF-8 give some numbers and are never read beyond the end.
template <class Take>
void decode(std::string_view text, Take take) {
    const auto *at = reinterpret_cast<const unsigned char *>(text.data()), *const end = at + text.size();
    while (at < end) {
        const std::uint32_t first = *at++;
        if (first < 0x80) {
            take(first);
            continue;
        }
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        std::uint32_t c = first & (0x3Fu >> more);
        while (more-- > 0 && at < end) c = c << 6 | (*at++ & 0x3Fu);
        take(c);
    }
}

// Appends a character in UTF-8.
inline void append_character(std::uint32_t c, std::string &out) {
    if (c < 0x80) {
        out.push_back(static_cast<char>(c));
        return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const unsigned marks[] = {0, 0xC0, 0xE0, 0xF0};
    out.push_back(static_cast<char>(marks[more] | c >> 6 * more));
    for (int i = more; i-- > 0;) out.push_back(static_cast<char>(0x80 | (c >> 6 * i & 0x3F)));
}

// The characters of a text, with or without its white space.
template <class Symbols>
void characters(std::string_view text, bool with_spaces, Symbols &symbols) {
    decode(text, [&](std::uint32_t c) {
        if (with_spaces || !is_space(c)) symbols.push_back(c);
    });
}

}  // namespace karat

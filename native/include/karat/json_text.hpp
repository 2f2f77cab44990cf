// Strings and numbers as JSON writes them.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace karat {

// Control characters, quotes, backslashes, and the first byte of surrogates.
inline constexpr auto may_be_escaped = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < 0x20; ++c) table[c] = true;
    table['"'] = table['\\'] = table[0xED] = true;
    return table;
}();

// Whether JSON has the text as it is.
inline bool is_plain(std::string_view text) {
    bool special = false;
    for (const char each : text) {
        const auto c = static_cast<unsigned char>(each);
        special |= c < 0x20 || c == '"' || c == '\\' || c == 0xED;
    }
    return !special;
}

// Writes such a text in quotes where there is room for it; gives the place behind it.
inline char *write_plain(std::string_view text, char *at) {
    *at++ = '"';
    at = std::copy(text.begin(), text.end(), at);
    *at++ = '"';
    return at;
}

// Appends a text in quotes, or only what stands between them. What is not ASCII stays as it is, but for halves
// of pairs of surrogates, which UTF-8 does not have.
inline void append_json(std::string_view text, std::string &out, bool quotes = true) {
    static constexpr char digits[] = "0123456789abcdef";
    char quoted[66];
    if (quotes && text.size() + 2 <= sizeof quoted && is_plain(text)) {  // as most are; these are added at once
        out.append(quoted, write_plain(text, quoted));
        return;
    }
    if (quotes) out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (!may_be_escaped[c]) continue;
        const bool half = c == 0xED && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0;
        if (c == 0xED && !half) continue;
        out.append(text.substr(plain, i - plain));
        plain = i + 1;
        out.push_back('\\');
        if (half) {
            const auto second = static_cast<unsigned char>(text[i + 1]), third = static_cast<unsigned char>(text[i + 2]);
            const unsigned low = (second & 0x3Fu) << 6 | (third & 0x3Fu);
            out.append("ud");
            for (int shift = 8; shift >= 0; shift -= 4) out.push_back(digits[low >> shift & 15]);
            i += 2, plain = i + 1;
            continue;
        }
        switch (c) {
            case '"': out.push_back('"'); break;
            case '\\': out.push_back('\\'); break;
            case '\b': out.push_back('b'); break;
            case '\f': out.push_back('f'); break;
            case '\n': out.push_back('n'); break;
            case '\r': out.push_back('r'); break;
            case '\t': out.push_back('t'); break;
            default:
                out.append("u00");
                out.push_back(digits[c >> 4]);
                out.push_back(digits[c & 15]);
        }
    }
    out.append(text.substr(plain));
    if (quotes) out.push_back('"');
}

// Whether a text holds a part. The first bytes are looked for at many places at once.
inline bool holds(std::string_view text, std::string_view part) {
    constexpr std::size_t first = 4, block = 512;
    if (part.size() < first || text.size() < part.size()) return text.find(part) != text.npos;
    const std::size_t places = text.size() - first + 1;
    for (std::size_t at = 0; at < places; at += block) {
        const char *here = text.data() + at;
        const std::size_t count = std::min(block, places - at);
        unsigned char any = 0;
        for (std::size_t i = 0; i < count; ++i) {
            any |= static_cast<unsigned char>(here[i] == part[0]) & static_cast<unsigned char>(here[i + 1] == part[1]) &
                   static_cast<unsigned char>(here[i + 2] == part[2]) & static_cast<unsigned char>(here[i + 3] == part[3]);
        }
        // A part that begins there and ends in the next block is found here.
        if (any != 0 && text.substr(at, block + part.size() - 1).find(part) != text.npos) return true;
    }
    return false;
}

// The most bytes that a number takes.
constexpr std::size_t longest_number = 20;

// Writes a number where there is room for the longest one; gives the place behind it.
inline char *write_number(std::int64_t number, char *at) {
    if (number >= 0 && number < 10) {  // as most are
        *at = static_cast<char>('0' + number);
        return at + 1;
    }
    return std::to_chars(at, at + longest_number, number).ptr;
}

inline void append_number(std::int64_t number, std::string &out) {
    char digits[longest_number];
    out.append(digits, write_number(number, digits));
}

}  // namespace karat

// Strings and numbers as JSON writes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace karat {

// Appends a text in quotes. What is not ASCII stays as it is, but for halves of pairs of surrogates,
// which UTF-8 does not have.
inline void append_json(std::string_view text, std::string &out) {
    static constexpr char digits[] = "0123456789abcdef";
    out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool half = c == 0xED && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0;
        if (c >= 0x20 && c != '"' && c != '\\' && !half) continue;
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
    out.push_back('"');
}

inline void append_number(std::int64_t number, std::string &out) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.append(digits, end);
}

}  // namespace karat

// Strings and numbers as JSON writes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace karat {

// Appends a text in quotes. What is not ASCII stays as it is.
inline void append_json(std::string_view text, std::string &out) {
    static constexpr char digits[] = "0123456789abcdef";
    out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text.substr(plain, i - plain));
        plain = i + 1;
        out.push_back('\\');
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

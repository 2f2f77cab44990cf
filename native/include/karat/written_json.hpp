// A walk over JSON that we wrote ourselves, for what is counted in it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace karat {

// Passes over values of JSON that is well-formed; what is not ends early, and is told by `good`.
class WrittenJson {
  public:
    explicit WrittenJson(std::string_view text) : text_(text) {}

    bool good = true;

    // Takes the opening bracket of a list or an object; false where something else comes.
    bool open(char bracket) {
        if (peek() != bracket) return false;
        ++at_;
        return true;
    }

    // Whether another part comes before the closing bracket, which is taken.
    bool more(char closing) {
        if (peek() == ',') ++at_;
        if (peek() != closing) return good = good && at_ < text_.size();
        ++at_;
        return false;
    }

    // A name, with its quotation marks, and the colon after it.
    std::string_view name() {
        const std::string_view found = string();
        good = good && peek() == ':';
        ++at_;
        return found;
    }

    // Any value, as it is written.
    std::string_view value() {
        if (peek() == '"') return string();
        if (at_ >= text_.size()) return good = false, std::string_view();
        const std::size_t begin = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                string();
                continue;
            }
            if (c == '[' || c == '{') ++depth;
            if ((c == ']' || c == '}' || c == ',') && depth == 0) break;
            ++at_;
            if ((c == ']' || c == '}') && --depth == 0) break;
        }
        good = good && depth == 0 && at_ > begin;
        at_ = std::min(at_, text_.size());
        return text_.substr(begin, at_ - begin);
    }

    // A whole number; false, and nothing is taken, where something else comes.
    bool whole_number(std::int64_t &number) {
        const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
        const auto [stop, error] = std::from_chars(begin, end, number);
        if (error != std::errc() || stop == end || (*stop != ',' && *stop != '}' && *stop != ']')) return false;
        at_ = static_cast<std::size_t>(stop - text_.data());
        return true;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  private:
    std::string_view string() {
        const std::size_t begin = at_;
        if (peek() != '"') good = false;
        for (at_ = end_of_plain(at_ + 1); at_ < text_.size() && text_[at_] != '"'; at_ = end_of_plain(at_ + 2)) {
        }
        ++at_;
        if (at_ > text_.size()) return good = false, std::string_view("\"\"");
        return text_.substr(begin, at_ - begin);
    }

    // The place of the next quotation mark or backslash, or behind the text.
    std::size_t end_of_plain(std::size_t at) const {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        constexpr std::uint64_t each = 0x0101010101010101u, high = 0x8080808080808080u;
        for (; at + sizeof each <= text_.size(); at += sizeof each) {
            std::uint64_t bytes;
            std::memcpy(&bytes, text_.data() + at, sizeof bytes);
            const std::uint64_t quotes = bytes ^ each * '"', slashes = bytes ^ each * '\\';
            // The lowest bit that is set is right: a byte is taken for a zero wrongly only above one that is.
            const std::uint64_t found = (((quotes - each) & ~quotes) | ((slashes - each) & ~slashes)) & high;
            if (found != 0) return at + static_cast<std::size_t>(__builtin_ctzll(found)) / 8;
        }
#endif
        while (at < text_.size() && text_[at] != '"' && text_[at] != '\\') ++at;
        return at;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace karat
